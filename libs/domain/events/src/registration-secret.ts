import { createHmac } from 'node:crypto';
import { judgeLegacySecret } from '@switchyard/signing';
import { Secret } from '@switchyard/values';

/**
 * The shared secret of one registration, derived from the sealed secret of its connection: it is the same for every send
 * and every process, differs from that of any other registration, and is stored nowhere.
 */
export function registrationSecret(connectionSecret: Secret, registrationId: string): Secret {
  for (let round = 0; ; round += 1) {
    const text = connectionSecret.use((bytes) =>
      createHmac('sha256', bytes)
        .update(`webhook-secret|${registrationId}|${round}`, 'utf8')
        .digest('base64url'),
    );
    // By chance it may look like one that a person made up, which receivers refuse.
    if (judgeLegacySecret(text, 'hmac-sha256').ok) return new Secret(Buffer.from(text, 'utf8'));
  }
}
