import { Secret } from '@switchyard/values';
import { z } from 'zod';

/** An instant in an answer, as `isoOf` writes it. */
export const instant = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text), 'has to be an instant in UTC')
  .meta({ format: 'date-time' });

/** JSON that somebody else decides the members of. */
export const jsonObject = z.looseObject({});

/** How many rows a caller wants, as text of a query: a whole number from 1 to `most`. */
export function limitUpTo(most: number) {
  const wrong = `has to be a number from 1 to ${most}`;
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, wrong)
    .refine((text) => Number(text) <= most, wrong)
    .transform(Number);
}

/** Why a person decided so. It is stored, so blanks alone are no reason. */
export const reasonText = z
  .string()
  .max(1000)
  .refine((text) => text.trim().length > 0, 'has to say why');

export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'has to be an http or https address' })
  .max(2048);

export function secretOf(text: string): Secret {
  return new Secret(Buffer.from(text, 'utf8'));
}

/** How a principal or a seller may be named in a request. */
export const nameOrId = z.string().min(1).max(63);
