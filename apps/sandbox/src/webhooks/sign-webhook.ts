import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { signRequest } from '@switchyard/signing';

export interface WebhookKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** In the agent's dialect. */
  readonly tag: string;
  /** Of the older mode, in the agent's dialect. */
  readonly legacyNames: { readonly signature: string; readonly timestamp: string };
}

/** Headers for one attempt: a new validity window and nonce each time, over the same bytes. */
export function signWebhook(
  key: WebhookKey,
  { url, contentType, body }: { readonly url: string; readonly contentType: string; readonly body: Buffer },
  now: number,
): Record<string, string> {
  const created = Math.floor(now / 1000);
  const headers = { 'Content-Type': contentType };
  const signed = signRequest({
    method: 'POST',
    url,
    headers,
    body,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: key.tag,
    created,
    expires: created + 300,
    nonce: randomBytes(16).toString('base64url'),
  });
  return { ...headers, ...signed };
}

/** The same for a receiver that requested the older mode: a proof over the current second and the bytes. */
export function hmacWebhook(
  { legacyNames }: WebhookKey,
  secret: string,
  { contentType, body }: { readonly contentType: string; readonly body: Buffer },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return {
    'Content-Type': contentType,
    [legacyNames.timestamp]: timestamp,
    [legacyNames.signature]: `sha256=${digest}`,
  };
}
