import { findTask, type SellerReply } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';
import type { LegObservation } from '../model/leg-state.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';

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

/** Members that continue from page to page. */
const lists = ['products', 'signals', 'proposals', 'incomplete', 'refinement_applied', 'errors'];

/** Joins several pages of one seller's answer into one payload. */
export function joinPages(pages: readonly JsonObject[]): JsonObject {
  const [first = {}, ...others] = pages;
  if (others.length === 0) return first;
  const { pagination: _walked, ...joined } = first;
  const merged: Record<string, JsonValue> = { ...joined };
  for (const name of lists) {
    const parts = pages.map((page) => page[name]).filter((part) => Array.isArray(part));
    if (parts.length > 0) merged[name] = parts.flat();
  }
  return merged;
}

/** The cursor of the next page; undefined on the last page, and on one that cannot be read. */
export function nextPageOf(
  { task, profile }: Pick<Leg, 'task' | 'profile'>,
  page: JsonObject,
): string | undefined {
  const read = findTask(task)?.readAnswer(page, profile);
  if (read?.ok !== true) return undefined;
  const { page: mark } = read.value.answer as { readonly page?: { readonly cursor?: string } };
  return mark?.cursor;
}
