import { compact, type JsonObject } from '../json.js';

/** What identifies a replay beside the key: opaque and transport members do not count. */
export function meaningOf(args: JsonObject): JsonObject {
  return compact({ ...args, idempotency_key: undefined, context: undefined, governance_context: undefined });
}
