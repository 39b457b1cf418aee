import { createHmac } from 'node:crypto';
import { judgeLegacySecret } from '@switchyard/signing';
import { Secret } from '@switchyard/values';

/**
 * Derives the shared secret of one registration from the sealed secret of its connection: equal for every
 * send and process, different for every registration, and never stored.
 */
export function registrationSecret(connectionSecret: Secret, registrationId: string): Secret {
  for (let round = 0; ; round += 1) {
    const text = connectionSecret.use((bytes) =>
      createHmac('sha256', bytes)
        .update(`webhook-secret|${registrationId}|${round}`, 'utf8')
        .digest('base64url'),
    );
    // By chance it may look like a weak secret, which receivers refuse.
    if (judgeLegacySecret(text, 'hmac-sha256').ok) return new Secret(Buffer.from(text, 'utf8'));
  }
}
