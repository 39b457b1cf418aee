import { Buffer } from 'node:buffer';
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

/** The longest id of a seller, in bytes of UTF-8. PostgreSQL puts no more than 2,704 bytes into an index. */
const longestId = 2_000;

/**
 * Makes an answer storable: characters that no column takes become U+FFFD, and an id that no index takes is left out, as if
 * the seller had not sent it. If the answer were refused instead, what the seller did would be unknown because of one
 * character; if the statement failed, those of other sellers would fail with it.
 */
export function storableAnswer(answer: SellerAnswer): SellerAnswer {
  return atOnce(storableInSlices(answer));
}

/** `storableAnswer` of a long answer in slices. */
export function* storableInSlices(answer: SellerAnswer): Generator<void, SellerAnswer> {
  const isOdd = (text: string, name?: string): boolean => !isStorableText(text) || isLongId(name, text);
  if (!(yield* someText(answer, isOdd))) return answer;
  return mended(answer as unknown as JsonObject) as unknown as SellerAnswer;
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !isLongId(key, member))
      .map(([key, member]) => [storableText(key), mended(member)]),
  );
}

/** A short text is not measured, and a name is looked at for a long one only. */
function isLongId(name: string | undefined, value: JsonValue): boolean {
  if (typeof value !== 'string' || value.length * 3 <= longestId) return false;
  return name !== undefined && /id$/i.test(name) && Buffer.byteLength(value) > longestId;
}
