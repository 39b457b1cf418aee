import { isJsonObject, type JsonValue } from '@switchyard/values';
import { without } from '../../message/pick.js';

/** Members that hold a brand, and nothing but what its release lets a brand have. */
const brands: ReadonlySet<string> = new Set(['vendor', 'brand']);

/** A brand of 3.0 has no dress for the occasion: every brand at any depth of a value without one. */
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
