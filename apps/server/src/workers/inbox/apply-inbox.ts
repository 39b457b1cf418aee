import { raiseAlarm, type InboxMark, type InboxPlace, type WaitingEvent } from '@switchyard/store';
import type { AlarmToRaise, TenantScope } from '@switchyard/tenancy';
import { applyCreativeEvent } from './apply-creative-event.js';
import { applyImpairment } from './apply-impairment.js';
import { applyReports, readReports, type ReadEvent } from './apply-reports.js';
import { applyTaskEvent } from './apply-task-event.js';
import type { EndedBuy } from '../legs/follow-ends.js';
import type { WorkerDeps } from '../worker-deps.js';
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

/** Some of what waits, in its order; its reports are read, and wait for nothing but the ledger. */
interface Batch {
  readonly others: readonly WaitingEvent[];
  readonly reports: readonly ReadEvent[];
  /** Absent: there is nothing behind it. */
  readonly last?: InboxPlace;
}

/**
 * Applies what waits in a tenant's inbox. Every event ends in exactly one state; one whose buy is still being answered
 * stays and is looked at again, and the round goes past it, so that what waits never hides what came later. While the
 * database writes one batch, the next is fetched and read.
 */
export async function applyInbox(deps: WorkerDeps, scope: TenantScope): Promise<InboxRound> {
  await bookCommitments(deps, scope);
  const knowing = rememberingConnections(deps);
  const ended: EndedBuy[] = [];
  let done = 0;
  let next: Promise<Batch> | undefined = fetchBatch(knowing, scope);
  for (let count = 1; next !== undefined; count += 1) {
    const batch: Batch = await next;
    next =
      batch.last === undefined || count === batchesAtMost
        ? undefined
        : fetchBatch(knowing, scope, batch.last);
    // Heard when it is awaited; a batch before it may fail first.
    next?.catch(() => undefined);
    const applied = await applyBatch(knowing, scope, batch);
    done += applied.done;
    ended.push(...applied.ended);
  }
  return { done, ended };
}

/** What was bought stands in the ledger before what was delivered of it. A failure leaves it to the next round. */
async function bookCommitments(deps: WorkerDeps, scope: TenantScope): Promise<void> {
  try {
    for (let count = 0; count < batchesAtMost; count += 1) {
      const booked = await deps.ledger.bookChanges(scope, deps.ports.clock.now(), batchSize);
      if (booked > 0) deps.metrics?.ledgerEntries.inc({ kind: 'commitment' }, booked);
      if (booked < batchSize) return;
    }
  } catch (error) {
    deps.onUnexpected(error, 'booking commitments');
  }
}

async function fetchBatch(deps: WorkerDeps, scope: TenantScope, after?: InboxPlace): Promise<Batch> {
  const events = await deps.inbox.waiting(scope, batchSize, after);
  const last = events.length < batchSize ? undefined : events.at(-1);
  const reports = events.filter((event) => event.kind === 'delivery_report');
  return {
    others: events.filter((event) => event.kind !== 'delivery_report'),
    reports: await readReports(deps, scope, reports),
    ...(last === undefined ? {} : { last: { id: last.id, receivedAt: last.receivedAt } }),
  };
}

async function applyBatch(deps: WorkerDeps, scope: TenantScope, batch: Batch): Promise<InboxRound> {
  let done = 0;
  const looks: EndedBuy[] = [];
  // Task news first: a report may be about a buy that only now becomes known.
  for (const event of batch.others) done += await applyOther(deps, scope, event, looks);
  const applied = await applyReports(deps, scope, batch.reports);
  return { done: done + applied.done, ended: [...looks, ...applied.ended] };
}

/** What waits is mostly of few sellers: each one's connection is read once in a round. */
function rememberingConnections(deps: WorkerDeps): WorkerDeps {
  const known = new Map<string, ReturnType<WorkerDeps['ports']['connections']['byId']>>();
  const { connections } = deps.ports;
  const byId: typeof connections.byId = (scope, id) => {
    const requested = known.get(id) ?? connections.byId(scope, id);
    known.set(id, requested);
    return requested;
  };
  const list: typeof connections.list = (scope) => connections.list(scope);
  return { ...deps, ports: { ...deps.ports, connections: { byId, list } } };
}

async function applyOther(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
  looks: EndedBuy[],
): Promise<number> {
  const mark = (await markOf(deps, scope, event, looks)) ?? overdue(event, deps.ports.clock.now());
  if (mark === undefined) return 0;
  try {
    await deps.store.inTenant(scope, async (client) => {
      const now = deps.ports.clock.now();
      await deps.inbox.mark(client, [mark], now);
      if (mark.reason === 'illegal_transition') await raiseAlarm(client, alarmOf(event), now);
    });
  } catch (error) {
    // Another worker was faster: folding twice does no harm, and one mark is enough.
    if ((await deps.inbox.find(scope, event.id))?.state !== 'received') return 0;
    throw error;
  }
  deps.metrics?.inboxEvents.inc({ outcome: mark.state });
  return 1;
}

/** A state that a seller reported and that cannot follow: it was not applied, and a person is told. */
function alarmOf({ id, kind, connectionId, sender }: WaitingEvent): AlarmToRaise {
  return {
    kind: 'illegal_transition',
    subject: `${kind} ${connectionId}`,
    detail: { event_id: id, connection_id: connectionId, sender },
  };
}

/** An event that breaks its handler waits, and does not stop those behind it. */
async function markOf(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
  looks: EndedBuy[],
): Promise<InboxMark | undefined> {
  const has = ['task_status', 'impairment', 'creative_status'].includes(event.kind);
  if (!has) return knownWithoutEffect(event);
  try {
    if (event.kind === 'creative_status') return await applyCreativeEvent(deps, scope, event);
    if (event.kind === 'task_status') return await applyTaskEvent(deps, scope, event);
    const { mark, endedBuy } = await applyImpairment(deps, scope, event);
    if (endedBuy !== undefined) looks.push(endedBuy);
    return mark;
  } catch (error) {
    deps.onUnexpected(error, `applying event ${event.id}`);
    return undefined;
  }
}

/** Stored and shown, with no effect of its own yet: which is what its reason says. */
function knownWithoutEffect(event: WaitingEvent): InboxMark {
  return { id: event.id, state: 'applied', reason: `known_without_effect:${event.kind}` };
}
