import { isJsonObject, type JsonValue } from './json.js';
import { shownPointer, type JsonPath } from './json-pointer.js';

/** U+0000 and halves of surrogate pairs. */
const unstorable = /[\0\p{Surrogate}]/u;
const everyUnstorable = /[\0\p{Surrogate}]/gu;

/** False for text that PostgreSQL cannot store. JSON escapes can produce such characters. */
export function isStorableText(text: string): boolean {
  return !unstorable.test(text);
}

/** The text with each of those characters replaced by U+FFFD. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replace(everyUnstorable, '\uFFFD');
}

interface Place {
  readonly value: JsonValue;
  readonly path: JsonPath;
}

/**
 * Pointer to the first text or key that contains U+0000, fit to be shown, or `undefined`. JSON allows this character,
 * but PostgreSQL cannot store it in text or jsonb, so documents are checked before they are stored.
 */
export function findNul(document: JsonValue): string | undefined {
  const open: Place[] = [{ value: document, path: [] }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, path } = place;
    if (typeof value === 'string' && value.includes('\0')) return shownPointer(path);
    if (Array.isArray(value)) value.forEach((item, at) => open.push({ value: item, path: [...path, at] }));
    if (!isJsonObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      if (key.includes('\0')) return shownPointer([...path, key]);
      if (typeof member === 'object' || typeof member === 'string')
        open.push({ value: member, path: [...path, key] });
    }
  }
  return undefined;
}
