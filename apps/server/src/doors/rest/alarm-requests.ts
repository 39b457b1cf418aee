import { z } from 'zod';
import { limitText, reasonText } from './query-text.js';

/** The requests of the routes about alarms and refused signatures. */
export const alarmsQuerySchema = z.strictObject({ state: z.enum(['open', 'acknowledged']).optional() });

export const acknowledgeSchema = z.strictObject({
  reason: reasonText,
  accept: z.boolean().default(false),
});

export const refusedQuerySchema = z.strictObject({
  code: z
    .string()
    .regex(/^[a-z0-9_]{1,80}$/, 'has to be a code')
    .optional(),
  limit: limitText(500).optional(),
});
