import { compact, type JsonObject } from '../json.js';

/** What a replay is recognised by, beside the key itself: opaque and transport members do not count. */
export function meaningOf(args: JsonObject): JsonObject {
  return compact({ ...args, idempotency_key: undefined, context: undefined, governance_context: undefined });
}
