import { z } from 'zod';
import { eventStates, type EventState } from '../../application/events-admin.js';

/** The requests of the routes about webhooks. */
export const eventsQuerySchema = z.strictObject({
  state: z.enum(eventStates).optional(),
  seller: z.string().min(1).max(63).optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'has to be a number from 1 to 500')
    .optional(),
});

export const rawQuerySchema = z.strictObject({ raw: z.enum(['true', 'false']).optional() });

export const decisionSchema = z.strictObject({
  reason: z
    .string()
    .max(1000)
    .refine((text) => text.trim().length > 0, 'has to say why'),
});

export function eventFilter(query: z.infer<typeof eventsQuerySchema>): {
  readonly state?: EventState;
  readonly seller?: string;
  readonly limit?: number;
} {
  const { state, seller, limit } = query;
  return {
    ...(state === undefined ? {} : { state }),
    ...(seller === undefined ? {} : { seller }),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
  };
}
