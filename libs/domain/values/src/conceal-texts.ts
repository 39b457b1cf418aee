import { isJsonObject, type JsonValue } from './json.js';

const shown = '[secret]';

/** The text with `[secret]` in the place of each of these, or the very same text where none of them stands in it. */
export function concealInText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, shown), text);
}

/**
 * The value with `[secret]` in the place of each of these texts, in names of members as in values, at any depth; the
 * very same value where none of them stands in it, which is nearly always. Texts are replaced in their order.
 */
export function concealTexts<T extends JsonValue>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 || !holds(value, secrets) ? value : (concealed(value, secrets) as T);
}

/** Without recursion, since the nesting is a stranger's. */
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

function concealed(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (typeof value === 'string') return concealInText(value, secrets);
  if (Array.isArray(value)) return value.map((member) => concealed(member, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [concealInText(name, secrets), concealed(member, secrets)]),
  );
}
