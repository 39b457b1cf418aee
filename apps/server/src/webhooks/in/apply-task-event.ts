import { isSettled, storeObservation } from '@switchyard/buys';
import { readWebhookEnvelope, replyOfEnvelope } from '@switchyard/protocol';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { parseStrictJson } from '@switchyard/values';
import { applyNativeEvent } from './apply-native-event.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { markOfUpdate, reportedAt } from './inbox-marks.js';

/**
 * Applies a task webhook to its leg. The registration names the leg, never the payload; they are matched by the
 * operation's id, checked on receipt, or the task's. If only the leg's own answer, not yet received, can match an
 * event, the event stays and is retried.
 */
export async function applyTaskEvent(
  deps: WorkerDeps,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark | undefined> {
  if (event.registrationKind === 'a2a') return applyNativeEvent(deps, scope, event);
  const { id } = event;
  const leg = await deps.ports.store.leg(scope, event.legId);
  const parsed = parseStrictJson(event.body);
  const reading = parsed.ok
    ? readWebhookEnvelope(parsed.value.value, parsed.value.exact, leg?.profile.form)
    : undefined;
  if (leg === undefined || reading?.ok !== true)
    return { id, state: 'quarantined', reason: 'unreadable_envelope' };
  const { envelope } = reading.value;
  // An operation that ended in its first answer sends no webhook: this one is authentic and wrong
  // (docs/protocol/webhooks-in.md#quarantine).
  if (isSettled(leg) && leg.observedBy === 'inline')
    return { id, state: 'quarantined', reason: 'task_ended_inline' };
  if (leg.sellerTaskId !== undefined && envelope.taskId !== leg.sellerTaskId) {
    return { id, state: 'quarantined', reason: 'unknown_task' };
  }
  if (leg.sellerTaskId === undefined && envelope.operationId === undefined) {
    if (leg.status === 'pending' || leg.status === 'sent') return undefined;
    return { id, state: 'quarantined', reason: 'operation_id_missing' };
  }
  const applied = await storeObservation(deps.ports, scope, leg, {
    source: 'webhook',
    at: event.receivedAt,
    ...reportedAt(envelope.timestamp),
    reply: replyOfEnvelope(envelope),
  });
  return markOfUpdate(id, applied);
}
