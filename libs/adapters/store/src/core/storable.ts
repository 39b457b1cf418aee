import { storableText } from '@switchyard/values';
import type { Prisma } from '../generated/client.js';

export { storableText };

/** How JSON writes U+0000 and halves of surrogate pairs; also a backslash before such letters, which changes nothing. */
const escaped = /\\u(0000|d[89a-f])/;

/** A value as JSON in which every text can be stored, including member names. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  return escaped.test(text) ? withoutUnstorable(value) : text;
}

function withoutUnstorable(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'string') return storableText(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const names = Object.keys(member);
    if (names.every((name) => storableText(name) === name)) return member;
    return Object.fromEntries(Object.entries(member).map(([name, inner]) => [storableText(name), inner]));
  });
}

/** The same for a column of JSON that Prisma writes: it takes the value and not its text. */
export function storableValue(value: unknown): Prisma.InputJsonValue {
  return JSON.parse(storableJson(value)) as Prisma.InputJsonValue;
}
