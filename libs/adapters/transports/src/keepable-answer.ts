import type { SellerAnswer } from '@switchyard/sellers';
import {
  isJsonObject,
  isStorableText,
  storableText,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';

/**
 * Makes an answer storable: characters that no column takes become U+FFFD. If the answer were refused instead, what the
 * seller did would be unknown because of one character.
 */
export function keepableAnswer(answer: SellerAnswer): SellerAnswer {
  if (!isUnkeepable(answer)) return answer;
  return mended(answer as unknown as JsonObject) as unknown as SellerAnswer;
}

/** Without recursion, because a seller chooses the depth. */
function isUnkeepable(answer: SellerAnswer): boolean {
  const open: unknown[] = [answer];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && !isStorableText(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && !isStorableText(key)) return true;
      if (typeof member === 'string' || (typeof member === 'object' && member !== null)) open.push(member);
    }
  }
  return false;
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), mended(member)]),
  );
}
