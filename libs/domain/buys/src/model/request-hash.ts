import { createHash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject } from '@switchyard/values';

const outsideTheHash = new Set(['idempotency_key', 'context', 'governance_context']);

/**
 * SHA-256 (hex) of a request as RFC 8785 text, without the members that may differ between two sends of one
 * request: the key, `context`, `governance_context` and the callback's own credentials.
 */
export function requestHash(args: JsonObject): string {
  const stored = Object.fromEntries(Object.entries(args).filter(([name]) => !outsideTheHash.has(name)));
  const push = stored['push_notification_config'];
  if (isJsonObject(push) && isJsonObject(push['authentication'])) {
    const { credentials: _left, ...authentication } = push['authentication'];
    stored['push_notification_config'] = { ...push, authentication };
  }
  return createHash('sha256').update(canonicalJson(stored), 'utf8').digest('hex');
}
