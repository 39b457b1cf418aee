import type { JsonValue } from '@switchyard/values';

/** The longest text of one member, in characters. */
const longestName = 80;

/** One short line without characters that are not seen: sellers' text is untrusted. */
export function oneLine(value: JsonValue | undefined, most = longestName): string {
  const text = typeof value === 'string' ? value : '';
  const line = text
    .slice(0, most * 8)
    .replace(/\p{Cf}/gu, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
}
