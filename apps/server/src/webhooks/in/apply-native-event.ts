import { isSettled, storeObservation, type Leg } from '@switchyard/buys';
import { isTerminal, readA2aEvent, readReply, type A2aEvent } from '@switchyard/protocol';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { markOfUpdate, reportedAt } from './inbox-marks.js';

/**
 * Applies an update of a native A2A channel to its leg.
 *
 * Only a signed body is applied. A post with nothing but the token makes us query the seller over our own authenticated
 * call; so does a `completed` update without its data.
 */
export async function applyNativeEvent(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark | undefined> {
  const { id } = event;
  const leg = await deps.ports.store.leg(scope, event.legId);
  const parsed = parseStrictJson(event.body);
  const update = parsed.ok ? readA2aEvent(parsed.value.value) : undefined;
  if (leg === undefined || update === undefined)
    return { id, state: 'quarantined', reason: 'unreadable_envelope' };
  const whose = isOfLeg(update, leg);
  if (whose === 'unknown') return { id, state: 'quarantined', reason: 'unknown_task' };
  if (whose === 'later') return undefined;
  if (update.status === 'unknown')
    return { id, state: 'stale', reason: `unknown_state:${update.state.slice(0, 64)}` };
  if (isSettled(leg) && leg.observedBy === 'inline') return afterInlineEnd(id, leg, update);
  const isEmptyEnd = update.status === 'completed' && update.data === undefined;
  if (event.registrationMode !== 'signed' || isEmptyEnd) return pollSeller(deps, scope, id, leg);
  const applied = await storeObservation(deps.ports, scope, leg, {
    source: 'webhook',
    at: event.receivedAt,
    ...reportedAt(update.timestamp),
    a2aTaskId: update.a2aTaskId,
    reply: replyOf(update, leg),
  });
  return markOfUpdate(id, applied);
}

/** The signed update, in the form of an answer. */
export function replyOf(update: A2aEvent, leg: Leg): ReturnType<typeof readReply> {
  const isError = update.status === 'failed' || update.status === 'rejected';
  return readReply(leg.task, update.data ?? {}, isError, {
    taskId: update.a2aTaskId,
    state: update.status,
    ...(update.contextId === undefined ? {} : { contextId: update.contextId }),
  });
}

/** A leg that is still being answered does not know its task: updates of it wait and are retried. */
function isOfLeg(update: A2aEvent, leg: Leg): 'its' | 'unknown' | 'later' {
  if (leg.a2aTaskId !== undefined) return leg.a2aTaskId === update.a2aTaskId ? 'its' : 'unknown';
  return leg.status === 'pending' || leg.status === 'sent' ? 'later' : 'unknown';
}

/** A2A agents push every state of a task, also its inline end. The same end changes nothing; another one is wrong. */
function afterInlineEnd(id: string, leg: Leg, { status }: A2aEvent): InboxMark {
  return isTerminal(status) && status !== leg.status
    ? { id, state: 'quarantined', reason: 'terminal_conflict' }
    : { id, state: 'stale', reason: 'task_ended_inline' };
}

async function pollSeller(deps: WorkerDeps, scope: TenantScope, id: string, leg: Leg): Promise<InboxMark> {
  if (isSettled(leg)) return { id, state: 'stale' };
  await deps.ports.store.releaseLeg(scope, leg, deps.ports.clock.now());
  return { id, state: 'applied', reason: 'asked_the_seller' };
}
