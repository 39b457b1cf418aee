/** U+0000 and halves of surrogate pairs. */
const unstorable = /[\0\p{Surrogate}]/u;
const everyUnstorable = /[\0\p{Surrogate}]/gu;

/** False for text that PostgreSQL takes in no column: strangers can write such characters as JSON escapes. */
export function isStorableText(text: string): boolean {
  return !unstorable.test(text);
}

/** The text as it can be stored: each of those characters becomes U+FFFD. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replace(everyUnstorable, '\uFFFD');
}
