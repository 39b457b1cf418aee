import type { InboxMark, InboxPlace, WaitingEvent } from '@switchyard/store';
import { noTracing } from '@switchyard/telemetry';
import type { AlarmToRaise, TenantScope } from '@switchyard/tenancy';
import { applyArtifacts } from './apply-artifacts.js';
import { applyCreativeEvent } from './apply-creative-event.js';
import { applyImpairment } from './apply-impairment.js';
import { applyReports, readReports, type ReadEvent } from './apply-reports.js';
import { applyListEvent } from './apply-list-event.js';
import { applyRightsEvent } from './apply-rights-event.js';
import { applyTaskEvent } from './apply-task-event.js';
import type { EndedBuy } from '../../buys/index.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { markIfOverdue, type InboxRound } from './inbox-marks.js';

/** Events of one batch: a block of the ledger holds at most as many reports. */
const batchSize = 256;
/** Batches of one round, so that many events of one tenant do not occupy a worker for ever. */
const batchesAtMost = 32;

/** A part of the waiting events, in order; its reports are read and ready for the ledger. */
interface Batch {
  readonly others: readonly WaitingEvent[];
  readonly reports: readonly ReadEvent[];
  /** Absent if this is the last batch. */
  readonly last?: InboxPlace;
}

/**
 * Applies the events in a tenant's inbox. Every event ends in exactly one state; one whose buy is still being answered
 * stays and is retried, and the round continues behind it, so that waiting events never hide later ones. While the
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
    // Its rejection is handled when it is awaited; the batch before it may fail first.
    next?.catch(() => undefined);
    const applied = await applyBatch(knowing, scope, batch);
    done += applied.done;
    ended.push(...applied.ended);
  }
  return { done, ended };
}

/** Commitments are in the ledger before their delivery. After a failure the next round books them. */
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
  const endedBuys: EndedBuy[] = [];
  // Task updates first: a report may be about a buy that they make known.
  for (const event of batch.others)
    done += await traced(deps, [event], () => applyOther(deps, scope, event, endedBuys));
  const reports = batch.reports.map(({ event }) => event);
  const applied = await traced(deps, reports, () => applyReports(deps, scope, batch.reports));
  return { done: done + applied.done, ended: [...endedBuys, ...applied.ended] };
}

/** A step that links to the traces in which its events were accepted, often by another process. */
function traced<T>(
  { tracing = noTracing }: WorkerDeps,
  events: readonly WaitingEvent[],
  apply: () => Promise<T>,
): Promise<T> {
  const [event] = events;
  if (event === undefined || !tracing.isOn) return apply();
  const attributes = {
    'switchyard.organization': event.organizationId,
    'switchyard.connection': event.connectionId,
  };
  const causedBy = events.map(({ traceParent }) => traceParent);
  return tracing.run('inbox apply', { attributes, causedBy }, apply);
}

/** Waiting events are mostly of few sellers: each connection is read once per round. */
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
  endedBuys: EndedBuy[],
): Promise<number> {
  const mark = (await markOf(deps, scope, event, endedBuys)) ?? markIfOverdue(event, deps.ports.clock.now());
  if (mark === undefined) return 0;
  try {
    const alarm = mark.reason === 'illegal_transition' ? alarmOf(event) : undefined;
    await deps.inbox.markAlone(scope, mark, deps.ports.clock.now(), alarm);
  } catch (error) {
    // Another worker was faster: applying twice is harmless, and one mark is enough.
    if ((await deps.inbox.find(scope, event.id))?.state !== 'received') return 0;
    throw error;
  }
  deps.metrics?.inboxEvents.inc({ outcome: mark.state });
  return 1;
}

/** A seller reported a state that cannot follow the current one: it was not applied, and an alarm is raised. */
function alarmOf({ id, kind, connectionId, sender }: WaitingEvent): AlarmToRaise {
  return {
    kind: 'illegal_transition',
    subject: `${kind} ${connectionId}`,
    detail: { event_id: id, connection_id: connectionId, sender },
  };
}

/** An event whose handler fails waits, and does not stop those behind it. */
async function markOf(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
  endedBuys: EndedBuy[],
): Promise<InboxMark | undefined> {
  const { governance } = deps;
  const reread = rereads.get(event.kind);
  if (reread !== undefined) return readAgain(deps, scope, event, reread);
  const has = ['task_status', 'impairment', 'creative_status'].includes(event.kind);
  const isRevocation = event.kind === 'rights_revoked' && governance !== undefined;
  const list = listKinds.find((kind) => kind === event.kind);
  const isList = list !== undefined && governance !== undefined;
  // A body whose address alone proves its sender is never applied.
  const isContent =
    event.kind === 'artifacts' && event.registrationMode !== 'token' && governance !== undefined;
  if (!has && !isRevocation && !isList && !isContent) return knownWithoutEffect(event);
  try {
    if (isContent) return await applyArtifacts({ ...deps, governance }, scope, event);
    if (isList) return await applyListEvent({ ...deps, governance }, scope, event, list);
    if (isRevocation) return await applyRightsEvent({ ...deps, governance }, scope, event);
    if (event.kind === 'creative_status') return await applyCreativeEvent(deps, scope, event);
    if (event.kind === 'task_status') return await applyTaskEvent(deps, scope, event);
    const { mark, endedBuy } = await applyImpairment(deps, scope, event);
    if (endedBuy !== undefined) endedBuys.push(endedBuy);
    return mark;
  } catch (error) {
    deps.onUnexpected(error, `applying event ${event.id}`);
    return undefined;
  }
}

/** Events that only say that something else is to be read again. */
const rereads: ReadonlyMap<WaitingEvent['kind'], 'look' | 'capabilities'> = new Map([
  ['account_status', 'look'],
  ['capabilities_changed', 'capabilities'],
]);

async function readAgain(
  { connections, ports, onUnexpected }: WorkerDeps,
  scope: TenantScope,
  { id, connectionId }: WaitingEvent,
  what: 'look' | 'capabilities',
): Promise<InboxMark | undefined> {
  try {
    await connections.readSoon(scope, connectionId, what, ports.clock.now());
    return { id, state: 'applied' };
  } catch (error) {
    onUnexpected(error, `applying event ${id}`);
    return undefined;
  }
}

const listKinds = ['property_list_changed', 'collection_list_changed'] as const;

/** Stored and shown, without an effect: the reason says so. */
function knownWithoutEffect(event: WaitingEvent): InboxMark {
  return { id: event.id, state: 'applied', reason: `known_without_effect:${event.kind}` };
}
