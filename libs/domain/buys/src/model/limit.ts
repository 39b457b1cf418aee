import { microsToDecimal, type Micros } from '@switchyard/money';
import type { Instant } from '@switchyard/values';
import { convertUp, type ExchangeRate } from './exchange.js';

/**
 * The object of a limit. `each_buy` applies to every single buy. `new_brand` is exceeded by every buy for a
 * brand that the organization has never bought for, of any amount. `program` applies to what one program buys for one
 * person; that person alone sets it, when it lets the program in.
 */
export const limitKinds = [
  'organization',
  'principal',
  'program',
  'client',
  'brand',
  'campaign',
  'seller',
  'each_buy',
  'new_brand',
] as const;
export type LimitKind = (typeof limitKinds)[number];

export interface SpendingLimit {
  /** UUID. */
  readonly id: string;
  readonly kind: LimitKind;
  /** UUID, domain, slug or name of a program, by kind; empty for the organization and for each buy. */
  readonly key: string;
  /** Of the principal, client or campaign; for a program, of its person. */
  readonly name?: string;
  readonly amount: Micros;
  readonly currency: string;
  /** Per calendar month, of what is to be spent in it; absent: in total. */
  readonly per?: 'month';
  readonly above: 'ask' | 'refuse';
  readonly createdAt: Instant;
}

/** What a request is judged by: a limit that was set, or a rule of its campaign. */
export interface JudgedLimit extends Omit<SpendingLimit, 'kind' | 'above'> {
  readonly kind: LimitKind | 'campaign_budget' | 'campaign_flight';
  /** `warn`: the request is taken, and the words are a finding. */
  readonly above: SpendingLimit['above'] | 'warn';
}

/** The amounts that count against a limit, in one currency. */
export interface SpendSum {
  readonly currency: string;
  readonly pending: Micros;
  readonly committed: Micros;
  /** `YYYY-MM`; absent: of the period that is asked about. */
  readonly month?: string;
}

export interface LimitUse {
  readonly limit: SpendingLimit;
  readonly sums: readonly SpendSum[];
}

/** What a commitment counts in one calendar month of its organization's time zone. */
export interface MonthAmount {
  /** `YYYY-MM`. */
  readonly month: string;
  /** Below zero where a correction of an earlier month was booked there. */
  readonly amount: Micros;
}

/** One seller's part of the amount that an operation would commit. */
export interface SpendPart {
  readonly legId: string;
  readonly seller: string;
  readonly amount: Micros;
  readonly currency: string;
  /** How the amount is spread over months; absent: it counts in the present one. */
  readonly months?: readonly MonthAmount[];
  /**
   * New budgets of existing packages, by the seller's own ids: the added amount is computed under the lock of
   * the buy, from the budgets at that time.
   */
  readonly budgets?: ReadonlyMap<string, Micros>;
}

/** Why something is exceeded: for who decides, and for the requester without amounts of others. */
export interface BreachWords {
  readonly full: string;
  readonly toBuyer: string;
}

/** A limit that an operation would exceed, in the limit's currency. */
export interface Breach {
  readonly limit: JudgedLimit;
  readonly pending: Micros;
  readonly committed: Micros;
  readonly requested: Micros;
  /** Below zero where sellers delivered or invoiced more than was committed. */
  readonly left: Micros;
  /** The month that has the least room, of several in which the amount would be spent. */
  readonly month?: string;
  /** Of a rule of a campaign. */
  readonly words?: BreachWords;
}

export type SpendVerdict =
  | { readonly kind: 'within' }
  | { readonly kind: 'ask' | 'refuse'; readonly breaches: readonly Breach[] }
  /** No rate was entered, so the limit cannot be checked. */
  | { readonly kind: 'no_rate'; readonly from: string; readonly to: string };

/** Finds the rate between two currencies; undefined where none was entered. */
export type RateOf = (from: string, to: string) => string | undefined;

export function rateIn(rates: readonly Pick<ExchangeRate, 'from' | 'to' | 'rate'>[]): RateOf {
  return (from, to) => rates.find((rate) => rate.from === from && rate.to === to)?.rate;
}

/** A limit by its currency alone, with the sums that count against it. */
export interface Used {
  readonly limit: Pick<SpendingLimit, 'currency'>;
  readonly sums: readonly SpendSum[];
}

/** The amounts that count against a limit in its own currency, or the currency without a rate. */
export function usedOf(
  { limit, sums }: Used,
  rateOf: RateOf,
): { readonly pending: Micros; readonly committed: Micros } | { readonly from: string } {
  let [pending, committed] = [0n, 0n];
  for (const sum of sums) {
    if (sum.pending === 0n && sum.committed === 0n) continue;
    const rate = sum.currency === limit.currency ? '1' : rateOf(sum.currency, limit.currency);
    if (rate === undefined) return { from: sum.currency };
    pending += convertUp(sum.pending, rate);
    committed += convertUp(sum.committed, rate);
  }
  return { pending, committed };
}

/** A limit that applies to an operation, and whether the operation would exceed it. */
export interface LimitStanding extends Breach {
  readonly isExceeded: boolean;
  /** What a person should know though nothing is exceeded. */
  readonly note?: string;
}

export type LimitStandings =
  | { readonly kind: 'known'; readonly standings: readonly LimitStanding[] }
  | Extract<SpendVerdict, { readonly kind: 'no_rate' }>;

