import type { QuotaKind, QuotaState, QuotaStore, UsageCounter } from '@switchyard/store';
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

/** A part of a quota that is told before it is used up, in percent. */
const toldAt = 80;

/** A quota of which that part is used. */
export interface QuotaNear extends Pick<QuotaRefusal, 'kind' | 'most'> {
  readonly used: number;
  /** The day or month of the count, or since when it is near. */
  readonly period: string;
}

/** Holds organizations to their quotas. */
export interface Quotas {
  /**
   * Counts a call of a task, or refuses it. It asks nothing of the database: what other processes counted is known after
   * a few seconds, so a quota can be passed by what comes in meanwhile.
   */
  takeCall(organizationId: string, isBuy: boolean): QuotaRefusal | undefined;
  /** Counts an amount of something else in the same way. A negative one gives back what was not used. */
  take(organizationId: string, counter: UsageCounter, amount: number): QuotaRefusal | undefined;
  /** The same for what is asked seldom: by what the database counts at the moment. */
  takeNow(scope: TenantScope, counter: UsageCounter, amount: number): Promise<QuotaRefusal | undefined>;
  /** Whether there is room for more; read from the database, because it is asked seldom. */
  roomFor(
    scope: TenantScope,
    kind: Extract<QuotaKind, 'sellers' | 'file_bytes'>,
    more: number,
  ): Promise<QuotaRefusal | undefined>;
  /** Stores what is not stored yet. */
  stop(): Promise<void>;
}

type Counts = Record<UsageCounter | 'buys', number>;

interface Counted {
  /** What is not stored yet. */
  readonly unstored: Counts;
  /** Since the state was read. */
  since: Counts;
  known?: QuotaState;
  /** What was told, so that it is written once by a process. */
  readonly told: Set<string>;
}

const nothing = (): Counts => ({ calls: 0, relays: 0, import_bytes: 0, buys: 0 });
const names = Object.keys(nothing()) as (keyof Counts)[];

/** Between two stores of the counts, in milliseconds. An organization without calls costs nothing. */
const storedEveryMs = 10_000;
/** The most organizations that are held in memory: those that were quiet longest are forgotten once they are stored. */
const organizationsAtMost = 20_000;
const daySeconds = 24 * 3600;

export interface QuotasDeps {
  readonly store: QuotaStore;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Called with each quota that is nearly used, at least once for its day or month. */
  readonly onNear?: (scope: TenantScope, near: QuotaNear) => Promise<void>;
}

