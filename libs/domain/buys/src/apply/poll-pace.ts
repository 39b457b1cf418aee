import { isJsonObject, type Instant } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/**
 * Milliseconds between two polls of a task: with a webhook registered, and without one
 * (docs/protocol/task-states.md#polling).
 */
export const pollPaceMs = { withWebhook: 120_000, without: 30_000, endless: 15 * 60_000 } as const;

/**
 * After this time without an outcome a person is notified (docs/protocol/task-states.md#polling): for these
 * tasks, in milliseconds; for any other after a day. A missing outcome is never taken for a failure.
 */
export const endlessAfterByTaskMs: Readonly<Record<string, number>> = {
  update_media_buy: 12 * 3_600_000,
  sync_creatives: 48 * 3_600_000,
};

/** After this time without an outcome a person is notified, and the seller is polled less often; polling never ends. */
export const endlessAfterMs = 24 * 3_600_000;

/** Finding on a leg whose seller was given a callback address, but whose webhooks are neither trusted nor looked up. */
export const callbackNotBound = 'CALLBACK_NOT_BOUND';

type Paced = Pick<Leg, 'id' | 'outbound' | 'createdAt' | 'sealed'> & Partial<Pick<Leg, 'findings'>>;

/** Time before the next poll of a task, in milliseconds. */
export function pollPaceOf(leg: Paced, at: Instant): number {
  if (at - leg.createdAt >= endlessAfterMs) return pollPaceMs.endless;
  return expectsWebhooks(leg) ? pollPaceMs.withWebhook : pollPaceMs.without;
}

/** Whether webhooks of this leg arrive here. A sealed request may contain the brand's own address instead. */
function expectsWebhooks(leg: Paced): boolean {
  const push = outboundOf(leg)['push_notification_config'];
  if (push === undefined) return false;
  if (leg.sealed !== true) return true;
  const url = isJsonObject(push) ? push['url'] : undefined;
  const isStanding = typeof url === 'string' && /\/webhooks\/whs_[\w-]+$/.test(url);
  return isStanding && leg.findings?.some(({ code }) => code === callbackNotBound) !== true;
}
