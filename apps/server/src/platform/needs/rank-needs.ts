import { microsOf, microsToDecimal, parseDecimal } from '@switchyard/money';

/** What waits for a person, before it has its place. Amounts are decimal text. */
export interface Need {
  /** The same each time that the same thing waits. */
  readonly need_id: string;
  readonly kind: NeedKind;
  /** Whether it loses money now, and not only waits. */
  readonly loses: boolean;
  readonly object: { readonly kind: string; readonly id: string; readonly name: string };
  /** One sentence without a full stop: what is the matter. */
  readonly title: string;
  /** The reason, and what is known about it. */
  readonly reason: string;
  readonly amount?: string;
  readonly currency?: string;
  /** What the amount is: `over budget`. */
  readonly amount_is?: string;
  /** YYYY-MM-DD. */
  readonly due_on?: string;
  readonly since?: string;
  /** The deed that ends it. */
  readonly act: NeedAct;
}

export const needKinds = [
  'overspend',
  'runs_to_nowhere',
  'silent',
  'paid_twice',
  'overdue',
  'behind',
  'approve',
  'no_creative',
  'refused',
  'part_refused',
  'difference',
  'held_report',
  'month',
  'reopen',
  'seller_fails',
  'key_ends',
  'alarm',
  'webhook_out',
  'no_campaign',
  'first_seller',
] as const;
export type NeedKind = (typeof needKinds)[number];

export const needActs = [
  'lower_budgets',
  'raise_budgets',
  'open_buy',
  'place_elsewhere',
  'open_seller',
  'review',
  'decide',
  'compare',
  'pay',
  'close',
  'agree',
  'renew',
  'look',
  'send_again',
  'assign',
  'connect',
] as const;
export type NeedAct = (typeof needActs)[number];

/** A need in its place. */
export type RankedNeed = Need & {
  /** Its amount in the currency of the reports, by the newest rate; absent where there is none. */
  readonly ranked_amount?: string;
};

/**
 * Puts needs in order: first what loses money now, by its amount; then what waits, by its amount, and without one by
 * its day, the earliest first. Amounts of other currencies are converted for the order alone; one without a rate counts as
 * its number, so that it is not hidden.
 *
 * @param rateOf the price of one unit of a currency in that of the reports, as decimal text.
 */
export function rankNeeds(
  needs: readonly Need[],
  rateOf: (currency: string) => string | undefined,
): readonly RankedNeed[] {
  const placed = needs.map((need) => {
    const amount = absolute(need.amount);
    const rate = need.currency === undefined ? undefined : rateOf(need.currency);
    const converted = rate === undefined ? undefined : (amount * microsOf(rate)) / 1_000_000n;
    return { need, weight: converted ?? amount, converted };
  });
  return placed
    .toSorted(
      (a, b) =>
        Number(b.need.loses) - Number(a.need.loses) ||
        compare(b.weight, a.weight) ||
        (a.need.due_on ?? a.need.since ?? '9').localeCompare(b.need.due_on ?? b.need.since ?? '9') ||
        a.need.need_id.localeCompare(b.need.need_id),
    )
    .map(({ need, converted }) => ({
      ...need,
      ...(need.amount !== undefined &&
        converted !== undefined && { ranked_amount: microsToDecimal(converted) }),
    }));
}

function absolute(amount: string | undefined): bigint {
  const read = parseDecimal(amount ?? '0');
  const micros = read.ok ? read.value : 0n;
  return micros < 0n ? -micros : micros;
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
