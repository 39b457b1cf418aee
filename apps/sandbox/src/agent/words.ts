/** The words of a text, in lower case, without a plural s: enough to find the topic of a brief. */
export function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z0-9]{2,}/g) ?? [];
  return new Set(words.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}
