import {
  isTerminal,
  observe,
  readProgressWords,
  type SellerReply,
  type TaskStatus,
} from '@switchyard/protocol';
import { defined, type JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { pollPaceOf } from './poll-pace.js';
import type { LegObservation } from '../model/leg-state.js';

type LegChange =
  | { readonly kind: 'changed'; readonly leg: Leg; readonly settled: boolean }
  /** Nothing to do: a repeat, or older than the known status. */
  | { readonly kind: 'unchanged'; readonly why: 'duplicate' | 'stale' }
  /** A second, different end. The first one stays, and a person is notified. */
  | { readonly kind: 'conflict' };

/** The finding on a leg whose seller sent `completed` with an answer that cannot be read. */
export const unreadableAnswer = 'UNREADABLE_ANSWER';

/**
 * Applies one observation to a leg: the first authoritative terminal observation wins, from any channel
 * (docs/protocol/task-states.md#states). A leg that is `sent` has no status of its seller yet, so any
 * observation applies.
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
  const { nextPollAt: _left, ...rest } = leg;
  return {
    kind: 'changed',
    settled,
    leg: {
      ...rest,
      status,
      answer: seen.reply.payload,
      errors: seen.reply.errors,
      observedBy: seen.source,
      observedAt: seen.at,
      ...defined({
        sellerTaskId,
        a2aTaskId,
        contextId,
        reportedAt: seen.reportedAt,
        elapsedMs: seen.elapsedMs,
      }),
      ...(settled ? {} : { nextPollAt: seen.at + pollPaceOf(leg, seen.at) }),
    },
  };
}

/** Between two interim states the seller's own time decides; a terminal state always counts. */
function isOlder(leg: Leg, { reply, reportedAt }: LegObservation): boolean {
  if (isTerminal(reply.status) || reportedAt === undefined || leg.reportedAt === undefined) return false;
  return reportedAt < leg.reportedAt;
}

function judge(leg: Leg, { status, payload }: SellerReply): 'applied' | 'stale' | 'duplicate' | 'conflict' {
  const known = knownStatus(leg);
  if (known === undefined) return 'applied';
  // An unreadable answer may be sent again in a readable form.
  if (leg.status === 'parked' && status === 'completed') return 'applied';
  const verdict = observe(known, status);
  // Another question in the same status is an update.
  if (status === 'input-required' && verdict === 'duplicate' && isNewQuestion(leg.answer, payload))
    return 'applied';
  // So is new progress.
  if (verdict === 'duplicate' && isAtWork(status) && isFurther(leg.answer, payload)) return 'applied';
  return verdict === 'duplicate' && namesAnotherBuy(leg.answer, payload) ? 'conflict' : verdict;
}

/** The last status that the seller reported. */
function knownStatus({ status, findings }: Leg): TaskStatus | undefined {
  if (status === 'held' || status === 'pending' || status === 'sent') return undefined;
  if (status !== 'parked') return status;
  return findings.some((finding) => finding.code === unreadableAnswer) ? 'completed' : undefined;
}

/** Two completions of one request with different buys are two ends, although their status is the same. */
function namesAnotherBuy(known: JsonObject | undefined, seen: JsonObject): boolean {
  const [before, now] = [known?.['media_buy_id'], seen['media_buy_id']];
  return typeof before === 'string' && typeof now === 'string' && before !== now;
}

function isAtWork(status: TaskStatus): boolean {
  return status === 'submitted' || status === 'working';
}

/** A report without progress does not remove earlier progress. */
function isFurther(known: JsonObject | undefined, seen: JsonObject): boolean {
  const now = readProgressWords(seen);
  const before = readProgressWords(known ?? {});
  if (now.percentage === undefined && now.text === undefined) return false;
  return now.percentage !== before.percentage || now.text !== before.text;
}

/** Compares the members of a question; times and progress beside it change with each poll. */
function isNewQuestion(known: JsonObject | undefined, seen: JsonObject): boolean {
  const core = (payload: JsonObject | undefined): string =>
    JSON.stringify([payload?.['message'], payload?.['reason'], payload?.['errors']] as const);
  const isSilent = [seen['message'], seen['reason'], seen['errors']].every((part) => part === undefined);
  return !isSilent && core(known) !== core(seen);
}
