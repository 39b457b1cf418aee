import { ownReach } from '@switchyard/tenancy';
import { taskError } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { knownNow } from './known-now.js';
import { ownOperation } from '../platform/tasks/operation/own-operation.js';
import { questionHash } from './question-hash.js';
import { readOutcome } from './read-outcome.js';
import { firstPage } from './answer-pages.js';

type Paged = HandledCall<{ readonly cursor?: string }>;

/** The operation whose answer a request continues: `ext.switchyard.operation_id`. */
export function operationNamed({ ext }: JsonObject): string | undefined {
  const ours = isJsonObject(ext) && isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  const { operation_id: id } = ours;
  return typeof id === 'string' ? id : undefined;
}

/**
 * The current result of an earlier read by the same principal. No seller is queried. The request must be the same,
 * otherwise the answer would be to another one.
 */
export async function readEarlier(
  deps: HandlerDeps,
  handled: Paged,
  id: string,
  list: string,
): Promise<Handled> {
  const { scope, principal, spec, version } = handled;
  const state =
    principal === undefined
      ? undefined
      : await ownOperation(deps, scope, () => ownReach(principal.principalId), id);
  if (state?.operation.task !== spec.name || state.operation.requestHash !== questionHash(handled)) {
    const error = taskError('REFERENCE_NOT_FOUND', 'You have no request with this id and these arguments.', {
      field: 'ext.switchyard.operation_id',
      suggestion: 'Send the same request with the operation_id of its answer.',
    });
    return { kind: 'failed', errors: [error] };
  }
  const known = await knownNow(deps, scope, state);
  const { payload, sellers, later } = readOutcome(state, version.profile, known);
  return firstPage(deps, handled, list, {
    kind: 'done',
    status: 'completed',
    payload,
    sellers,
    operationId: state.operation.id,
    ...(later.length === 0 ? {} : { message: `To come later: ${later.join(', ')}.` }),
  });
}
