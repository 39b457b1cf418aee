import type { AbandonedWork, Organizations } from '@switchyard/store';
import { countUnanswered, type UnansweredDeps } from './count-unanswered.js';
import { systemClock } from '../../platform/clock.js';

/** How to find the work of a dead process, and the tenants to search. */
export interface AbandonedWorkDeps extends UnansweredDeps {
  readonly abandoned: AbandonedWork;
  readonly organizations: Pick<Organizations, 'ids'>;
}

/**
 * Runs before any worker: what the previous process was working on when it was killed need not wait for its lease, and
 * callers whom it did not answer get a webhook.
 */
export async function releaseAbandonedWork(left: AbandonedWorkDeps): Promise<void> {
  const now = systemClock.now();
  for (const organizationId of await left.organizations.ids()) {
    await left.abandoned.releaseClaims({ organizationId }, now);
    await countUnanswered(left, { organizationId }, now, now);
  }
}
