import canonicalize from 'canonicalize';

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

/** Text that needs no escapes between quotes. */
const plain = /^[ !#-[\]-~]*$/;
/** Longer texts are quoted by JSON.stringify, which is faster there than a pattern and a copy. */
const longest = 100;

/**
 * RFC 8785 text of plain data, or `undefined`: then the caller uses the general serializer, which also reports errors.
 * Both write the same text.
 *
 * Returns `undefined` for numbers that are not finite, values with `toJSON`, lists with empty places, and values that
 * JSON cannot express.
 */
export function canonicalText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value)
        ? textOfList(value)
        : textOfObject(value as Readonly<Record<string, unknown>>);
    default:
      return undefined;
  }
}

function textOfList(list: readonly unknown[]): string | undefined {
  // A list can have `toJSON` as well.
  if ('toJSON' in list) return undefined;
  let text = '[';
  for (let at = 0; at < list.length; at += 1) {
    const item = canonicalText(list[at]);
    if (item === undefined) return undefined;
    text += at === 0 ? item : `,${item}`;
  }
  return `${text}]`;
}

function textOfObject(object: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof object['toJSON'] === 'function') return undefined;
  let text = '{';
  // Without a comparison function, `sort` compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member === undefined) continue;
    const written = canonicalText(member);
    if (written === undefined) return undefined;
    text += `${text.length === 1 ? '' : ','}${quoted(name)}:${written}`;
  }
  return `${text}}`;
}

function quoted(text: string): string {
  return text.length <= longest && plain.test(text) ? `"${text}"` : JSON.stringify(text);
}
