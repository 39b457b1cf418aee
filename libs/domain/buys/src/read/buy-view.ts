import { microsToDecimal } from '@switchyard/money';
import {
  actionsOf,
  commonActions,
  isBuyOver,
  isPackageAction,
  prefixId,
  type AvailableAction,
  type CreatedPackage,
  type MediaBuyView,
  type Original,
} from '@switchyard/protocol';
import { defined, isJsonObject, isoOf } from '@switchyard/values';
import { flightOf } from '../model/flight.js';
import { budgetAtSeller, termsShown } from '../terms/stored-terms.js';
import type { BuyPackage, MediaBuyRecord, SellerBuy } from '../model/operation.js';
import { isMadeOrMayBe } from '../model/leg-state.js';
import { rollUpReported } from '../apply/reported-buy.js';

/** Local objects have no original of a peer: they are always written from their members. */
const internalOriginal: Original = { form: 'ours', value: {} };

/** A media buy as its buyer sees it: one buy, whose package ids have the prefix of their seller. */
export function viewBuy(record: MediaBuyRecord): MediaBuyView {
  const { buy } = record;
  const asOf = statusAsOf(record);
  const confirmed = confirmedAt(record);
  return {
    mediaBuyId: buy.id,
    status: buy.status,
    currency: buy.currency,
    revision: buy.revision,
    actions: actionsNow(record),
    confirmedAt: confirmed === undefined ? null : isoOf(confirmed),
    packages: viewPackages(record),
    totalBudget: microsToDecimal(liveBudget(record)),
    ...flightOf(record),
    createdAt: isoOf(buy.createdAt),
    updatedAt: isoOf(buy.updatedAt),
    impairments: [],
    original: internalOriginal,
    ...rollUpReported(record),
    ...(asOf === undefined ? {} : { statusAsOf: isoOf(asOf) }),
    ...defined({ buyerRef: buy.buyerRef, context: buy.context }),
  };
}

/** The packages that sellers have created, in the buyer's order. Others have no id yet, and are not shown. */
function viewPackages(record: Pick<MediaBuyRecord, 'packages'>): readonly CreatedPackage[] {
  return record.packages.flatMap((item) =>
    item.sellerPackageId === undefined ? [] : [viewPackage(item, item.sellerPackageId)],
  );
}

/** One package for its buyer, with prefixed ids. */
export function viewPackage(item: BuyPackage, sellerPackageId: string): CreatedPackage {
  const { holding, requested } = termsShown(item);
  const { targeting_overlay: targeting, ...rest } = holding;
  return {
    packageId: prefixId(item.seller, sellerPackageId),
    productId: prefixId(item.seller, item.productId),
    pricingOptionId: item.pricingOptionId,
    budget: microsToDecimal(budgetAtSeller(item)),
    original: internalOriginal,
    ...defined({ buyerRef: item.buyerRef, paused: item.paused }),
    ...(item.canceledAt === undefined ? {} : { canceled: true }),
    ...(isJsonObject(targeting) ? { targeting } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { reportedTerms: rest }),
    ...(Object.keys(requested).length === 0 ? {} : { asked: requested }),
    ...(item.context === undefined ? {} : { context: item.context }),
  };
}

/**
 * The sum of the budgets of packages that exist, or that a seller may still create (docs/protocol/media-buys.md#money).
 */
export function liveBudget({
  packages,
  sellerBuys,
}: Pick<MediaBuyRecord, 'packages' | 'sellerBuys'>): bigint {
  return packages
    .filter((item) => item.canceledAt === undefined)
    .filter((item) => {
      const sellerBuy = sellerBuys.find((candidate) => candidate.seller === item.seller);
      if (sellerBuy === undefined || item.sellerPackageId !== undefined) return true;
      // A package of the original buy counts while its seller may create it; a later one once it is created.
      return item.legId === sellerBuy.legId && isMadeOrMayBe(sellerBuy);
    })
    .reduce((sum, item) => sum + budgetAtSeller(item), 0n);
}

/**
 * The actions that are available now: those that every seller with a running part allows, in the strictest of
 * their modes. Actions on packages depend only on parts that still have packages.
 */
export function actionsNow({
  sellerBuys,
  packages,
}: Pick<MediaBuyRecord, 'sellerBuys' | 'packages'>): readonly AvailableAction[] {
  const live = sellerBuys.filter((sellerBuy) => !isBuyOver(sellerBuy.status));
  const allowedBy = (parts: readonly SellerBuy[]): readonly AvailableAction[] =>
    commonActions(parts.map((part) => actionsOf(part.status, part.actions)));
  const isEmpty = ({ seller }: SellerBuy): boolean => {
    const own = packages.filter((item) => item.seller === seller);
    return own.length > 0 && own.every(({ canceledAt }) => canceledAt !== undefined);
  };
  if (!live.some(isEmpty)) return allowedBy(live);
  const ofPackages = allowedBy(live.filter((sellerBuy) => !isEmpty(sellerBuy)));
  return [
    ...allowedBy(live).filter(({ action }) => !isPackageAction(action)),
    ...ofPackages.filter(({ action }) => isPackageAction(action)),
  ];
}

/**
 * Not later than the oldest observation that could still change the rolled-up status
 * (docs/protocol/media-buys.md#several-sellers): that of running buys. Where all have ended, the newest one.
 */
function statusAsOf({ sellerBuys }: MediaBuyRecord): number | undefined {
  const open = sellerBuys.filter((sellerBuy) => !isBuyOver(sellerBuy.status));
  const times = (open.length > 0 ? open : sellerBuys).map((sellerBuy) => sellerBuy.statusAsOf);
  const known = times.filter((time) => time !== undefined);
  if (known.length === 0 || known.length < times.length) return undefined;
  return open.length > 0 ? Math.min(...known) : Math.max(...known);
}

/** The last confirmation; undefined (provisional) while a counting seller has none. Failed legs do not count. */
function confirmedAt(record: MediaBuyRecord): number | undefined {
  const counting = record.sellerBuys.filter(isMadeOrMayBe);
  const times = counting.map((sellerBuy) => sellerBuy.confirmedAt);
  const known = times.filter((time) => time !== undefined);
  return counting.length === 0 || known.length < counting.length ? undefined : Math.max(...known);
}
