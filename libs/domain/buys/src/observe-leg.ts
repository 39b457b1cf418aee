import { observe, type SellerReply } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { Leg, LegStatus, ObservationSource } from './operation.js';

/** What somebody learnt about a leg: the seller's own word, and how it reached us. */
export interface LegObservation {
  readonly source: ObservationSource;
  readonly reply: SellerReply;
  readonly a2aTaskId?: string;
  readonly at: Instant;
  readonly elapsedMs?: number;
}

export type LegChange =
  | { readonly kind: 'changed'; readonly leg: Leg; readonly settled: boolean }
  /** Nothing to do: the same again, or something older than what is known. */
  | { readonly kind: 'unchanged'; readonly why: 'duplicate' | 'stale' }
  /** A second, different end. The first one stands and a person is told. */
  | { readonly kind: 'conflict' };

const terminal: ReadonlySet<LegStatus> = new Set(['completed', 'failed', 'canceled', 'rejected']);

export function isSettled(leg: Pick<Leg, 'status'>): boolean {
  return terminal.has(leg.status);
}

/** The polling pace while a seller works: two minutes with a webhook registered, as every leg of ours has one. */
export const pollPaceMs = 120_000;

/**
 * Folds one observation into a leg: the first authoritative terminal observation wins, whichever channel brought it
 * (tasks 4). A leg that is `sent` or `parked` has no status of its seller's yet, so anything is news to it.
 */
export function observeLeg(leg: Leg, seen: LegObservation): LegChange {
  const known =
    leg.status === 'pending' || leg.status === 'sent' || leg.status === 'parked' ? undefined : leg.status;
  const verdict = known === undefined ? 'applied' : observe(known, seen.reply.status);
  if (verdict === 'conflict') return { kind: 'conflict' };
  if (verdict !== 'applied') return { kind: 'unchanged', why: verdict };
  if (seen.reply.status === 'unknown') return { kind: 'unchanged', why: 'stale' };

  const settled = terminal.has(seen.reply.status);
  const sellerTaskId = seen.reply.taskId ?? leg.sellerTaskId;
  const a2aTaskId = seen.a2aTaskId ?? leg.a2aTaskId;
  const contextId = seen.reply.contextId ?? leg.contextId;
  const { nextPollAt: _left, ...kept } = leg;
  return {
    kind: 'changed',
    settled,
    leg: {
      ...kept,
      status: seen.reply.status,
      answer: seen.reply.payload,
      errors: seen.reply.errors,
      observedBy: seen.source,
      observedAt: seen.at,
      ...(sellerTaskId === undefined ? {} : { sellerTaskId }),
      ...(a2aTaskId === undefined ? {} : { a2aTaskId }),
      ...(contextId === undefined ? {} : { contextId }),
      ...(seen.elapsedMs === undefined ? {} : { elapsedMs: seen.elapsedMs }),
      ...(settled ? {} : { nextPollAt: seen.at + pollPaceMs }),
    },
  };
}
