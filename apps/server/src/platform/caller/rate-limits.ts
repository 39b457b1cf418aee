import type { Clock, Instant } from '@switchyard/values';
import { taskError, type TaskError } from '@switchyard/protocol';
import type { Caller } from '../tasks/call/task-call.js';

interface Bucket {
  /** The requests allowed at `at`. */
  left: number;
  at: Instant;
}

/** The most callers remembered; a forgotten one starts with a full budget. */
const mostBuckets = 50_000;

/** One budget that a request consumes. */
interface Budget {
  readonly name: string;
  readonly rate: Rate;
}

/**
 * Token buckets, one per caller and kind: a bucket fills steadily up to its burst, and each request takes one token. A
 * principal's requests also consume a common budget; if either budget refuses, nothing is taken from the other
 * (docs/protocol/idempotency.md#limits-of-changes). They live in this process: `shareRateLimits` tells several processes
 * behind a balancer what each of them has taken.
 */
export function createRateLimits(
  settings: RateSettings,
  clock: Clock,
  /** Called with each budget that a request has taken something from, or to which it was returned. */
  onTaken?: (budget: string, amount: number) => void,
): LocalRateLimits {
  const buckets = new Map<string, Bucket>();
  const bucketOf = ({ name, rate }: Budget, now: Instant): Bucket => {
    const known = buckets.get(name);
    const bucket: Bucket = {
      left: known === undefined ? rate.burst : refilled(known, rate, now),
      at: known === undefined ? now : Math.max(now, known.at),
    };
    // The bucket used last moves to the end, so the first one is always the longest unused.
    buckets.delete(name);
    buckets.set(name, bucket);
    if (buckets.size > mostBuckets) forgetFirst(buckets);
    return bucket;
  };
  return {
    take: (who, kind) => {
      const now = clock.now();
      const requested = budgetsOf(settings, who, kind).map((budget) => ({
        budget,
        bucket: bucketOf(budget, now),
      }));
      const empty = requested.find(({ bucket }) => bucket.left < 1);
      if (empty !== undefined) return refusalOf(empty.bucket, empty.budget.rate);
      for (const { bucket, budget } of requested) {
        bucket.left -= 1;
        onTaken?.(budget.name, 1);
      }
      return undefined;
    },
    giveBack: (who, kind) => {
      for (const budget of budgetsOf(settings, who, kind)) {
        const bucket = bucketOf(budget, clock.now());
        bucket.left = Math.min(budget.rate.burst, bucket.left + 1);
        onTaken?.(budget.name, -1);
      }
    },
    debit: (name, amount) => {
      const [kind = '', who = ''] = name.split(/ (.*)/s, 2);
      const rate = kind === 'combined' ? settings.combined : rateOf(settings, who, kind as RateKind);
      const bucket = bucketOf({ name, rate }, clock.now());
      bucket.left = Math.min(rate.burst, Math.max(-rate.burst, bucket.left - amount));
    },
  };
}

/** Limits whose budgets can also be reduced by what other processes have granted. */
interface LocalRateLimits extends RateLimits {
  /** `budget`: a name that `onTaken` of another process was called with. A budget may owe as much as its burst. */
  readonly debit: (budget: string, amount: number) => void;
}

function budgetsOf(settings: RateSettings, who: string, kind: RateKind): readonly Budget[] {
  const own = { name: `${kind} ${who}`, rate: rateOf(settings, who, kind) };
  if (kind === 'failure' || who.startsWith('address:')) return [own];
  return [own, { name: `combined ${who}`, rate: settings.combined }];
}

function rateOf(settings: RateSettings, who: string, kind: RateKind): Rate {
  if (kind === 'failure') return settings.failures;
  if (who.startsWith('address:')) return settings.public;
  return kind === 'write' ? settings.writes : settings.reads;
}

/** A clock that was set back removes no tokens. */
function refilled(bucket: Bucket, { perSecond, burst }: Rate, now: Instant): number {
  const rested = Math.max(0, now - bucket.at) / 1000;
  return Math.min(burst, bucket.left + rested * perSecond);
}

function refusalOf({ left }: Bucket, { perSecond, burst }: Rate): RateRefusal {
  const retryAfter = Math.min(3600, Math.max(1, Math.ceil((1 - left) / perSecond)));
  return { retryAfter, limit: burst, windowSeconds: Math.max(1, Math.ceil(burst / perSecond)) };
}

function forgetFirst(buckets: Map<string, Bucket>): void {
  const first = buckets.keys().next();
  if (first.done === false) buckets.delete(first.value);
}

/** The fill rate and the capacity of a budget. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface RateSettings {
  /** Per principal, over all its accounts. */
  readonly reads: Rate;
  readonly writes: Rate;
  /** Per principal, reads and writes together. */
  readonly combined: Rate;
  /** Changes accepted from one account of one principal: counted in the database, over all processes. */
  readonly inserts: Rate;
  /** Per address, for requests without credentials. */
  readonly public: Rate;
  /** Per address, for invalid credentials. */
  readonly failures: Rate;
}

/** What a request counts as: a read, a change, or a failed authentication. */
type RateKind = 'read' | 'write' | 'failure';

/** Why a caller has to wait. */
export interface RateRefusal {
  /** Whole seconds, at least 1. */
  readonly retryAfter: number;
  /** Requests allowed within `windowSeconds`. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Rate limits. Each caller has its own budgets, so that none can use up another's. */
export interface RateLimits {
  /** Takes one request from the budget; the refusal if it is empty. */
  readonly take: (who: string, kind: RateKind) => RateRefusal | undefined;
  /** Returns what one `take` took, if the same request is counted elsewhere or as another kind. */
  readonly giveBack: (who: string, kind: RateKind) => void;
}

/** The budget of a request: the principal's, or without credentials the address's. */
export function rateKeyOf(caller: Caller): string {
  return caller.kind === 'principal' ? `principal:${caller.principalId}` : `address:${caller.address ?? ''}`;
}

export function rateError(refusal: RateRefusal): TaskError {
  const { retryAfter, limit, windowSeconds } = refusal;
  return taskError('RATE_LIMITED', 'Too many requests: wait before you send the next.', {
    retryAfter,
    details: { limit, remaining: 0, window_seconds: windowSeconds, scope: 'account' },
  });
}
