import type { InboxMark, StoredEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { applyCreativeEvent } from './apply-creative-event.js';
import { applyImpairment } from './apply-impairment.js';
import { applyReports } from './apply-reports.js';
import { applyTaskEvent } from './apply-task-event.js';
import type { EndedBuy } from './follow-ends.js';
import type { HandsParts } from './hands-parts.js';
import { overdue } from './overdue.js';

/** How many events one batch takes: a block of the ledger holds as many reports at most. */
const batchSize = 256;
/** How many batches one round takes, so that one tenant's flood does not keep a worker for good. */
const batchesAtMost = 32;

export interface InboxRound {
  /** How many events left the inbox. */
  readonly done: number;
  /** Buys whose last report came, or that something hurts: how they stand is asked for, as no webhook says it. */
  readonly ended: readonly EndedBuy[];
}

/**
 * Applies what waits in a tenant's inbox. Every event ends in exactly one state; one whose buy is still being answered
 * stays and is looked at again, and the round goes past it, so that what waits never hides what came later.
 */
export async function applyInbox(parts: HandsParts, scope: TenantScope): Promise<InboxRound> {
  const tried = new Set<string>();
  const ended: EndedBuy[] = [];
  let done = 0;
  for (let batch = 0; batch < batchesAtMost; batch += 1) {
    const wanted = tried.size - done + batchSize;
    const waiting = await parts.inbox.waiting(scope, wanted);
    const fresh = waiting.filter((event) => !tried.has(event.id)).slice(0, batchSize);
    for (const event of fresh) tried.add(event.id);
    const applied = await applyBatch(parts, scope, fresh);
    done += applied.done;
    ended.push(...applied.ended);
    if (waiting.length < wanted) break;
  }
  return { done, ended };
}

async function applyBatch(
  parts: HandsParts,
  scope: TenantScope,
  events: readonly StoredEvent[],
): Promise<InboxRound> {
  let done = 0;
  const looks: EndedBuy[] = [];
  // Task news first: a report may be about a buy that only now becomes known.
  for (const event of events)
    if (event.kind !== 'delivery_report') done += await applyOther(parts, scope, event, looks);
  const reports = events.filter((event) => event.kind === 'delivery_report');
  const applied = await applyReports(parts, scope, reports);
  return { done: done + applied.done, ended: [...looks, ...applied.ended] };
}

async function applyOther(
  parts: HandsParts,
  scope: TenantScope,
  event: StoredEvent,
  looks: EndedBuy[],
): Promise<number> {
  const mark = (await markOf(parts, scope, event, looks)) ?? overdue(event, parts.ports.clock.now());
  if (mark === undefined) return 0;
  try {
    await parts.store.inTenant(scope, (client) => parts.inbox.mark(client, [mark], parts.ports.clock.now()));
  } catch (error) {
    // Another worker was faster: folding twice does no harm, and one mark is enough.
    if ((await parts.inbox.find(scope, event.id))?.state !== 'received') return 0;
    throw error;
  }
  parts.metrics?.inboxEvents.inc({ outcome: mark.state });
  return 1;
}

/** An event that breaks its handler waits, and does not stop those behind it. */
async function markOf(
  parts: HandsParts,
  scope: TenantScope,
  event: StoredEvent,
  looks: EndedBuy[],
): Promise<InboxMark | undefined> {
  const has = ['task_status', 'impairment', 'creative_status'].includes(event.kind);
  if (!has) return knownWithoutEffect(event);
  try {
    if (event.kind === 'creative_status') return await applyCreativeEvent(parts, scope, event);
    if (event.kind === 'task_status') return await applyTaskEvent(parts, scope, event);
    const { mark, look } = await applyImpairment(parts, scope, event);
    if (look !== undefined) looks.push(look);
    return mark;
  } catch (error) {
    parts.onUnexpected(error, `applying event ${event.id}`);
    return undefined;
  }
}

/** Stored and shown, with no effect of its own yet: which is what its reason says. */
function knownWithoutEffect(event: StoredEvent): InboxMark {
  return { id: event.id, state: 'applied', reason: `known_without_effect:${event.kind}` };
}
