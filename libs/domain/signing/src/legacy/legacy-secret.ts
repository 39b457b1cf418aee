import { err, ok, type Result } from '@switchyard/values';
import type { WebhookMode } from '../webhook-mode.js';

type LegacySecretFault = 'too_short' | 'unprintable' | 'placeholder' | 'repeated';

/** Minimum length of a shared secret or Bearer credential, in characters. */
export const legacySecretLength = 32;

/**
 * Decides whether a shared secret of a legacy registration is strong enough; checked at registration, on either side. A
 * secret copied from a manual, or one that repeats itself, is easy to guess. A fault never contains the secret.
 */
export function judgeLegacySecret(
  secret: string,
  mode: Exclude<WebhookMode, 'signed'>,
): Result<void, LegacySecretFault> {
  if (secret.length < legacySecretLength) return err('too_short');
  // A credential in a header has no spaces; a shared secret may be a phrase.
  const isPrintable = mode === 'bearer' ? /^[\x21-\x7e]+$/ : /^\P{Cc}+$/u;
  if (!isPrintable.test(secret)) return err('unprintable');
  if (placeholders.some((pattern) => pattern.test(secret))) return err('placeholder');
  return isRepetitive(secret) ? err('repeated') : ok(undefined);
}

/** Texts in manuals and templates, long enough that a random secret matches none. */
const placeholders: readonly RegExp[] = [
  /change[-_ ]?(?:me|this)/i,
  /place[-_]?holder/i,
  /example/i,
  /replace[-_]?(?:me|this|with)/i,
  /insert[-_](?:your|secret|here)/i,
  /your[-_](?:\w+[-_])*(?:secret|key|token|credential)/i,
  /(?:super|my|shared|webhook|test)[-_]?secret/i,
  /secret[-_]?(?:here|key|token|value)/i,
  /password|passw0rd/i,
  /minimum|at[-_]least|characters|\d\d[-_]?chars/i,
  /^<.*>$|\$\{|\{\{|%\w+%$/,
  /lorem[-_]?ipsum/i,
  /deadbeef|cafebabe/i,
  /0123456789|abcdefghij|qwertyuiop/i,
];

/** Few different characters, a long run of one, or a repeated short text. */
function isRepetitive(secret: string): boolean {
  if (new Set(secret).size < 8) return true;
  if (/(.)\1{7}/.test(secret)) return true;
  for (let period = 1; period <= secret.length / 2; period += 1) {
    if (secret.slice(period) === secret.slice(0, -period)) return true;
  }
  return false;
}
