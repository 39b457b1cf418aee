import type { Buffer } from 'node:buffer';
import { err, ok, parseStrictJson, type Result, type Secret } from '@switchyard/values';
import { legacyHmac } from './legacy-webhook.js';
import type { LegacyHeaderNames } from '../webhook-mode.js';

export interface LegacyWebhookToSign {
  /**
   * Exactly the bytes that will be sent: compact JSON, as `JSON.stringify` writes it
   * (docs/protocol/webhooks-out.md#content-by-status).
   */
  readonly body: Buffer;
  readonly secret: Secret;
  /** Of the receiver's dialect. */
  readonly names: LegacyHeaderNames;
  /** Seconds since the epoch; a new one for each attempt. */
  readonly timestamp: number;
}

export type LegacySigningFault = 'duplicate_key_input' | 'malformed_input' | 'body_not_compact';

/**
 * The two headers that prove a webhook to a receiver of the older mode.
 *
 * Refused is a body that two readers could understand differently, because our proof would vouch for both, and one
 * with spaces between its tokens, because receivers of this mode are known to parse and print it again before they
 * hash. Throws when `timestamp` is not a whole number of seconds.
 */
export function signLegacyWebhook(
  webhook: LegacyWebhookToSign,
): Result<Readonly<Record<string, string>>, LegacySigningFault> {
  const { body, secret, names, timestamp } = webhook;
  if (!Number.isSafeInteger(timestamp) || timestamp < 0)
    throw new TypeError('the timestamp is whole seconds');
  const parsed = parseStrictJson(body);
  if (!parsed.ok) {
    return err(parsed.error.code === 'duplicate_key' ? 'duplicate_key_input' : 'malformed_input');
  }
  if (!isCompact(body.toString('utf8'))) return err('body_not_compact');
  const text = String(timestamp);
  return ok({ [names.timestamp]: text, [names.signature]: legacyHmac(text, body, secret) });
}

/** True when there is no white space outside the strings of a JSON text. */
function isCompact(json: string): boolean {
  return !/[ \t\r\n]/.test(json.replace(/"(?:[^"\\]|\\.)*"/gs, '""'));
}
