import type { SellerAnswer } from '@switchyard/sellers';
import {
  atOnce,
  isJsonObject,
  isStorableText,
  someText,
  storableText,
  type JsonObject,
  type JsonValue,
} from '@switchyard/values';

/**
 * Makes an answer storable: characters that no column takes become U+FFFD. If the answer were refused instead, what the
 * seller did would be unknown because of one character.
 */
export function storableAnswer(answer: SellerAnswer): SellerAnswer {
  return atOnce(storableInSlices(answer));
}

/** `storableAnswer` of a long answer in slices. */
export function* storableInSlices(answer: SellerAnswer): Generator<void, SellerAnswer> {
  if (!(yield* someText(answer, (text) => !isStorableText(text)))) return answer;
  return mended(answer as unknown as JsonObject) as unknown as SellerAnswer;
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [storableText(key), mended(member)]),
  );
}
