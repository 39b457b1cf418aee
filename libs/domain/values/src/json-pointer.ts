export type JsonPath = readonly (string | number)[];

/** RFC 6901: `['a', 0]` is `/a/0`; the whole document is the empty text. */
export function jsonPointer(path: JsonPath): string {
  return path.map((step) => `/${escaped(String(step))}`).join('');
}

/** A pointer for errors and logs. Its key names are cut and cleaned, so it may not resolve in the document. */
export function shownPointer(path: JsonPath): string {
  return path.map((step) => `/${escaped(sanitizeKeyName(String(step)))}`).join('');
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

const maxBytes = 32;
/** C0, DEL, C1, the bidirectional controls, the line separators, zero-width characters and the byte order mark. */
const unprintable = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

/**
 * Makes an untrusted key name fit for a log or an error: the text from the first unprintable character on is replaced
 * by `<sanitized:N>` (N bytes were kept), and at most 32 bytes of UTF-8 remain.
 */
export function sanitizeKeyName(name: string): string {
  const cutAt = name.search(unprintable);
  const printable = cutAt < 0 ? name : name.slice(0, cutAt);
  const stored = firstBytes(printable, maxBytes);
  return cutAt < 0 ? stored : `${stored}<sanitized:${Buffer.byteLength(stored)}>`;
}

function firstBytes(text: string, limit: number): string {
  let bytes = 0;
  let stored = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > limit) return stored;
    stored += character;
  }
  return stored;
}
