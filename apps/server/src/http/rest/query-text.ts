import { z } from 'zod';

/** How many rows a caller wants, as text of a query: a whole number from 1 to `most`. */
export function limitText(most: number): z.ZodType<string> {
  const wrong = `has to be a number from 1 to ${most}`;
  return z
    .string()
    .regex(/^[1-9]\d{0,5}$/, wrong)
    .refine((text) => Number(text) <= most, wrong);
}

/** Why a person decided so. It is kept, so blanks alone are no reason. */
export const reasonText = z
  .string()
  .max(1000)
  .refine((text) => text.trim().length > 0, 'has to say why');
