import type { SellerReply } from '@switchyard/protocol';
import { isSettled, type LegObservation } from '../observe/observe-leg.js';
import type { Leg } from '../model/operation.js';
import { nextPageOf } from './read-further.js';

/**
 * A question whose seller has told us the first page of its answer, and has more: the page is kept, and the leg is due at
 * once, because only a call of ours can turn pages. Nothing where the answer is whole, or where its pages were read to
 * the end already by the poll that brought it.
 */
export function withStoredPage(leg: Leg, { source, reply, at }: LegObservation): Leg | undefined {
  if (source === 'poll' || reply.status !== 'completed' || isSettled(leg)) return undefined;
  if (nextPageOf(leg, reply.payload) === undefined) return undefined;
  return {
    ...leg,
    status: 'working',
    answer: reply.payload,
    observedBy: source,
    observedAt: at,
    nextPollAt: at,
  };
}

/** What was kept of an answer that has more pages, as the answer that it began. */
export function storedPages(leg: Leg): SellerReply | undefined {
  if (leg.status !== 'working' || leg.answer === undefined) return undefined;
  if (nextPageOf(leg, leg.answer) === undefined) return undefined;
  return { status: 'completed', replayed: false, payload: leg.answer, errors: [] };
}
