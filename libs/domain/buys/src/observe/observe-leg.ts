import {
  isTerminal,
  observe,
  readProgressWords,
  type SellerReply,
  type TaskStatus,
} from '@switchyard/protocol';
import type { Instant, JsonObject } from '@switchyard/values';
import type { Leg, LegStatus, ObservationSource } from '../model/operation.js';
import { pollPaceOf } from './poll-pace.js';

/** What somebody learnt about a leg: the seller's own word, and how it reached us. */
export interface LegObservation {
  readonly source: ObservationSource;
  readonly reply: SellerReply;
  readonly a2aTaskId?: string;
  readonly at: Instant;
  /** When the seller says that it was so, where it says it: of two interim states the later one counts. */
  readonly notifiedAt?: Instant;
  readonly elapsedMs?: number;
}

export type LegChange =
  | { readonly kind: 'changed'; readonly leg: Leg; readonly settled: boolean }
  /** Nothing to do: the same again, or something older than what is known. */
  | { readonly kind: 'unchanged'; readonly why: 'duplicate' | 'stale' }
  /** A second, different end. The first one stands and a person is told. */
  | { readonly kind: 'conflict' };

const terminal: ReadonlySet<LegStatus> = new Set(['completed', 'failed', 'canceled', 'rejected']);

/** The finding on a leg whose seller said `completed` in words that we cannot read. */
export const unreadableAnswer = 'UNREADABLE_ANSWER';

export function isSettled(leg: Pick<Leg, 'status'>): boolean {
  return terminal.has(leg.status);
}

/**
 * Folds one observation into a leg: the first authoritative terminal observation wins, whichever channel brought it
 * (docs/protocol/task-states.md#states). A leg that is `sent` has no status of its seller's yet, so anything is news to
 * it.
 */
export function observeLeg(leg: Leg, seen: LegObservation): LegChange {
  const { status } = seen.reply;
  const verdict = isOlder(leg, seen) ? 'stale' : judge(leg, seen.reply);
  if (verdict === 'conflict') return { kind: 'conflict' };
  if (verdict !== 'applied') return { kind: 'unchanged', why: verdict };
  if (status === 'unknown') return { kind: 'unchanged', why: 'stale' };

  const settled = isTerminal(status);
  const sellerTaskId = seen.reply.taskId ?? leg.sellerTaskId;
  const a2aTaskId = seen.a2aTaskId ?? leg.a2aTaskId;
  const contextId = seen.reply.contextId ?? leg.contextId;
  const { nextPollAt: _left, ...kept } = leg;
  return {
    kind: 'changed',
    settled,
    leg: {
      ...kept,
      status,
      answer: seen.reply.payload,
      errors: seen.reply.errors,
      observedBy: seen.source,
      observedAt: seen.at,
      ...(sellerTaskId === undefined ? {} : { sellerTaskId }),
      ...(a2aTaskId === undefined ? {} : { a2aTaskId }),
      ...(contextId === undefined ? {} : { contextId }),
      ...(seen.notifiedAt === undefined ? {} : { notifiedAt: seen.notifiedAt }),
      ...(seen.elapsedMs === undefined ? {} : { elapsedMs: seen.elapsedMs }),
      ...(settled ? {} : { nextPollAt: seen.at + pollPaceOf(leg, seen.at) }),
    },
  };
}

/** Between two states that are no ends the seller's own clock decides; an end is an end, whatever its time. */
function isOlder(leg: Leg, { reply, notifiedAt }: LegObservation): boolean {
  if (isTerminal(reply.status) || notifiedAt === undefined || leg.notifiedAt === undefined) return false;
  return notifiedAt < leg.notifiedAt;
}

function judge(leg: Leg, { status, payload }: SellerReply): 'applied' | 'stale' | 'duplicate' | 'conflict' {
  const known = knownStatus(leg);
  if (known === undefined) return 'applied';
  // What could not be read may come again in words that can.
  if (leg.status === 'parked' && status === 'completed') return 'applied';
  const verdict = observe(known, status);
  // A seller that asks for something else has said something new, in the same word.
  if (status === 'input-required' && verdict === 'duplicate' && asksAnew(leg.answer, payload))
    return 'applied';
  // So has one that has come further in its work.
  if (verdict === 'duplicate' && isAtWork(status) && isFurther(leg.answer, payload)) return 'applied';
  return verdict === 'duplicate' && namesAnotherBuy(leg.answer, payload) ? 'conflict' : verdict;
}

/** The seller's own last word, as far as it has said one. */
function knownStatus({ status, findings }: Leg): TaskStatus | undefined {
  if (status === 'held' || status === 'pending' || status === 'sent') return undefined;
  if (status !== 'parked') return status;
  return findings.some((finding) => finding.code === unreadableAnswer) ? 'completed' : undefined;
}

/** Two completions of one request that name two buys are two ends, however alike their status. */
function namesAnotherBuy(known: JsonObject | undefined, seen: JsonObject): boolean {
  const [before, now] = [known?.['media_buy_id'], seen['media_buy_id']];
  return typeof before === 'string' && typeof now === 'string' && before !== now;
}

function isAtWork(status: TaskStatus): boolean {
  return status === 'submitted' || status === 'working';
}

/** A seller that says nothing of its progress takes back nothing that it said before. */
function isFurther(known: JsonObject | undefined, seen: JsonObject): boolean {
  const now = readProgressWords(seen);
  const before = readProgressWords(known ?? {});
  if (now.percentage === undefined && now.text === undefined) return false;
  return now.percentage !== before.percentage || now.text !== before.text;
}

/** What a question is made of; times and progress beside it change from one look to the next. */
function asksAnew(known: JsonObject | undefined, seen: JsonObject): boolean {
  const core = (payload: JsonObject | undefined): string =>
    JSON.stringify([payload?.['message'], payload?.['reason'], payload?.['errors']] as const);
  const isSilent = [seen['message'], seen['reason'], seen['errors']].every((part) => part === undefined);
  return !isSilent && core(known) !== core(seen);
}
