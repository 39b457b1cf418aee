import { microsToDecimal, type Micros } from '@switchyard/money';
import { prefixId, type Finding, type UpdateMediaBuyRequest } from '@switchyard/protocol';
import { isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { flightAtSeller, type Flight } from '../model/flight.js';
import { termsShown } from './stored-terms.js';
import type { Offer } from '../model/offer.js';
import type { BuyPackage, MediaBuyRecord, SellerBuy } from '../model/operation.js';
import { quotedAmount } from './quoted-terms.js';

/** The finding that says what canceling a package may cost. */
export const cancellationFee = 'CANCELLATION_FEE';

const unitMs: Readonly<Record<string, number>> = {
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
};

/**
 * The costs of a cancellation by the terms that the seller quoted with the product
 * (docs/protocol/media-buys.md#cancellation-fees): one finding for each package with terms. What was
 * delivered stays billable, so a share of the rest is an upper bound.
 */
export function cancellationTerms(
  request: UpdateMediaBuyRequest,
  record: Pick<MediaBuyRecord, 'buy' | 'packages'>,
  {
    sellerBuy,
    offers,
    now,
  }: {
    readonly sellerBuy: Pick<SellerBuy, 'seller' | 'reported'>;
    readonly offers: ReadonlyMap<string, Offer>;
    readonly now: Instant;
  },
): readonly Finding[] {
  const canceled = new Set(
    request.packages.filter((item) => item.canceled === true).map((item) => item.packageId),
  );
  return record.packages
    .filter((item) => item.seller === sellerBuy.seller && item.canceledAt === undefined)
    .filter((item) => request.canceled === true || canceled.has(item.sellerPackageId))
    .flatMap((item) => {
      const words = cancellationCost(item, { buy: record.buy, sellerBuy, now, offers });
      return words === undefined
        ? []
        : [{ code: cancellationFee, message: words, field: item.sellerPackageId ?? placeOf(item) }];
    });
}

/** The cost of canceling one package at an instant, as a text; undefined where its seller quoted no terms. */
export function cancellationCost(
  item: BuyPackage,
  {
    buy,
    sellerBuy,
    now,
    offers = new Map(),
  }: {
    readonly buy: MediaBuyRecord['buy'];
    readonly sellerBuy: Pick<SellerBuy, 'reported'>;
    readonly now: Instant;
    readonly offers?: ReadonlyMap<string, Offer>;
  },
): string | undefined {
  const policy = policyOf(item, offers);
  return policy === undefined
    ? undefined
    : feeOf(policy, item, startOf(item, flightAtSeller(buy, sellerBuy)), now);
}

/** The policy accepted at the purchase counts. Packages bought before it was stored use the latest quote. */
function policyOf(item: BuyPackage, offers: ReadonlyMap<string, Offer>): JsonObject | undefined {
  const quoted = item.terms?.quoted;
  if (quoted === undefined) return offers.get(prefixId(item.seller, item.productId))?.cancellationPolicy;
  const { cancellation_policy: policy } = quoted;
  return isJsonObject(policy) ? policy : undefined;
}

/** A package may start later than its buy. */
function startOf(item: BuyPackage, { startTime }: Flight): string {
  const { start_time: own } = termsShown(item).holding;
  return typeof own === 'string' ? own : startTime;
}

/** The path of a package in the buyer's request, used until its seller has assigned an id. */
export function placeOf({ position }: Pick<BuyPackage, 'position'>): string {
  return `packages[${position}]`;
}

function feeOf(policy: JsonObject, item: BuyPackage, startTime: string, now: Instant): string | undefined {
  const fee = policy['cancellation_fee'];
  if (!isJsonObject(fee)) return undefined;
  const budget = `${microsToDecimal(item.budgetMicros)} ${item.currency}`;
  if (isInTime(policy['notice_period'], startTime, now)) return 'No fee: the notice is in time.';
  switch (fee['type']) {
    case 'none':
      return 'No fee.';
    case 'full_commitment':
      return `The full commitment is due: ${budget}.`;
    case 'fixed_fee':
      return `A fixed fee is due: ${typeof fee['amount'] === 'number' ? fee['amount'] : 'unknown'} ${item.currency}.`;
    case 'percent_remaining': {
      const rate = typeof fee['rate'] === 'number' ? quotedAmount(String(fee['rate'])) : undefined;
      if (rate === undefined) return undefined;
      const most = microsToDecimal((item.budgetMicros * rate) / 1_000_000n);
      return `${microsToDecimal(rate * 100n)} % of what is left is due, at most ${most} ${item.currency}.`;
    }
    default:
      return 'The seller has terms of cancellation of an unknown kind.';
  }
}

/** A canceled package, for its fee. */
interface CanceledPackage {
  readonly budget: Micros;
  readonly booked: Micros;
  /** RFC 3339. */
  readonly startTime: string;
  readonly canceledAt: Instant;
}

/** The fee of a cancellation by a quoted policy, in micros beside what was delivered; zero for an unknown kind of fee. */
export function cancellationFeeMicros(
  policy: unknown,
  { budget, booked, startTime, canceledAt }: CanceledPackage,
): Micros {
  const fee = isJsonObject(policy) ? policy['cancellation_fee'] : undefined;
  if (!isJsonObject(policy) || !isJsonObject(fee)) return 0n;
  if (isInTime(policy['notice_period'], startTime, canceledAt)) return 0n;
  const rest = budget > booked ? budget - booked : 0n;
  if (fee['type'] === 'full_commitment') return rest;
  if (fee['type'] === 'fixed_fee') return microsIn(fee['amount']);
  return fee['type'] === 'percent_remaining' ? (rest * microsIn(fee['rate'])) / 1_000_000n : 0n;
}

/** A number of a seller that is not below zero, times a million. */
function microsIn(value: unknown): Micros {
  const micros = typeof value === 'number' ? quotedAmount(String(value)) : undefined;
  return micros === undefined || micros < 0n ? 0n : micros;
}

function isInTime(notice: unknown, startTime: string, now: Instant): boolean {
  if (!isJsonObject(notice)) return false;
  const { interval, unit } = notice;
  const length = typeof unit === 'string' ? unitMs[unit] : undefined;
  if (typeof interval !== 'number' || length === undefined) return false;
  return now + interval * length <= Date.parse(startTime);
}
