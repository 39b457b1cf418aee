import type { QuotaKind, QuotaState, QuotaStore } from '@switchyard/store';
import { taskError, type TaskError } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Instant } from '@switchyard/values';
import type { AdminFailure } from '../failure.js';
import { every } from '../lanes/every.js';

/** Why an organization has to wait, or needs a larger quota. */
export interface QuotaRefusal {
  readonly kind: QuotaKind;
  readonly most: number;
  /** Whole seconds until the count begins again; absent for a kind that is no count of a day or month. */
  readonly retryAfter?: number;
}

/** Holds organizations to their quotas. */
export interface Quotas {
  /**
   * Counts a call of a task, or refuses it. It asks nothing of the database: what other processes counted is known after
   * a few seconds, so a quota can be passed by what comes in meanwhile.
   */
  takeCall(organizationId: string, isBuy: boolean): QuotaRefusal | undefined;
  /** Whether there is room for more; read from the database, because it is asked seldom. */
  roomFor(
    scope: TenantScope,
    kind: Extract<QuotaKind, 'sellers' | 'file_bytes'>,
    more: number,
  ): Promise<QuotaRefusal | undefined>;
  /** Stores what is not stored yet. */
  stop(): Promise<void>;
}

interface Counted {
  /** Calls that are not stored yet. */
  calls: number;
  /** Calls and buys since the state was read. */
  since: { calls: number; buys: number };
  known?: QuotaState;
}

/** Between two stores of the counts, in milliseconds. An organization without calls costs nothing. */
const storedEveryMs = 10_000;
/** The most organizations that are held in memory: those that were quiet longest are forgotten once they are stored. */
const organizationsAtMost = 20_000;
const daySeconds = 24 * 3600;

export function createQuotas(
  store: QuotaStore,
  clock: Clock,
  onUnexpected: (error: unknown, where: string) => void,
): Quotas {
  const counted = new Map<string, Counted>();
  const settle = async (organizationId: string, of: Counted): Promise<void> => {
    const { calls } = of;
    if (calls === 0) return;
    of.calls = 0;
    const since = { ...of.since };
    try {
      const known = await store.addCalls({ organizationId }, calls, clock.now());
      of.since = { calls: of.since.calls - since.calls, buys: of.since.buys - since.buys };
      if (known === undefined) delete of.known;
      else of.known = known;
    } catch (error) {
      of.calls += calls;
      throw error;
    }
  };
  const settleAll = async (): Promise<void> => {
    for (const [organizationId, of] of counted) {
      await settle(organizationId, of);
      if (counted.size > organizationsAtMost && of.calls === 0) counted.delete(organizationId);
    }
  };
  const rounds = every(clock, storedEveryMs, settleAll, (error) => onUnexpected(error, 'the count of calls'));
  return {
    takeCall: (organizationId, isBuy) => {
      let of = counted.get(organizationId);
      if (of === undefined) {
        of = { calls: 0, since: { calls: 0, buys: 0 } };
        counted.set(organizationId, of);
        // The first call of a process does not wait for what is known of its organization.
        of.calls = 1;
        of.since = { calls: 1, buys: isBuy ? 1 : 0 };
        settle(organizationId, of).catch((error: unknown) => onUnexpected(error, 'the count of calls'));
        return undefined;
      }
      const refused = refusalOf(of, isBuy, clock.now());
      if (refused !== undefined) return refused;
      of.calls += 1;
      of.since = { calls: of.since.calls + 1, buys: of.since.buys + (isBuy ? 1 : 0) };
      return undefined;
    },
    roomFor: async (scope, kind, more) => {
      const { limits, used } = await store.state(scope, clock.now());
      const most = limits[kind];
      return most === undefined || used[kind] + more <= most ? undefined : { kind, most };
    },
    stop: async () => {
      await rounds.stop();
      await settleAll();
    },
  };
}

function refusalOf({ known, since }: Counted, isBuy: boolean, now: Instant): QuotaRefusal | undefined {
  if (known === undefined) return undefined;
  const kinds = ['calls_per_day', 'calls_per_month', ...(isBuy ? buyKinds : [])] as const;
  for (const kind of kinds) {
    const most = known.limits[kind];
    const more = kind === 'calls_per_day' || kind === 'calls_per_month' ? since.calls : since.buys;
    if (most !== undefined && known.used[kind] + more >= most)
      return { kind, most, retryAfter: secondsToNext(kind.endsWith('_day') ? 'day' : 'month', now) };
  }
  return undefined;
}

const buyKinds = ['buys_per_day', 'buys_per_month'] as const;

function secondsToNext(what: 'day' | 'month', now: Instant): number {
  const at = new Date(now);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const next =
    what === 'day'
      ? (Math.floor(now / 1000 / daySeconds) + 1) * daySeconds * 1000
      : Date.UTC(month === 11 ? year + 1 : year, (month + 1) % 12, 1);
  return Math.max(1, Math.ceil((next - now) / 1000));
}

const words: Readonly<Record<QuotaKind, string>> = {
  calls_per_day: 'calls of the day',
  calls_per_month: 'calls of the month',
  buys_per_day: 'buys of the day',
  buys_per_month: 'buys of the month',
  sellers: 'sellers',
  file_bytes: 'bytes of files',
};

const messageOf = ({ kind, most }: QuotaRefusal): string =>
  `The organization has used its quota of ${most} ${words[kind]}. The operator of the installation sets it.`;

/** The longest time that an answer names, in seconds: clients ask again after it. */
const longestWait = 3_600;

export function quotaError(refusal: QuotaRefusal): TaskError {
  const { kind, most, retryAfter = longestWait } = refusal;
  return taskError('RATE_LIMITED', messageOf(refusal), {
    retryAfter: Math.min(retryAfter, longestWait),
    details: { limit: most, remaining: 0, scope: 'account', quota: kind },
  });
}

export const quotaFailure = (refusal: QuotaRefusal): AdminFailure => ({
  code: 'CONFLICT',
  message: messageOf(refusal),
});
