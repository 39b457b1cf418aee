import canonicalize from 'canonicalize';
import { canonicalText } from './canonical-text.js';

/** The package is CommonJS and exports the function itself; its types declare something else. */
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/**
 * RFC 8785 text of a JSON value: equal values give equal bytes.
 *
 * Accepts plain data of any static type; members that are `undefined` are left out. Throws where there is no JSON
 * value (a number that is not finite, a function, `undefined` itself), which is a programmer's error.
 */
export function canonicalJson(value: unknown): string {
  // The package builds a text for each nested value. `canonicalText` writes plain data several times faster.
  const text = canonicalText(value) ?? serialize(value);
  if (text === undefined) throw new TypeError('There is no JSON text of this value.');
  return text;
}
