import { isIP } from 'node:net';
import { z } from 'zod';
import type { Rate } from '../../platform/caller/rate-limits.js';

/** One setting: a row of the table in `settings.ts`, of `switchyard settings`, and of the page for operators. */
export interface Setting<T> {
  /** The expected value, as the end of "NAME should be ...". */
  readonly type: string;
  readonly meaning: string;
  /** The value if the variable is unset or empty. */
  readonly absent: T;
  /** The same as text. */
  readonly absentText: string;
  /** Its value is never printed. */
  readonly isSecret: boolean;
  readonly schema: z.ZodType<T, string>;
}

interface Words {
  readonly meaning: string;
  /** The text for an unset variable, if the default alone is not clear. */
  readonly absentText?: string;
}

/** `type` is text for readers, `schema` for the program; a setting without a default is optional. */
export function setting<T>(
  { type, schema, isSecret = false }: { type: string; schema: z.ZodType<T, string>; isSecret?: boolean },
  { meaning, absentText = '' }: Words,
): Setting<T | undefined> {
  return { type, schema, isSecret, meaning, absentText, absent: undefined };
}

/** The same setting with a default, in the syntax of the variable. */
export function withDefault<T>(item: Setting<T | undefined>, text: string): Setting<T> {
  const absent = item.schema.parse(text) as T;
  return { ...item, schema: item.schema as z.ZodType<T, string>, absent, absentText: text };
}

interface Bounds extends Words {
  readonly min: number;
  readonly max: number;
  /** For example `seconds`. */
  readonly unit?: string;
}

export function whole({ min, max, unit, ...words }: Bounds): Setting<number | undefined> {
  const schema = z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
  return setting({ type: `a whole number from ${min} to ${max}${unitText(unit)}`, schema }, words);
}

/** Up to four digits after the point. */
export function decimal({ min, max, unit, ...words }: Bounds): Setting<number | undefined> {
  const schema = z
    .string()
    .regex(/^\d+(\.\d{1,4})?$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max));
  return setting({ type: `a number from ${min} to ${max}${unitText(unit)}`, schema }, words);
}

const unitText = (unit: string | undefined): string => (unit === undefined ? '' : `, in ${unit}`);

export function choice<const T extends string>(values: readonly T[], words: Words): Setting<T | undefined> {
  return setting({ type: `one of ${values.join(', ')}`, schema: z.enum(values) }, words);
}

/** Any text: a path, an id, a host. */
export function text(type: string, words: Words): Setting<string | undefined> {
  return setting({ type, schema: z.string() }, words);
}

/** A text that is never printed. */
export function secret(type: string, pattern: RegExp, words: Words): Setting<string | undefined> {
  return setting({ type, schema: z.string().regex(pattern), isSecret: true }, words);
}

/** Texts separated by commas. */
export function list(
  type: string,
  isOne: (text: string) => boolean,
  words: Words,
): Setting<readonly string[] | undefined> {
  const schema = z
    .string()
    .transform((all) => all.split(',').map((each) => each.trim()))
    .refine((all) => all.every(isOne));
  return setting({ type, schema }, words);
}

export function rate(words: Words): Setting<Rate | undefined> {
  const pattern = /^(\d{1,6}(?:\.\d{1,3})?)\/(\d{1,7})$/;
  const schema = z
    .string()
    .regex(pattern)
    .transform((item) => {
      const [, perSecond, burst] = pattern.exec(item) ?? [];
      return { perSecond: Number(perSecond), burst: Number(burst) };
    })
    .refine(({ perSecond, burst }) => perSecond > 0 && burst > 0);
  return setting({ type: 'PER_SECOND/BURST, both above 0, for example 60/300', schema }, words);
}

/** An origin as a browser sends it (RFC 6454): scheme and host, and the port if it is not the usual one. */
export function isOrigin(item: string): boolean {
  return /^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item;
}

/** An IP address, or a network such as `10.1.0.0/16`. */
export function isNetwork(item: string): boolean {
  const [address = '', bits, ...rest] = item.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export const host = z
  .string()
  .refine((item) => isIP(item) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(item));

export const collector = z
  .string()
  .refine((item) => /^https?:/.test(item) && URL.canParse(item) && new URL(item).search === '');
