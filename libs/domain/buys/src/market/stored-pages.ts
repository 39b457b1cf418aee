import type { SellerReply } from '@switchyard/protocol';
import { isSettled, type LegObservation } from '../observe/observe-leg.js';
import type { Leg } from '../model/operation.js';
import { nextPageOf } from './read-further.js';

/**
 * Stores the first page of an answer that arrived by itself and has more, and makes the leg due at once,
 * because only a call can read the next page. Undefined where the answer is complete, or a poll has already
 * read all pages.
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

/** The stored first page of an answer, as the reply that it came in. */
export function storedPages(leg: Leg): SellerReply | undefined {
  if (leg.status !== 'working' || leg.answer === undefined) return undefined;
  if (nextPageOf(leg, leg.answer) === undefined) return undefined;
  return { status: 'completed', replayed: false, payload: leg.answer, errors: [] };
}
