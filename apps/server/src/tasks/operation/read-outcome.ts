import { gatherRead, type Gathered, type OperationState } from '@switchyard/buys';
import {
  getProducts,
  getSignals,
  type SellerRow,
  type TaskSpec,
  type WireProfile,
} from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { KnownNow } from '../market/known-now.js';
import { productsAnswer } from '../market/products-answer.js';
import { signalsAnswer } from '../market/signals-answer.js';

/** What a stored question has come to by now: everything that came, and who is still to answer. */
export interface ReadOutcome {
  readonly payload: JsonObject;
  readonly sellers: readonly SellerRow[];
  readonly later: readonly string[];
}

/**
 * Tells a stored question's answer anew, from what each seller sent.
 *
 * @param known what is known beside it; nothing where nobody could wait for it.
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
