const slash = '/'.charCodeAt(0);

/**
 * The text without the slashes at its end. Use it for a text of others: `/\/+$/` needs hours for a text of millions of
 * slashes with another sign behind them.
 */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === slash) end -= 1;
  return text.slice(0, end);
}
