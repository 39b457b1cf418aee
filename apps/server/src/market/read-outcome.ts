import { gatherRead, type Gathered, type OperationState } from '@switchyard/buys';
import {
  getProducts,
  getSignals,
  type SellerRow,
  type TaskSpec,
  type WireProfile,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { KnownNow } from './known-now.js';
import { productsAnswer } from './products-answer.js';
import { signalsAnswer } from './signals-answer.js';

/** The current result of a stored read: all received answers, and the sellers that are still to answer. */
interface ReadOutcome {
  readonly payload: JsonObject;
  readonly sellers: readonly SellerRow[];
  readonly later: readonly string[];
}

/**
 * Builds a stored read's answer again, from each seller's answer.
 *
 * @param known current facts beside it; empty for callers that could not wait for them.
 */
export function readOutcome(state: OperationState, profile: WireProfile, known: KnownNow = {}): ReadOutcome {
  const { wayTo, signals } = known;
  const { request: args } = state.operation;
  if (state.operation.task === getSignals.name) {
    return received(
      state,
      getSignals,
      ({ signals }) => signals.length,
      (request, gathered) => signalsAnswer(request, profile, gathered, signals),
    );
  }
  return received(
    state,
    getProducts,
    ({ products }) => products.length,
    (request, gathered) =>
      productsAnswer(
        { request, args, profile, isPublic: false, ...(wayTo === undefined ? {} : { wayTo }) },
        gathered,
      ),
  );
}

function received<Request, Answer extends { readonly page?: { readonly cursor?: string } }>(
  state: OperationState,
  spec: TaskSpec<Request, Answer>,
  count: (answer: Answer) => number,
  answer: (request: Request, gathered: Gathered<Answer>) => JsonObject,
): ReadOutcome {
  const gathered = gatherRead(state, spec, { count, goesOn: ({ page }) => page?.cursor !== undefined });
  const request = spec.readRequest(state.operation.request, state.operation.profile, new Map());
  if (!request.ok) throw new Error(`A stored question of ${spec.name} cannot be read.`);
  return { payload: answer(request.value, gathered), sellers: gathered.rows, later: gathered.later };
}
