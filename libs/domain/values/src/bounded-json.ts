import { endOfString } from './parse-in-slices.js';

/** Limits of a JSON text that are checked before it is parsed. */
interface JsonBounds {
  /** Levels of objects and arrays; the outermost is the first. */
  readonly maxDepth: number;
  /** Object members and array items of the whole document together. */
  readonly maxMembers: number;
}

/** Whether a text is nested too deeply or has too many members to be given to JSON.parse. */
export function exceedsBounds(text: string, bounds: JsonBounds): boolean {
  return membersWithin(text, bounds) === undefined;
}

/**
 * The number of members and items of a JSON text; `undefined` if it is over its bounds. Counts commas and opening
 * brackets outside of strings: there are at least as many as members and items.
 */
export function membersWithin(text: string, { maxDepth, maxMembers }: JsonBounds): number | undefined {
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at + 1);
    else if (code === 0x2c) members += 1;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      members += 1;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
    if (depth > maxDepth || members > maxMembers) return undefined;
  }
  return members;
}

/**
 * Size of a value: its members and items at every depth, itself included, plus one for each 64 characters of a text.
 * For a value larger than `most`, the result is only known to be greater than `most`.
 */
export function weightOf(value: unknown, most: number): number {
  const open: unknown[] = [value];
  let weight = 0;
  while (open.length > 0 && weight <= most) {
    const next = open.pop();
    weight += 1;
    if (typeof next === 'string') weight += next.length >> 6;
    if (typeof next !== 'object' || next === null) continue;
    const members = Array.isArray(next) ? (next as unknown[]) : Object.values(next);
    for (const member of members) {
      if (typeof member === 'string') weight += 1 + (member.length >> 6);
      else if (typeof member === 'object' && member !== null) open.push(member);
      else weight += 1;
      if (weight > most) break;
    }
  }
  return weight;
}
