import { z } from 'zod';
import { eventStates, type EventState } from '../../application/events-admin.js';
import { limitText, reasonText } from './query-text.js';

/** The requests of the routes about webhooks. */
export const eventsQuerySchema = z.strictObject({
  state: z.enum(eventStates).optional(),
  seller: z.string().min(1).max(63).optional(),
  limit: limitText(500).optional(),
});

export const rawQuerySchema = z.strictObject({ raw: z.enum(['true', 'false']).optional() });

export const decisionSchema = z.strictObject({
  reason: reasonText,
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
