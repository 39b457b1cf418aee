import type { Instant } from '@switchyard/values';
import type { Leg } from './operation.js';
import { outboundOf } from './outbound.js';

/** Milliseconds between two questions about a task: with a webhook registered, and without one (tasks 14.3). */
export const pollPaceMs = { withWebhook: 120_000, without: 30_000, endless: 15 * 60_000 } as const;

/** After so long without an outcome a person is told, and the seller is asked less often; it is never given up. */
export const endlessAfterMs = 24 * 3_600_000;

/** How long to wait before a seller is asked again how far a task is. */
export function pollPaceOf(leg: Pick<Leg, 'id' | 'outbound' | 'createdAt'>, at: Instant): number {
  if (at - leg.createdAt >= endlessAfterMs) return pollPaceMs.endless;
  const hasWebhook = outboundOf(leg)['push_notification_config'] !== undefined;
  return hasWebhook ? pollPaceMs.withWebhook : pollPaceMs.without;
}
