import { z } from 'zod';
import { reasonText } from './query-text.js';

/** The request of the route that holds an account back or lets it go. */
export const standingSchema = z.strictObject({
  status: z.enum(['active', 'payment_required', 'suspended']),
  reason: reasonText,
});
