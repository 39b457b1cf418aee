import type { StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { applyReports } from './apply-reports.js';
import { applyTaskEvent } from './apply-task-event.js';
import type { HandsParts } from './hands-parts.js';

/** How many events one round takes: a block of the ledger holds as many reports at most. */
const batchSize = 256;

/**
 * Applies what waits in a tenant's inbox, and answers how many events left it. Every event ends in exactly one
 * state; one whose buy is still being answered stays and is looked at again.
 */
export async function applyInbox(parts: HandsParts, scope: TenantScope): Promise<number> {
  const waiting = await parts.inbox.waiting(scope, batchSize);
  const reports = waiting.filter((event) => event.kind === 'delivery_report');
  const others = waiting.filter((event) => event.kind !== 'delivery_report');
  let done = 0;
  // Task news first: a report may be about a buy that only now becomes known.
  for (const event of others) done += await applyOther(parts, scope, event);
  return done + (await applyReports(parts, scope, reports));
}

async function applyOther(parts: HandsParts, scope: TenantScope, event: StoredEvent): Promise<number> {
  const mark =
    event.kind === 'task_status' ? await applyTaskEvent(parts, scope, event) : knownWithoutEffect(event);
  if (mark === undefined) return 0;
  await parts.store.inTenant(scope, (client) => parts.inbox.mark(client, [mark], parts.ports.clock.now()));
  return 1;
}

/** Stored and shown, with no effect of its own yet: which is what its reason says. */
function knownWithoutEffect(event: StoredEvent): {
  readonly id: string;
  readonly state: 'applied';
  readonly reason: string;
} {
  return { id: event.id, state: 'applied', reason: `known_without_effect:${event.kind}` };
}
