import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { without } from '../../../message/pick.js';

/** Whether a policy is one exact bid and nothing else. */
export function isExactBid(bidding: JsonValue | undefined): bidding is JsonObject {
  return isJsonObject(bidding) && Object.keys(bidding).join() === 'bid_amount';
}

/** A policy that is one exact bid is the bid that every release has; another one stays a policy. */
export function withBid(item: JsonObject): JsonObject {
  const { bidding } = item;
  if (!isExactBid(bidding)) return item;
  return { ...without(item, ['bidding']), bid_price: bidding['bid_amount'] ?? 0 };
}
