import type { Buffer } from 'node:buffer';
import { err, ok, parseStrictJson, type Result, type Secret } from '@switchyard/values';
import { legacyHmac } from './legacy-webhook.js';
import type { LegacyHeaderNames } from '../webhook-mode.js';

interface LegacyWebhookToSign {
  /**
   * The exact bytes to send: compact JSON, as `JSON.stringify` writes it
   * (docs/protocol/webhooks-out.md#content-by-status).
   */
  readonly body: Buffer;
  readonly secret: Secret;
  /** Header names of the receiver's dialect. */
  readonly names: LegacyHeaderNames;
  /** Seconds since the epoch; a new one for each attempt. */
  readonly timestamp: number;
}

type LegacySigningFault = 'duplicate_key_input' | 'malformed_input' | 'body_not_compact';

/**
 * Returns the two headers that authenticate a webhook to a receiver of the older mode.
 * Refuses a body that two readers could understand differently, because the proof would cover both meanings, and one
 * with white space between tokens, because some receivers of this mode parse and print it again before they hash.
 * Throws `TypeError` if `timestamp` is not a whole number of seconds.
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

/** Whether a JSON text has no white space outside its strings. */
function isCompact(json: string): boolean {
  return !/[ \t\r\n]/.test(json.replace(/"(?:[^"\\]|\\.)*"/gs, '""'));
}
