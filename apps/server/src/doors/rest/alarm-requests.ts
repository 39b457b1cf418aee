import { z } from 'zod';

/** The requests of the routes about alarms and refused signatures. */
export const alarmsQuerySchema = z.strictObject({ state: z.enum(['open', 'acknowledged']).optional() });

export const acknowledgeSchema = z.strictObject({
  reason: z
    .string()
    .max(1000)
    .refine((text) => text.trim().length > 0, 'has to say why'),
  accept: z.boolean().default(false),
});

export const refusedQuerySchema = z.strictObject({
  code: z
    .string()
    .regex(/^[a-z0-9_]{1,80}$/, 'has to be a code')
    .optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'has to be a number from 1 to 500')
    .optional(),
});
