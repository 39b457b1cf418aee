import { isJsonObject, type JsonValue } from '@switchyard/values';
import { without } from '../../message/pick.js';

/** Members that hold a brand and have only the members that their release allows. */
const brands: ReadonlySet<string> = new Set(['vendor', 'brand']);

/** The value without the members that a brand of 3.0 does not have, in every brand at any depth. */
export function withPlainBrands<Value extends JsonValue>(value: Value): Value {
  return plain(value) as Value;
}

function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      plain(brands.has(name) && isJsonObject(inner) ? without(inner, ['brand_kit_override']) : inner),
    ]),
  );
}