/** Compares what an operation commits with every limit that applies. Amounts are in the currency of each limit. */
export function standingsOf(
  parts: readonly SpendPart[],
  uses: readonly LimitUse[],
  rateOf: RateOf,
): LimitStandings {
  const standings: LimitStanding[] = [];
  for (const use of uses) {
    const { limit } = use;
    if (limit.kind === 'new_brand') {
      const isExceeded = parts.some(({ amount }) => amount > 0n);
      standings.push({ limit, pending: 0n, committed: 0n, requested: 0n, left: 0n, isExceeded });
      continue;
    }
    const own = limit.kind === 'seller' ? parts.filter(({ seller }) => seller === limit.key) : parts;
    let tightest: LimitStanding | undefined;
    for (const month of monthsOf(limit, own)) {
      const used = usedOf({ limit, sums: use.sums.filter(isIn(month)) }, rateOf);
      if ('from' in used) return { kind: 'no_rate', from: used.from, to: limit.currency };
      const wanted = usedOf({ limit, sums: own.flatMap((part) => sumOf(part, month)) }, rateOf);
      if ('from' in wanted) return { kind: 'no_rate', from: wanted.from, to: limit.currency };
      const requested = wanted.pending;
      const left = limit.amount - used.pending - used.committed;
      const isExceeded = requested > 0n && requested > left;
      if (tightest !== undefined && left - requested >= tightest.left - tightest.requested) continue;
      tightest = { limit, ...used, requested, left, isExceeded, ...(month !== undefined && { month }) };
    }
    if (tightest !== undefined) standings.push(tightest);
  }
  return { kind: 'known', standings };
}

/**
 * Checks what an operation commits against every limit that applies: the sum of committed, pending and new
 * amounts may be equal to a limit, but not above it. If one limit refuses, the operation is refused.
 */
export function verdictOn(found: LimitStandings): SpendVerdict {
  if (found.kind === 'no_rate') return found;
  const breaches = found.standings.filter(({ isExceeded, limit }) => isExceeded && limit.above !== 'warn');
  if (breaches.length === 0) return { kind: 'within' };
  const refusing = breaches.filter(({ limit }) => limit.above === 'refuse');
  return refusing.length > 0 ? { kind: 'refuse', breaches: refusing } : { kind: 'ask', breaches };
}

/** The months in which parts would be spent, for a limit per month; else the one period that the sums are of. */
function monthsOf(
  { per }: SpendingLimit,
  parts: readonly SpendPart[],
): readonly [string | undefined, ...(string | undefined)[]] {
  const months = parts.flatMap((part) => (part.months ?? []).map(({ month }) => month));
  const [first, ...others] = [...new Set(per === 'month' ? months : [])].sort();
  return [first, ...others];
}

function isIn(month: string | undefined): (sum: SpendSum) => boolean {
  return (sum) => month === undefined || sum.month === undefined || sum.month === month;
}

/** What a part requests in a month, or in all. */
function sumOf({ amount, currency, months }: SpendPart, month: string | undefined): readonly SpendSum[] {
  if (month === undefined || months === undefined) return [{ currency, pending: amount, committed: 0n }];
  return months
    .filter((share) => share.month === month)
    .map((share) => ({ currency, pending: share.amount, committed: 0n }));
}

/** The name of a limit on the command line: `client:ID`, `each-buy`. */
export function limitName({ kind, key }: Pick<JudgedLimit, 'kind' | 'key'>): string {
  if (kind === 'each_buy') return 'each-buy';
  if (kind === 'new_brand') return 'new-brand';
  return kind === 'organization' ? kind : `${kind.replace('_', '-')}:${key}`;
}

/** Why limits are exceeded, with amounts, for the person who decides. */
export function breachText(breaches: readonly Breach[]): string {
  return breaches
    .map(({ limit, committed, pending, requested, left, month, words }) => {
      if (words !== undefined) return words.full;
      if (limit.kind === 'new_brand') return firstOfBrand;
      const of = (amount: Micros): string => `${microsToDecimal(amount)} ${limit.currency}`;
      const per = limit.per === 'month' ? ` per month${month === undefined ? '' : `, in ${month}`}` : '';
      return `Over the limit of ${subjectOf(limit)}, ${of(limit.amount)}${per}: ${of(committed)} committed, ${of(pending)} pending, ${of(left)} left, ${of(requested)} requested.`;
    })
    .join(' ');
}

/** What a limit is for, in words: `client Nova`. */
function subjectOf({ kind, key, name }: JudgedLimit): string {
  if (kind === 'organization') return 'the organization';
  if (kind === 'program') return `a program of ${name ?? key}`;
  return kind === 'each_buy' ? 'one buy' : `${kind} ${name ?? key}`;
}

const firstOfBrand = 'The first buy for a brand needs an internal approval.';

/** The same for the requester: kinds of limits, with amounts only for its own limit and the limit per buy. */
export function breachForBuyer(breaches: readonly Breach[]): string {
  return breaches
    .map((breach) => {
      const { kind, per, amount, currency } = breach.limit;
      if (breach.words !== undefined) return breach.words.toBuyer;
      if (kind === 'new_brand') return firstOfBrand;
      if (kind === 'each_buy')
        return `A buy above ${microsToDecimal(amount)} ${currency} needs an internal approval.`;
      const isOwn = kind === 'principal' || kind === 'program';
      const name = kind === 'principal' ? 'your spending limit' : `the spending limit of the ${kind}`;
      const left =
        breach.left < 0n
          ? `it is exceeded by ${microsToDecimal(-breach.left)} ${currency} already`
          : `${microsToDecimal(breach.left)} ${currency} of it are left`;
      return `This goes beyond ${name}${per === 'month' ? ' for this month' : ''}${isOwn ? `: ${left}` : ''}.`;
    })
    .join(' ');
}
