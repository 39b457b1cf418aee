import { isJsonObject, type Instant } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/**
 * Milliseconds between two questions about a task: with a webhook registered, and without one
 * (docs/protocol/task-states.md#polling).
 */
export const pollPaceMs = { withWebhook: 120_000, without: 30_000, endless: 15 * 60_000 } as const;

/**
 * After so long without an outcome a person is told (docs/protocol/task-states.md#polling): of these tasks, in
 * milliseconds, and of any other after a day. To give up is to ask a person, and never to assume that something has
 * failed.
 */
export const endlessAfterByTaskMs: Readonly<Record<string, number>> = {
  update_media_buy: 12 * 3_600_000,
  sync_creatives: 48 * 3_600_000,
};

/** After so long without an outcome a person is told, and the seller is asked less often; it is never given up. */
export const endlessAfterMs = 24 * 3_600_000;

/** Finding of a leg whose seller was told to call us, and of which nothing that comes is believed or looked up. */
export const callbackNotBound = 'CALLBACK_NOT_BOUND';

type Paced = Pick<Leg, 'id' | 'outbound' | 'createdAt' | 'sealed'> & Partial<Pick<Leg, 'findings'>>;

/** How long to wait before a seller is asked again how far a task is. */
export function pollPaceOf(leg: Paced, at: Instant): number {
  if (at - leg.createdAt >= endlessAfterMs) return pollPaceMs.endless;
  return bringsNews(leg) ? pollPaceMs.withWebhook : pollPaceMs.without;
}

/** Whether news of the leg come to us by themselves. What a brand has signed may name an address of its own instead. */
function bringsNews(leg: Paced): boolean {
  const push = outboundOf(leg)['push_notification_config'];
  if (push === undefined) return false;
  if (leg.sealed !== true) return true;
  const url = isJsonObject(push) ? push['url'] : undefined;
  const isStanding = typeof url === 'string' && /\/webhooks\/whs_[\w-]+$/.test(url);
  return isStanding && leg.findings?.some(({ code }) => code === callbackNotBound) !== true;
}
