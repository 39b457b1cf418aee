/** Length, in characters, of a text that is parsed in one step. */
const longestStep = 64 * 1024;

/** An object or array of a JSON text that is longer than one step. */
interface LongValue {
  /** Index of its opening bracket. */
  readonly start: number;
  /** Index after its closing bracket. */
  end: number;
  /** Indexes of the commas between its own members or items. */
  readonly commas: number[];
  /** The long values directly in it, in order. */
  readonly inner: LongValue[];
}

/**
 * The value of a JSON text, as JSON.parse makes it, in steps: a long array is parsed some items at a time. An object
 * with many short members, and a long string, are one step each.
 *
 * The caller limits the depth of the text first (`exceedsBounds`). Throws a SyntaxError where JSON.parse does.
 */
export function* parseInSlices(text: string, most = longestStep): Generator<void, unknown> {
  const outermost = text.length <= most ? undefined : longValueOf(text, most);
  if (outermost === undefined) return JSON.parse(text) as unknown;
  yield;
  return yield* valueOf(text, outermost, most);
}

/** The outermost value with its long parts; `undefined` if it is short, or the brackets do not match. */
function longValueOf(text: string, most: number): LongValue | undefined {
  const root: LongValue = { start: 0, end: text.length, commas: [], inner: [] };
  const open = [root];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at + 1);
    else if (code === 0x2c) open.at(-1)?.commas.push(at);
    else if (code === 0x7b || code === 0x5b) open.push({ start: at, end: at, commas: [], inner: [] });
    else if (code === 0x7d || code === 0x5d) {
      const closed = open.pop();
      // The code of a closing bracket is that of its opening bracket plus two.
      if (closed === undefined || text.charCodeAt(closed.start) + 2 !== code) return undefined;
      closed.end = at + 1;
      if (closed.end - closed.start > most) open.at(-1)?.inner.push(closed);
    }
  }
  const [outermost] = root.inner;
  const isAlone = open.length === 1 && isBlank(text.slice(0, outermost?.start));
  return isAlone && isBlank(text.slice(outermost?.end)) ? outermost : undefined;
}

/** Index of the closing quote, or the length of the text when there is none. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at += 1;
  }
  return text.length;
}

function* valueOf(text: string, long: LongValue, most: number): Generator<void, unknown> {
  const parseItem = () => JSON.parse(text.slice(long.start, long.end)) as unknown;
  if (long.commas.length === 0 && long.inner.length === 0) return parseItem();
  if (text.startsWith('[', long.start)) return yield* itemsOf(text, long, most);
  const names = namesOfInner(text, long);
  const value = JSON.parse(textWithout(text, long)) as Record<string, unknown>;
  // Of two members with one name the last counts.
  if (Object.keys(value).length !== long.commas.length + 1) return parseItem();
  for (const [at, name] of names.entries()) {
    yield;
    const inner = long.inner[at];
    // `value[name] =` would set the prototype if the name is `__proto__`.
    if (inner !== undefined) Object.defineProperty(value, name, { value: yield* valueOf(text, inner, most) });
  }
  return value;
}

/** The text of an object with `null` in place of its long members. */
function textWithout(text: string, { start, end, inner }: LongValue): string {
  let short = '';
  let from = start;
  for (const long of inner) {
    short += `${text.slice(from, long.start)}null`;
    from = long.end;
  }
  return short + text.slice(from, end);
}

function namesOfInner(text: string, { start, commas, inner }: LongValue): string[] {
  let next = 0;
  return inner.map((long) => {
    while ((commas[next] ?? Infinity) < long.start) next += 1;
    const from = (commas[next - 1] ?? start) + 1;
    const [name] = Object.keys(JSON.parse(`{${text.slice(from, long.start)}null}`) as object);
    if (name === undefined) throw new SyntaxError('A member has no name.');
    return name;
  });
}

function* itemsOf(text: string, { start, end, commas, inner }: LongValue, most: number) {
  const items: unknown[] = [];
  let from = start + 1;
  let waiting = 0;
  let next = 0;
  const parseUntil = (to: number) => {
    const parsed = JSON.parse(`[${text.slice(from, to)}]`) as unknown[];
    if (parsed.length !== waiting) throw new SyntaxError('An item of a list is missing.');
    for (const item of parsed) items.push(item);
    waiting = 0;
    from = to + 1;
  };
  let itemStart = from;
  for (let at = 0; at <= commas.length; at += 1) {
    const itemEnd = commas[at] ?? end - 1;
    const long = inner[next];
    if (long !== undefined && long.end <= itemEnd) {
      next += 1;
      if (waiting > 0) parseUntil(itemStart - 1);
      if (!isBlank(text.slice(itemStart, long.start)) || !isBlank(text.slice(long.end, itemEnd)))
        throw new SyntaxError('Items of a list are not separated by a comma.');
      items.push(yield* valueOf(text, long, most));
      from = itemEnd + 1;
    } else {
      waiting += 1;
      if (itemEnd - from > most) {
        parseUntil(itemEnd);
        yield;
      }
    }
    itemStart = itemEnd + 1;
  }
  if (waiting > 0) parseUntil(end - 1);
  return items;
}

/** Whether a text is only white space (RFC 8259 section 2). */
function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text);
}

/** Limits of a JSON text that are checked before it is parsed. */
interface JsonBounds {
  /** Levels of objects and arrays; the outermost is the first. */
  readonly maxDepth: number;
  /** Object members and array items of the whole document together. */
  readonly maxMembers: number;
  /** Members of one object: JSON.parse makes it in one step, however long it takes. Default: any number. */
  readonly maxWidth?: number;
}

/** Whether a text is nested too deeply or has too many members to be given to JSON.parse. */
export function exceedsBounds(text: string, bounds: JsonBounds): boolean {
  return membersWithin(text, bounds) === undefined;
}

/**
 * The number of members and items of a JSON text; `undefined` if it is over its bounds. Counts commas and opening
 * brackets outside of strings: there are at least as many as members and items.
 */
export function membersWithin(
  text: string,
  { maxDepth, maxMembers, maxWidth = maxMembers }: JsonBounds,
): number | undefined {
  let depth = 0;
  let members = 0;
  /** How many members each open object may still have; the items of a list are not limited. */
  const room = new Int32Array(maxDepth + 1);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at + 1);
    else if (code === 0x2c) {
      members += 1;
      const left = (room[depth] ?? 0) - 1;
      room[depth] = left;
      if (left === 0) return undefined;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      members += 1;
      room[depth] = code === 0x7b ? maxWidth : 0;
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
