/**
 * Makes foreign text safe to print: removes control characters, escape sequences and marks that change the text
 * direction, so that a seller's text cannot change an operator's terminal. Line breaks stay.
 */
export function plain(text: string): string {
  return text.replace(unprintable, (mark) => (mark === '\n' ? mark : ''));
}

/** Control characters, marks of direction, zero-width characters and the odd line separators. */
const unprintable = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The same on one line, for a cell of a table. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain(text.replaceAll('\n', ' '));
}
