import { signaturePresence } from './verify/read-signature.js';
import type { ReceivedMessage } from './verify/verdict.js';

/** How an address was registered. Decided by the registration, never by the looks of a message. */
export type WebhookMode = 'signed' | 'hmac-sha256' | 'bearer';

/** The two headers of the older mode, in lower case, as a dialect names them. */
export interface LegacyHeaderNames {
  readonly signature: string;
  readonly timestamp: string;
}

/** The code for a message that brings another proof than the one that was agreed. */
export const webhookModeMismatch = 'webhook_mode_mismatch';

/**
 * True when the proof that a message brings is of another mode than the address was registered for.
 *
 * `legacy` names the headers of every dialect: whichever one an older sender speaks, it is not a signed one. A message
 * without any proof is not a mismatch: the mode's own verification says what is missing. A signature at an address of
 * an older mode always is one, whatever else comes with it: its sender holds the address for a signed one.
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
