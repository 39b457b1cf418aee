import { isJsonObject, type JsonValue } from './json.js';
import { atOnce } from './next-turn.js';

const shown = '[secret]';

/** The text with each secret replaced by `[secret]`, or the same text where it holds none of them. */
export function concealInText(text: string, secrets: readonly string[]): string {
  return replaceInText(text, secrets, shown);
}

/**
 * The value with each of these texts replaced by `[secret]`, in member names and values, at any depth. Texts are
 * replaced in their order. Returns the same object where it holds none of them, which is the usual case.
 */
export function concealTexts<T extends JsonValue>(value: T, secrets: readonly string[]): T {
  return replaceTexts(value, secrets, shown);
}

/** `concealTexts` of a long value in slices. */
export function* concealInSlices<T extends JsonValue>(
  value: T,
  secrets: readonly string[],
): Generator<void, T> {
  return yield* replacing(value, secrets, shown);
}

/** The same as `concealTexts`, with the replacement `by`. */
export function replaceTexts<T extends JsonValue>(value: T, texts: readonly string[], by: string): T {
  return atOnce(replacing(value, texts, by));
}

function* replacing<T extends JsonValue>(value: T, texts: readonly string[], by: string): Generator<void, T> {
  const isIn = (text: string): boolean => texts.some((hidden) => text.includes(hidden));
  if (texts.length === 0 || !(yield* someText(value, isIn))) return value;
  return replaced(value, texts, by) as T;
}

/** Members that are searched in one slice. */
const sliceMembers = 20_000;

/**
 * Whether a text of the value passes the test: a string at any depth, with its name if it is a member of an object, or the
 * names of one object, joined by line ends. Yields between slices of the value. Not recursive, because the input decides
 * the depth.
 */
export function* someText(
  value: unknown,
  test: (text: string, name?: string) => boolean,
): Generator<void, boolean> {
  if (typeof value === 'string') return test(value);
  const open: unknown[] = [value];
  let searched = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const names = Array.isArray(next) ? undefined : Object.keys(next);
    if (names !== undefined && test(names.join('\n'))) return true;
    const members = Array.isArray(next) ? (next as unknown[]) : (Object.values(next) as unknown[]);
    for (const [at, member] of members.entries()) {
      if (typeof member === 'string' && test(member, names?.[at])) return true;
      if (typeof member === 'object' && member !== null) open.push(member);
    }
    searched += members.length + 1;
    if (searched < sliceMembers) continue;
    searched = 0;
    yield;
  }
  return false;
}

function replaced(value: JsonValue, texts: readonly string[], by: string): JsonValue {
  if (typeof value === 'string') return replaceInText(value, texts, by);
  if (Array.isArray(value)) return value.map((member) => replaced(member, texts, by));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      replaceInText(name, texts, by),
      replaced(member, texts, by),
    ]),
  );
}

function replaceInText(text: string, texts: readonly string[], by: string): string {
  return texts.reduce((left, hidden) => left.replaceAll(hidden, () => by), text);
}
