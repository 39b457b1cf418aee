import { signaturePresence } from './verify/read-signature.js';
import type { ReceivedMessage } from './verify/verdict.js';

/** The proof that a registration agreed on. The registration determines it, never the headers of a message. */
export type WebhookMode = 'signed' | 'hmac-sha256' | 'bearer';

/** The two headers of the legacy HMAC mode in lower case, as a dialect names them. */
export interface LegacyHeaderNames {
  readonly signature: string;
  readonly timestamp: string;
}

/** The code for a message with another proof than the registered one. */
export const webhookModeMismatch = 'webhook_mode_mismatch';

/**
 * Returns true if a message has a proof of another mode than the registered one.
 *
 * `legacy` lists the headers of all dialects, because an HMAC header of any dialect is another mode than `signed`. A
 * message without proof is no mismatch: verification in the mode reports what is missing. A signature at an address of
 * a legacy mode always is one, even beside the right proof.
 */
export function isModeMismatch(
  headers: ReceivedMessage['headers'],
  mode: WebhookMode,
  legacy: readonly LegacyHeaderNames[],
): boolean {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const brings: Readonly<Record<WebhookMode, boolean>> = {
    signed: signaturePresence(headers) !== 'none',
    'hmac-sha256': legacy.some(({ signature }) => names.has(signature.toLowerCase())),
    bearer: names.has('authorization'),
  };
  if (mode !== 'signed' && brings.signed) return true;
  return !brings[mode] && (brings.signed || brings['hmac-sha256'] || brings.bearer);
}
