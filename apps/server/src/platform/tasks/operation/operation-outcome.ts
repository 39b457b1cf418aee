import {
  activationAnswer,
  translateError,
  isSettled,
  syncAnswer,
  viewBuy,
  viewUpdate,
  waitingLegs,
  waitsForApproval,
  type OperationState,
  type Mutated,
} from '@switchyard/buys';
import {
  activateSignal,
  createMediaBuy,
  readProgressWords,
  syncCreatives,
  taskError,
  updateMediaBuy,
  type TaskError,
  type WireProfile,
  type Finding,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { legRows } from '../answer/leg-rows.js';
import type { Handled, HandledCall, HandlerDeps } from '../call/handler.js';
import { withOurs, withFindings, withSellerErrors } from '../answer/extend-answer.js';
import { writeAnswer } from '../answer/write-answer.js';
import { awaitDuplicate } from './await-duplicate.js';
import { storedAnswer, readStoredAnswer } from '../answer/stored-answer.js';

/** The current result of an operation that changes something, in its buyer's own version. */
export function mutationOutcome(state: OperationState, profile: WireProfile): Handled {
  const { operation } = state;
  const common = {
    sellers: legRows(state),
    operationId: operation.id,
    storedTaskId: operation.taskId,
  };
  if (operation.status === 'failed' || operation.status === 'rejected' || operation.status === 'canceled') {
    const beside = withFindings({}, state, profile);
    return { kind: 'failed', status: operation.status, errors: errorsOf(state), beside, ...common };
  }
  if (operation.status === 'completed') {
    const payload = withSellerErrors(withFindings(payloadOf(state, profile), state, profile), state, profile);
    return { kind: 'done', status: 'completed', payload, ...common };
  }
  const open = state.legs.filter((leg) => !isSettled(leg) && leg.status !== 'held');
  const reported = open.flatMap(({ seller, answer }) => {
    const { text } = readProgressWords(answer ?? {});
    return text === undefined ? [] : [` ${seller}: ${text}`];
  });
  const [held] = waitingLegs(state);
  const why = held?.findings.find(({ code }) => code === waitsForApproval)?.message ?? '';
  const waiting =
    held === undefined
      ? `Waiting for ${open.map(({ seller }) => seller).join(', ')}.`
      : `Waiting for an internal approval. ${why}`;
  return {
    kind: 'done',
    status: operation.status,
    payload: earlyPayload(state, profile),
    taskId: operation.taskId,
    message: [waiting, ...reported].join('').slice(0, 2_000),
    ...common,
  };
}

/**
 * The members of an answer whose task is still open. A signal always has its state in each place. Only the `service`
 * form names a buy before it is made (3.x forbids its id beside `submitted`), and has `pending` for creatives that a
 * person must review.
 */
function earlyPayload(state: OperationState, profile: WireProfile): JsonObject {
  const { operation, buy } = state;
  if (operation.task === activateSignal.name)
    return writeAnswer(activateSignal, activationAnswer(state), profile);
  if (profile.form !== 'service') return {};
  if (operation.task === syncCreatives.name && operation.status !== 'input-required')
    return { status: 'pending' };
  return buy === undefined ? {} : { media_buy_id: buy.id };
}

function payloadOf(state: OperationState, profile: WireProfile): JsonObject {
  if (state.buy !== undefined)
    return state.operation.task === updateMediaBuy.name
      ? writeAnswer(updateMediaBuy, viewUpdate({ ...state, buy: state.buy }), profile)
      : withProposal(
          writeAnswer(createMediaBuy, viewBuy({ ...state, buy: state.buy }), profile),
          state,
          profile,
        );
  if (state.operation.task === syncCreatives.name)
    return writeAnswer(syncCreatives, syncAnswer(state), profile);
  if (state.operation.task !== activateSignal.name) return {};
  return writeAnswer(activateSignal, activationAnswer(state), profile);
}

/** The bought proposal: no release has a member for it in the answer, so it is among our own. */
function withProposal(payload: JsonObject, { operation }: OperationState, profile: WireProfile): JsonObject {
  const { proposal_id: id } = operation.request;
  return withOurs(payload, { proposal_id: typeof id === 'string' ? id : undefined }, profile);
}

/** Errors of all legs, each with the name of its seller. */
export function errorsOf(state: OperationState): readonly TaskError[] {
  const errors = state.legs.flatMap((leg) => leg.errors.map((error) => translateError(state, leg, error)));
  return errors.length > 0
    ? errors
    : [taskError('SERVICE_UNAVAILABLE', 'No seller could do this, and none gave a reason.')];
}

/**
 * The answer to a mutation: the first answer if this is a replay, else the operation's current result, which is stored
 * for replays. Errors are not stored, so that a corrected request may use its key again.
 */
export async function settleAnswer(
  deps: HandlerDeps,
  { scope, version }: Pick<HandledCall<unknown>, 'scope' | 'version'>,
  { state, replayed, findings = [] }: Mutated & { readonly findings?: readonly Finding[] },
): Promise<Handled> {
  const counterpart = replayed ? await awaitDuplicate(deps, scope, state, isAnswered) : { state };
  if (counterpart.busy !== undefined) return { kind: 'failed', errors: [counterpart.busy] };
  const known = counterpart.state;
  const before = replayed ? readStoredAnswer(known.operation.answer) : undefined;
  const { id: operationId, taskId: storedTaskId } = known.operation;
  if (before !== undefined) return { ...before, operationId, storedTaskId, replayed: true };
  const outcome = withoutLegs(mutationOutcome(known, version.profile), known, findings, version.profile);
  if (outcome.kind === 'failed') return outcome;
  await deps.ports.store.saveAnswer(scope, operationId, storedAnswer(outcome), deps.ports.clock.now());
  return replayed ? { ...outcome, replayed: true } : outcome;
}

/** Findings are stored with the first leg of an operation; without legs they are added here. */
function withoutLegs(
  outcome: Handled,
  { legs }: OperationState,
  findings: readonly Finding[],
  profile: WireProfile,
): Handled {
  if (outcome.kind !== 'done' || legs.length > 0) return outcome;
  const received = findings.map((finding): JsonObject => ({ ...finding }));
  return { ...outcome, payload: withOurs(outcome.payload, { findings: received }, profile) };
}

function isAnswered({ operation: { answer, status } }: OperationState): boolean {
  return answer !== undefined || status === 'failed' || status === 'rejected' || status === 'canceled';
}
