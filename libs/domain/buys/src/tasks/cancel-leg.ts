import {
  cancelTask,
  taskError,
  taskNameAt,
  type CancelRefusal,
  type SellerReply,
  type TaskError,
} from '@switchyard/protocol';
import { throughLogin, type Connection, type TransportFailure } from '@switchyard/sellers';
import { callSeller, failureAsError, type SellerTaskCall } from '../call/call-seller.js';
import { deriveKey } from '../model/keys.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg, Operation } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import { isMarketRead } from '../apply/market-read.js';
import { pauseBeforeRetryMs } from '../call/send-with-retries.js';
import { storeObservation } from '../run/store-observation.js';
import { ended } from '../spending/decide-approval.js';
import type { TenantScope, Reach } from '@switchyard/tenancy';

export type LegCancel =
  | { readonly kind: 'canceled' }
  /** It failed, or was canceled before: there is nothing to do. */
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly refusal: CancelRefusal };

/** Lease of a leg that was never sent, in milliseconds, while its end is stored. */
const leaseMs = 15_000;

/** Cancels one leg, as far as possible. */
export async function cancelLeg(
  ports: BuysPorts,
  query: CancelRequest,
  state: OperationState,
  leg: Leg,
): Promise<LegCancel> {
  const refused = (code: string, message: string): LegCancel => ({
    kind: 'refused',
    refusal: { seller: leg.seller, code, message, ...madeBuy(state, leg) },
  });
  // A completed read needs no cancellation.
  if (leg.status === 'completed') return isMarketRead(leg.task) ? { kind: 'over' } : done(state, leg);
  if (isSettled(leg)) return { kind: 'over' };
  if (leg.status === 'parked') return refused('CONFLICT', 'Its outcome is unknown; a person must check it.');
  if (leg.status === 'sent')
    return refused('CONFLICT', 'The seller has not answered yet. Try again shortly.');
  if (leg.status === 'held') return cancelWaiting(ports, query, leg, refused);
  if (leg.status === 'pending') return cancelUnsent(ports, query, leg, refused);
  const received = await querySeller(ports, query, state.operation, leg);
  if ('code' in received) return refused(received.code, received.message);
  await storeObservation(ports, query.scope, leg, {
    source: 'inline',
    at: ports.clock.now(),
    reply: canceledReply(query, received.reply),
  });
  const after = (await ports.store.state(query.scope, state.operation.id)) ?? state;
  const now = after.legs.find(({ id }) => id === leg.id);
  // It may have ended another way meanwhile; the first end stays.
  if (now?.status === 'completed') return isMarketRead(now.task) ? { kind: 'over' } : done(after, now);
  return { kind: 'canceled' };
}

/** Too late: the result stays, and the refusal names what to cancel instead. */
function done(state: OperationState, leg: Leg): LegCancel {
  const made = madeBuy(state, leg);
  const message =
    made.mediaBuyId === undefined
      ? 'It is done already.'
      : 'It is a media buy already: cancel that with update_media_buy.';
  return { kind: 'refused', refusal: { seller: leg.seller, code: 'NOT_CANCELLABLE', message, ...made } };
}

/**
 * Ends a leg that its seller has never seen. The lease prevents other processes from sending it. A leg that
 * was sent before, or is being sent, is not ended here, because its outcome must be known first.
 */
async function cancelUnsent(
  ports: BuysPorts,
  query: CancelRequest,
  leg: Leg,
  refused: (code: string, message: string) => LegCancel,
): Promise<LegCancel> {
  const now = ports.clock.now();
  const taken = await ports.store.takeLeg(query.scope, leg.id, now, now + leaseMs);
  if (taken?.attempts !== 1) {
    if (taken !== undefined)
      await ports.store.releaseLeg(query.scope, taken, now + pauseBeforeRetryMs(taken.attempts));
    return refused('CONFLICT', 'It is being sent to the seller. Try again shortly.');
  }
  const reply = canceledReply(query, { status: 'canceled', replayed: false, payload: {}, errors: [] });
  await storeObservation(ports, query.scope, leg, { source: 'inline', at: now, reply });
  return { kind: 'canceled' };
}

/** Ends legs that wait for an internal approval, unless it was approved meanwhile. */
async function cancelWaiting(
  ports: BuysPorts,
  query: CancelRequest,
  leg: Leg,
  refused: (code: string, message: string) => LegCancel,
): Promise<LegCancel> {
  const reply = canceledReply(query, { status: 'canceled', replayed: false, payload: {}, errors: [] });
  const at = ports.clock.now();
  const after = await ports.store.change(query.scope, leg.id, (state) =>
    ended(state, 'canceled', reply.errors, at),
  );
  const now = after?.legs.find(({ id }) => id === leg.id);
  if (now?.status === 'canceled') return { kind: 'canceled' };
  return refused('CONFLICT', 'It was just approved. Try again shortly.');
}

