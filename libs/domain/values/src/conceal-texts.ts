import { isJsonObject, type JsonValue } from './json.js';

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

/** The same as `concealTexts`, with the replacement `by`. */
export function replaceTexts<T extends JsonValue>(value: T, texts: readonly string[], by: string): T {
  return texts.length === 0 || !holds(value, texts) ? value : (replaced(value, texts, by) as T);
}

/** Not recursive, because the input decides the depth. */
function holds(value: JsonValue, secrets: readonly string[]): boolean {
  const isIn = (text: string): boolean => secrets.some((secret) => text.includes(secret));
  const open: JsonValue[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'string' && isIn(one)) return true;
    if (typeof one !== 'object' || one === null) continue;
    if (!Array.isArray(one) && Object.keys(one).some(isIn)) return true;
    for (const member of Object.values(one)) open.push(member);
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
  return texts.reduce((left, one) => left.replaceAll(one, () => by), text);
}
