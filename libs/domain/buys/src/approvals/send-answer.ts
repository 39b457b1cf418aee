import { defined, isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { throughLogin } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { callSeller } from '../call/call-seller.js';
import { pauseBeforeRetryMs } from '../call/send-with-retries.js';
import { sendTimeoutMs } from '../call/leg-run.js';
import { sendingOf } from '../call/draft-registrations.js';
import { storeObservation } from '../run/store-observation.js';
import type { Leg } from '../model/operation.js';
import type { ApprovalPorts, Approval } from './approval.js';

const leaseMs = 45_000;
const sendsAtMost = 6;

/**
 * Sends a stored answer and stores the outcome. A first send goes out, and so does a repeat to a seller that
 * supports idempotency. Any other repeat could act twice, so the task is polled instead.
 */
export async function sendAnswer(ports: ApprovalPorts, scope: TenantScope, id: string): Promise<void> {
  const now = ports.clock.now();
  const approval = await ports.approvals.take(scope, id, now, now + leaseMs);
  if (approval?.outbound === undefined) return;
  const leg = await ports.store.leg(scope, approval.legId);
  const stored = await ports.connections.byId(scope, approval.connectionId);
  const connection = stored && throughLogin(stored, leg?.login);
  if (leg === undefined || connection === undefined) return;
  const args = argsOf(approval.outbound);
  const isRepeat = approval.attempts > 1;
  const isSafe =
    connection.capabilities?.idempotency.supported === true && args['idempotency_key'] !== undefined;
  if (approval.attempts > sendsAtMost || (isRepeat && !isSafe)) {
    await giveUp(ports, scope, approval, leg);
    return;
  }
  const use = { operationId: approval.operationId, purpose: approval.task };
  const leased = await ports.lease(scope, [connection], use);
  const secrets = leased.ok ? (leased.value.get(connection.id) ?? {}) : {};
  const signal = AbortSignal.timeout(sendTimeoutMs);
  const sending = sendingOf(
    { id: leg.id, task: approval.task, outbound: approval.outbound, findings: leg.findings },
    { connection, signal, ...secrets },
    ports.callbackBase(),
  );
  const isUnnamed = connection.credentialId !== undefined && secrets.credential === undefined;
  if (isUnnamed || sending === undefined) {
    await ports.approvals.postpone(scope, id, now + pauseBeforeRetryMs(approval.attempts));
    return;
  }
  const state = await ports.store.state(scope, approval.operationId);
  const signer = state === undefined ? undefined : ports.signerFor?.(scope, state.operation.principalId, use);
  const reported = await callSeller(
    ports.transport,
    {
      connection,
      ...defined({ credential: secrets.credential, signer }),
    },
    {
      task: approval.task,
      args: sending.args,
      frozen: true,
      ...defined({ a2aTaskId: approval.a2aTaskId, a2aContextId: approval.contextId }),
    },
    signal,
  );
  const at = ports.clock.now();
  if (!reported.ok && !isSafe && reported.error.delivered === 'no') {
    await reopen(ports, scope, approval, at);
    return;
  }
  if (!reported.ok) {
    await ports.approvals.postpone(scope, id, at + pauseBeforeRetryMs(approval.attempts));
    return;
  }
  const { reply, a2aTaskId } = reported.value;
  // A refused answer does not end the task: the question is opened again, with the seller's message.
  if (reply.status === 'failed' || reply.status === 'rejected') {
    const reason = reply.errors[0]?.message ?? 'The seller did not accept the answer.';
    await ports.approvals.settle(scope, id, {
      state: 'refused',
      outcome: reply.errors[0]?.code ?? reply.status,
      at,
      again: { reason, errors: reply.errors },
    });
    await ports.store.releaseLeg(scope, leg, at);
    return;
  }
  await ports.approvals.settle(scope, id, { state: 'answered', outcome: reply.status, at });
  const seen = { source: 'inline' as const, at, reply };
  await storeObservation(ports, scope, leg, a2aTaskId === undefined ? seen : { ...seen, a2aTaskId });
}

/** The answer did not reach the seller, which could not recognize a repeat: a person has to answer again. */
async function reopen(
  ports: ApprovalPorts,
  scope: TenantScope,
  { id, legId, seller, reason, errors }: Approval,
  at: Instant,
): Promise<void> {
  await ports.approvals.settle(scope, id, {
    state: 'refused',
    outcome: 'not_sent',
    at,
    again: { reason, errors },
  });
  const message = 'The seller could not be reached and did not receive the answer: answer again.';
  ports.notice({ code: 'ANSWER_NOT_SENT', seller, legId, message });
}

/** It is unknown whether the seller accepted the answer; polling its task will show it. */
async function giveUp(
  ports: ApprovalPorts,
  scope: TenantScope,
  { id, legId, seller }: Approval,
  leg: Leg,
): Promise<void> {
  const at = ports.clock.now();
  await ports.approvals.settle(scope, id, { state: 'unknown', outcome: 'not_known', at });
  await ports.store.releaseLeg(scope, leg, at);
  const message = 'An answer was sent, but its outcome is unknown: the task is being read.';
  ports.notice({ code: 'ANSWER_UNKNOWN', seller, legId, message });
}

/** Sends claimed answers again after a crash or a failed call. A seller that does not answer delays no other answer. */
export async function sendDueAnswers(ports: ApprovalPorts, scope: TenantScope): Promise<void> {
  const due = await ports.approvals.due(scope, ports.clock.now(), 50);
  const sent = await Promise.allSettled(due.map((id) => sendAnswer(ports, scope, id)));
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
}

function argsOf(outbound: string): JsonObject {
  const value: unknown = JSON.parse(outbound);
  if (!isJsonObject(value)) throw new Error('A stored answer is no object.');
  return value;
}