function canceledReply({ reason }: CancelRequest, reported: SellerReply): SellerReply {
  const message = reason === undefined ? 'You canceled it.' : `You canceled it: ${reason}`;
  const errors = [taskError('TASK_CANCELED', message)];
  return { status: 'canceled', replayed: false, payload: reported.payload, errors };
}

/** The seller's answer to the cancellation: it ended the task, or why not. */
async function querySeller(
  ports: BuysPorts,
  query: CancelRequest,
  operation: Operation,
  leg: Leg,
): Promise<{ readonly reply: SellerReply } | TaskError> {
  const stored = await ports.connections.byId(query.scope, leg.connectionId);
  if (stored === undefined) return unavailable(leg, 'is no seller of yours any more');
  const connection = throughLogin(stored, leg.login);
  const use = { operationId: operation.id, purpose: cancelTask.name };
  const leased = await ports.lease(query.scope, [connection], use);
  if (!leased.ok) return unavailable(leg, 'has a credential that cannot be used now');
  const secrets = leased.value.get(connection.id);
  const call = questionOf(query, operation, { leg, connection, secrets });
  if (call === undefined)
    return taskError('NOT_CANCELLABLE', `The seller ${leg.seller} cannot cancel tasks.`);
  const signer = ports.signerFor?.(query.scope, query.principalId, use);
  const stop = new AbortController();
  const cancelTimer = ports.clock.after(query.deadlineMs, () => stop.abort());
  const reported = await callSeller(
    ports.transport,
    { connection, ...secrets, ...(signer === undefined ? {} : { signer }) },
    call,
    stop.signal,
  ).finally(cancelTimer);
  if (!reported.ok) return refusalIn(reported.error, leg) ?? failureAsError(reported.error, leg.seller);
  const { reply } = reported.value;
  const read = cancelTask.readAnswer(reply.payload, leg.profile);
  const status = leg.a2aTaskId === undefined && read.ok ? read.value.answer.task.status : reply.status;
  if (status === 'canceled') return { reply };
  const [why] = reply.errors;
  return why ?? taskError('NOT_CANCELLABLE', `The seller ${leg.seller} answers that the task is ${status}.`);
}

/** The error for a seller that does not know the method or does not cancel this task, which is a refusal. */
function refusalIn({ code, delivered, refusal }: TransportFailure, leg: Leg): TaskError | undefined {
  const isUnknownMethod = code === 'protocol_error' && delivered === 'no';
  if (refusal === undefined && !isUnknownMethod) return undefined;
  const why =
    refusal === 'task_not_found' ? 'does not know this task any more' : 'does not call this task off';
  return taskError('NOT_CANCELLABLE', `The seller ${leg.seller} ${why}.`);
}

/** Over A2A natively. Over MCP by the seller's own tool, if it lists one and the task has an id. */
function questionOf(
  { reason }: CancelRequest,
  operation: Operation,
  {
    leg,
    connection,
    secrets,
  }: { readonly leg: Leg; readonly connection: Connection; readonly secrets: LegSecrets | undefined },
): SellerTaskCall | undefined {
  if (leg.a2aTaskId !== undefined)
    return { task: leg.task, calledTask: cancelTask.name, args: {}, a2aTaskId: leg.a2aTaskId };
  if (leg.sellerTaskId === undefined) return undefined;
  const { tools } = connection;
  const isListed = tools !== undefined && Object.keys(tools).length > 0;
  const tool = taskNameAt(cancelTask, connection.dialect, tools);
  if (isListed && !Object.hasOwn(tools, tool)) return undefined;
  const { principalId } = operation;
  const keySource = { principalId, task: cancelTask.name, buyerKey: '', operationId: operation.id };
  const keySecret = secrets?.keySecret;
  const request = {
    taskId: leg.sellerTaskId,
    ...(reason === undefined ? {} : { reason }),
    ...(keySecret === undefined ? {} : { idempotencyKey: deriveKey(keySecret, keySource) }),
  };
  return { task: cancelTask.name, args: cancelTask.projectRequest(request, leg.profile).args };
}

function unavailable(leg: Leg, why: string): TaskError {
  return taskError('SERVICE_UNAVAILABLE', `The seller ${leg.seller} ${why}.`);
}

/** Our id of the media buy that a leg created: only where its seller has reported one. */
function madeBuy({ buy, sellerBuys }: OperationState, leg: Leg): { readonly mediaBuyId?: string } {
  if (buy === undefined || leg.task !== 'create_media_buy') return {};
  const made = sellerBuys.find((sellerBuy) => sellerBuy.legId === leg.id)?.sellerMediaBuyId;
  const named = leg.answer?.['media_buy_id'];
  return made === undefined && typeof named !== 'string' ? {} : { mediaBuyId: buy.id };
}

export interface CancelRequest {
  readonly scope: TenantScope;
  readonly principalId: string;
  /** Operations that it may cancel; absent: its own. */
  readonly reach?: Reach;
  readonly taskId: string;
  readonly reason?: string;
  /** Deadline for each seller, in milliseconds. */
  readonly deadlineMs: number;
}