export function createQuotas({ store, clock, onUnexpected, onNear }: QuotasDeps): Quotas {
  const counted = new Map<string, Counted>();
  const settle = async (organizationId: string, of: Counted): Promise<void> => {
    const amounts = { ...of.unstored };
    if (names.every((name) => amounts[name] === 0)) return;
    for (const name of names) of.unstored[name] = 0;
    const since = { ...of.since };
    try {
      const known = await store.addUsage({ organizationId }, amounts, clock.now());
      for (const name of names) of.since[name] = Math.max(0, of.since[name] - since[name]);
      if (known === undefined) delete of.known;
      else of.known = known;
    } catch (error) {
      for (const name of names) of.unstored[name] += amounts[name];
      throw error;
    }
    for (const near of nearOf(of, clock.now())) {
      await onNear?.({ organizationId }, near);
      of.told.add(toldAs(near));
    }
  };
  const settleAll = async (): Promise<void> => {
    for (const [organizationId, of] of counted) {
      await settle(organizationId, of);
      if (counted.size > organizationsAtMost && of.unstored.calls === 0) counted.delete(organizationId);
    }
  };
  const rounds = every(clock, storedEveryMs, settleAll, (error) => onUnexpected(error, 'the count of calls'));
  const countsOf = (organizationId: string): Counted => {
    const of = counted.get(organizationId) ?? { unstored: nothing(), since: nothing(), told: new Set() };
    counted.set(organizationId, of);
    return of;
  };
  const take = (organizationId: string, amounts: Partial<Counts>): QuotaRefusal | undefined => {
    const isFirst = !counted.has(organizationId);
    const of = countsOf(organizationId);
    const refused = refusalOf(of, amounts, clock.now());
    if (refused !== undefined) return refused;
    for (const name of names) {
      of.unstored[name] += amounts[name] ?? 0;
      of.since[name] += amounts[name] ?? 0;
    }
    // The first call of a process does not wait for what is known of its organization.
    if (isFirst)
      settle(organizationId, of).catch((error: unknown) => onUnexpected(error, 'the count of calls'));
    return undefined;
  };
  return {
    takeCall: (organizationId, isBuy) => take(organizationId, { calls: 1, ...(isBuy && { buys: 1 }) }),
    take: (organizationId, counter, amount) => take(organizationId, { [counter]: amount }),
    takeNow: async (scope, counter, amount) => {
      const of = countsOf(scope.organizationId);
      of.known = await store.state(scope, clock.now());
      of.since = { ...of.unstored };
      return take(scope.organizationId, { [counter]: amount });
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

/** The counter of a kind that is counted per day or month. */
function counterOf(
  kind: QuotaKind,
): { readonly counter: keyof Counts; readonly per: 'day' | 'month' } | undefined {
  const [, name, per] = /^(.+)_per_(day|month)$/.exec(kind) ?? [];
  return name === undefined
    ? undefined
    : { counter: name as keyof Counts, per: per === 'day' ? 'day' : 'month' };
}

function refusalOf(
  { known, since }: Counted,
  amounts: Partial<Counts>,
  now: Instant,
): QuotaRefusal | undefined {
  for (const [kind, most] of Object.entries(known?.limits ?? {}) as [QuotaKind, number][]) {
    const { counter, per } = counterOf(kind) ?? {};
    if (known === undefined || counter === undefined || per === undefined) continue;
    const more = amounts[counter] ?? 0;
    if (more > 0 && known.used[kind] + since[counter] + more > most)
      return { kind, most, retryAfter: secondsToNext(per, now) };
  }
  return undefined;
}

const toldAs = ({ kind, most, period }: Omit<QuotaNear, 'used'>): string => `${kind} ${most} ${period}`;

/** Quotas that are nearly used and were not told yet by this process. */
function nearOf({ known, told }: Counted, now: Instant): readonly QuotaNear[] {
  const day = new Date(now).toISOString().slice(0, 10);
  return (Object.entries(known?.limits ?? {}) as [QuotaKind, number][]).flatMap(([kind, most]) => {
    const used = known?.used[kind] ?? 0;
    const per = counterOf(kind)?.per ?? 'month';
    const period = per === 'day' ? day : day.slice(0, 7);
    if (most === 0 || used * 100 < most * toldAt || told.has(toldAs({ kind, most, period }))) return [];
    return [{ kind, most, used, period }];
  });
}

function secondsToNext(what: 'day' | 'month', now: Instant): number {
  const at = new Date(now);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  const next =
    what === 'day'
      ? (Math.floor(now / 1000 / daySeconds) + 1) * daySeconds * 1000
      : Date.UTC(month === 11 ? year + 1 : year, (month + 1) % 12, 1);
  return Math.max(1, Math.ceil((next - now) / 1000));
}

/** What is counted, for people. */
export const quotaWords: Readonly<Record<QuotaKind, string>> = {
  calls_per_day: 'calls of the day',
  calls_per_month: 'calls of the month',
  buys_per_day: 'buys of the day',
  buys_per_month: 'buys of the month',
  relays_per_day: 'relayed calls of the day',
  relays_per_month: 'relayed calls of the month',
  import_bytes_per_day: 'bytes of imported files of the day',
  import_bytes_per_month: 'bytes of imported files of the month',
  sellers: 'sellers',
  file_bytes: 'bytes of files',
};

const quotaText = ({ kind, most }: QuotaRefusal): string =>
  `The organization has used its quota of ${most} ${quotaWords[kind]}. The operator of the installation sets it.`;

/** The longest time that an answer names, in seconds: clients ask again after it. */
const longestWait = 3_600;

export function quotaError(refusal: QuotaRefusal): TaskError {
  const { kind, most, retryAfter = longestWait } = refusal;
  return taskError('RATE_LIMITED', quotaText(refusal), {
    retryAfter: Math.min(retryAfter, longestWait),
    details: { limit: most, remaining: 0, scope: 'account', quota: kind },
  });
}

/** Of what there is it is a conflict; of a count of a day or month the caller is told how long to wait. */
export const quotaFailure = (refusal: QuotaRefusal): AdminFailure =>
  refusal.retryAfter === undefined
    ? { code: 'CONFLICT', message: quotaText(refusal) }
    : {
        code: 'RATE_LIMITED',
        message: quotaText(refusal),
        recovery: 'transient',
        retryAfter: Math.min(refusal.retryAfter, longestWait),
      };
