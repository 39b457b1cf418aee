import {
  isTerminal,
  taskError,
  type CancelRefusal,
  type SellerRow,
  type TaskError,
} from '@switchyard/protocol';
import { ownReach } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts } from '../model/ports.js';
import { cancelLeg, type CancelRequest, type LegCancel } from './cancel-leg.js';

interface OperationCanceled {
  readonly state: OperationState;
  readonly refusals: readonly CancelRefusal[];
  readonly rows: readonly SellerRow[];
}

/**
 * Cancels the unfinished legs of an operation, each on its own (docs/protocol/task-states.md#cancellation).
 *
 * A leg that was never sent ends here. A leg at a seller is canceled there. A leg that has created something
 * stays: a canceled task undoes nothing, and the refusal names what to cancel instead. Under all or nothing
 * the parts that were made are canceled, because a canceled part counts as one that failed.
 */
export async function cancelOperation(
  ports: BuysPorts,
  query: CancelRequest,
): Promise<Result<OperationCanceled, readonly TaskError[]>> {
  const { scope, principalId, reach = ownReach(principalId), taskId } = query;
  const state = await ports.store.byTaskId(scope, reach, taskId);
  if (state === undefined) return err([noSuchTask]);
  const { operation } = state;
  if (operation.status === 'canceled') return ok({ state, refusals: [], rows: [] });
  if (isTerminal(operation.status)) return err([over(state)]);
  // Held cancellations are not part of the request.
  const legs = state.legs.filter((leg) => leg.task === operation.task);
  const outcomes = await Promise.all(
    legs.map(async (leg) => ({ leg, outcome: await cancelLeg(ports, query, state, leg) })),
  );
  const after = (await ports.store.state(query.scope, operation.id)) ?? state;
  const refusals = outcomes.flatMap(({ outcome }) => (outcome.kind === 'refused' ? [outcome.refusal] : []));
  const isAnyCanceled = outcomes.some(({ outcome }) => outcome.kind === 'canceled');
  if (!isAnyCanceled && refusals.length > 0) return err(refusals.map(asError));
  return ok({ state: after, refusals, rows: outcomes.map(({ leg, outcome }) => rowOf(leg, outcome)) });
}

const noSuchTask = taskError('REFERENCE_NOT_FOUND', 'No task of yours has this id.', {
  field: 'task_id',
  suggestion: 'Use the task_id that the answer to your request named.',
});

function over({ operation, buy }: OperationState): TaskError {
  const isBuy =
    operation.task === 'create_media_buy' && operation.status === 'completed' && buy !== undefined;
  return taskError('NOT_CANCELLABLE', `The task is over: it is ${operation.status}.`, {
    field: 'task_id',
    ...(isBuy ? { suggestion: 'Cancel the media buy with update_media_buy.' } : {}),
    details: { status: operation.status, ...(isBuy ? { media_buy_id: buy.id } : {}) },
  });
}

function asError({ seller, code, message, mediaBuyId }: CancelRefusal): TaskError {
  return taskError(code, message, {
    field: 'task_id',
    details: { seller, ...(mediaBuyId === undefined ? {} : { media_buy_id: mediaBuyId }) },
  });
}

function rowOf({ seller }: Leg, outcome: LegCancel): SellerRow {
  const row = { seller, elapsed_ms: 0, items: 0 };
  switch (outcome.kind) {
    case 'canceled':
      return { ...row, status: 'answered', reason: 'Canceled.' };
    case 'over':
      return { ...row, status: 'skipped', reason: 'Its part had already ended.' };
    case 'refused':
      return { ...row, status: 'refused', reason: outcome.refusal.message, code: outcome.refusal.code };
  }
}
