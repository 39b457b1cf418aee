import { sanitizeKeyName } from './key-name.js';

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
