import type { SellerAnswer } from '@switchyard/sellers';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** U+0000 and halves of surrogate pairs: a seller can write them as JSON escapes, and no table of ours takes them. */
const unkeepable = /[\0\p{Surrogate}]/u;
const everyUnkeepable = /[\0\p{Surrogate}]/gu;

/**
 * The answer as it can be kept: each such character becomes U+FFFD. Refusing the answer instead would leave us not
 * knowing what a seller did, over one letter in a name.
 */
export function keepableAnswer(answer: SellerAnswer): SellerAnswer {
  if (!isUnkeepable(answer)) return answer;
  return mended(answer as unknown as JsonObject) as unknown as SellerAnswer;
}

/** Without recursion, since the nesting is a stranger's. */
function isUnkeepable(answer: SellerAnswer): boolean {
  const open: unknown[] = [answer];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && unkeepable.test(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value) && unkeepable.test(key)) return true;
      if (typeof member === 'string' || (typeof member === 'object' && member !== null)) open.push(member);
    }
  }
  return false;
}

function mended(value: JsonValue): JsonValue {
  if (typeof value === 'string') return mendedText(value);
  if (Array.isArray(value)) return value.map(mended);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [mendedText(key), mended(member)]));
}

function mendedText(text: string): string {
  return text.replace(everyUnkeepable, '\ufffd');
}
