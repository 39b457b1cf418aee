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
