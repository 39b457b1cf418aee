import { gatherRead, type OperationState } from '@switchyard/buys';
import { getProducts, getSignals, type SellerRow, type Voice } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { productsAnswer } from './products-answer.js';
import { signalsAnswer } from './signals-answer.js';

/** What a stored question has come to by now: everything that came, and who is still to answer. */
export interface ReadOutcome {
  readonly payload: JsonObject;
  readonly sellers: readonly SellerRow[];
  readonly later: readonly string[];
}

/** Tells a stored question's answer anew, from what each seller sent. */
export function readOutcome(state: OperationState, voice: Voice): ReadOutcome {
  const { request: args, task } = state.operation;
  if (task === getSignals.name) {
    const gathered = gatherRead(state, getSignals, {
      count: ({ signals }) => signals.length,
      goesOn: ({ page }) => page?.cursor !== undefined,
    });
    const request = getSignals.readRequest(args, state.operation.voice, new Map());
    if (!request.ok) throw new Error('A stored question for signals cannot be read.');
    return {
      payload: signalsAnswer(request.value, voice, gathered),
      sellers: gathered.rows,
      later: gathered.later,
    };
  }
  const gathered = gatherRead(state, getProducts, {
    count: ({ products }) => products.length,
    goesOn: ({ page }) => page?.cursor !== undefined,
  });
  const request = getProducts.readRequest(args, state.operation.voice, new Map());
  if (!request.ok) throw new Error('A stored question for products cannot be read.');
  const question = { request: request.value, args, voice, isPublic: false };
  return {
    payload: productsAnswer(question, gathered),
    sellers: gathered.rows,
    later: gathered.later,
  };
}
