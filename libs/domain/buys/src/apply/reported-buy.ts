import { isBuyOver, type BuyPart, type MediaBuyView } from '@switchyard/protocol';
import { defined, canonicalJson, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { Flight } from '../model/flight.js';
import type { MediaBuyRecord, ReportedBuy, SellerBuy } from '../model/operation.js';
import { isMadeOrMayBe } from '../model/leg-state.js';

type ReportedMembers = Partial<
  Pick<MediaBuyView, 'creativeDeadline' | 'invoiceRecipient' | 'rejectionReason' | 'cancellation'>
>;

/** Returns a seller's buy with the members reported beside its status; members not reported again are kept. */
export function withReportedBuy(sellerBuy: SellerBuy, seen: ReportedMembers): SellerBuy {
  const { creativeDeadline, invoiceRecipient, rejectionReason, cancellation } = seen;
  const update: ReportedBuy = {
    ...(isMoment(creativeDeadline) ? { creativeDeadline } : {}),
    ...defined({ invoiceRecipient, rejectionReason, cancellation }),
  };
  return Object.keys(update).length === 0
    ? sellerBuy
    : { ...sellerBuy, reported: { ...sellerBuy.reported, ...update } };
}

/** As in 3.x: an RFC 3339 time, the actor and the reason. */
export type Cancellation = JsonObject & { readonly canceled_at: string };

/** Returns actor and time of a cancellation: the seller's own values where they have the types of 3.x. */
export function cancellationOf(
  by: 'buyer' | 'seller',
  at: Instant,
  reason: string | undefined,
  received?: JsonObject,
): Cancellation {
  const { canceled_at: when, canceled_by: who, reason: why } = received ?? {};
  const words = typeof why === 'string' ? why : reason;
  return {
    canceled_at: isMoment(when) ? when : isoOf(at),
    canceled_by: who === 'buyer' || who === 'seller' ? who : by,
    ...(words === undefined ? {} : { reason: words.slice(0, longestReason) }),
  };
}

/** Maximum length in 3.x. */
const longestReason = 500;

type Rolled = Pick<
  MediaBuyView,
  'creativeDeadline' | 'invoiceRecipient' | 'rejectionReason' | 'cancellation' | 'parts'
>;

/**
 * Rolls up what sellers report of their parts: the earliest creative deadline of running parts; the invoice
 * recipient only where all counting parts confirm the same one; the reason of an end, by seller where there
 * are several. The values of single sellers are in `parts`.
 */
export function rollUpReported({ buy, sellerBuys }: Pick<MediaBuyRecord, 'buy' | 'sellerBuys'>): Rolled {
  const running = sellerBuys.filter(({ status }) => !isBuyOver(status));
  const [creativeDeadline] = running
    .flatMap(({ reported }) => reported?.creativeDeadline ?? [])
    .sort((one, other) => Date.parse(one) - Date.parse(other));
  const invoiceRecipient = commonRecipient(sellerBuys.filter(isMadeOrMayBe));
  const rejectionReason = buy.status === 'rejected' ? reasonsOf(sellerBuys) : undefined;
  const cancellation = buy.status === 'canceled' ? lastCancellation(sellerBuys) : undefined;
  const parts = sellerBuys.flatMap((sellerBuy) => partOf(sellerBuy, buy, sellerBuys.length > 1));
  return {
    ...defined({ creativeDeadline, invoiceRecipient, rejectionReason, cancellation }),
    ...(parts.length === 0 ? {} : { parts }),
  };
}

function commonRecipient(parts: readonly SellerBuy[]): JsonObject | undefined {
  const [first] = parts;
  const recipient = first?.reported?.invoiceRecipient;
  if (recipient === undefined) return undefined;
  const isCommon = parts.every(
    ({ reported }) =>
      reported?.invoiceRecipient !== undefined &&
      canonicalJson(reported.invoiceRecipient) === canonicalJson(recipient),
  );
  return isCommon ? recipient : undefined;
}

function reasonsOf(parts: readonly SellerBuy[]): string | undefined {
  const reasons = parts.flatMap(({ seller, reported }) =>
    reported?.rejectionReason === undefined ? [] : [{ seller, reason: reported.rejectionReason }],
  );
  if (reasons.length === 0) return undefined;
  if (parts.length === 1) return reasons[0]?.reason;
  return reasons.map(({ seller, reason }) => `${seller}: ${reason}`).join(' ');
}

/** A buy is canceled when its last part is. */
function lastCancellation(parts: readonly SellerBuy[]): JsonObject | undefined {
  const known = parts
    .map(({ reported }) => reported?.cancellation)
    .filter((candidate): candidate is JsonObject => candidate !== undefined);
  const timeOf = ({ canceled_at: at }: JsonObject): number => (typeof at === 'string' ? Date.parse(at) : 0);
  return [...known].sort((one, other) => timeOf(other) - timeOf(one))[0];
}

function partOf(
  { seller, status, reported }: SellerBuy,
  buy: Flight,
  isOneOfSeveral: boolean,
): readonly BuyPart[] {
  const { rejectionReason, creativeDeadline } = reported ?? {};
  const flight =
    status === 'canceled' || status === 'rejected' ? {} : flightShown(reported, buy, isOneOfSeveral);
  const deadline = isBuyOver(status) ? undefined : creativeDeadline;
  const reason = status === 'rejected' ? rejectionReason : undefined;
  if (deadline === undefined && reason === undefined && Object.keys(flight).length === 0) return [];
  return [
    {
      seller,
      status,
      ...flight,
      ...defined({ rejectionReason: reason, creativeDeadline: deadline }),
    },
  ];
}

/** The dates of a part that differ from the agreed ones; a single part's resolved `asap` start is that of the buy. */
function flightShown(
  { startTime, endTime, startsAsap }: ReportedBuy = {},
  buy: Flight,
  isOneOfSeveral: boolean,
): Pick<BuyPart, 'startTime' | 'endTime' | 'asked'> {
  const requested: JsonObject = {
    ...(startTime === undefined || startsAsap === true ? {} : { start_time: buy.startTime }),
    ...(endTime === undefined ? {} : { end_time: buy.endTime }),
  };
  const isRequested = Object.keys(requested).length > 0;
  if (!isRequested && !isOneOfSeveral) return {};
  return {
    ...defined({ startTime, endTime }),
    ...(isRequested ? { asked: requested } : {}),
  };
}

function isMoment(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
