import type { AbandonedWork, Organizations } from '@switchyard/store';
import { countUnanswered, type UnansweredDeps } from '../workers/legs/count-unanswered.js';
import { systemClock } from './clock.js';

/** Where the work of a dead process is found, and the tenants to look in. */
export interface LeftBehind extends UnansweredDeps {
  readonly abandoned: AbandonedWork;
  readonly organizations: Pick<Organizations, 'ids'>;
}

/**
 * Before anybody works: what the process before us was at when it was killed need not wait for its lease, and whoever
 * it did not answer any more is told by webhook.
 */
export async function giveBackWork(left: LeftBehind): Promise<void> {
  const now = systemClock.now();
  for (const organizationId of await left.organizations.ids()) {
    await left.abandoned.giveBack({ organizationId }, now);
    await countUnanswered(left, { organizationId }, now, now);
  }
}
