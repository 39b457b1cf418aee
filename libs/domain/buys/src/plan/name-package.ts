import {
  isBuyOver,
  prefixId,
  splitId,
  taskError,
  type PackageUpdate,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import { err, ok, type Result } from '@switchyard/values';
import { budgetFault, checkPackage } from './check-package.js';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';
import type { MarketKnowledge } from './planned-package.js';

/** An update of a package together with the package that it names. */
export interface NamedUpdate {
  readonly item: BuyPackage;
  readonly update: PackageUpdate;
}

/** Finds the package of the buy that an update names, and checks the change. */
export function namePackage(
  update: PackageUpdate,
  at: number,
  record: MediaBuyRecord,
): Result<NamedUpdate, readonly TaskError[]> {
  const field = (name: string): string => `packages[${at}].${name}`;
  const named = record.packages.filter((candidate) => isNamed(candidate, update));
  const [standing, another] = named.filter(({ canceledAt }) => canceledAt === undefined);
  const item = standing ?? named[0];
  if (another !== undefined) {
    const message = 'Several packages of the buy have this buyer_ref.';
    const suggestion = 'Use the package_id.';
    return err([taskError('INVALID_REQUEST', message, { field: field('buyer_ref'), suggestion })]);
  }
  if (item?.sellerPackageId === undefined) {
    return err([
      taskError('PACKAGE_NOT_FOUND', 'The buy has no package with this id.', {
        field: field(update.packageId === undefined ? 'buyer_ref' : 'package_id'),
        suggestion: 'Use the package_id as create_media_buy returned it, with the prefix of its seller.',
      }),
    ]);
  }
  const sellerBuy = record.sellerBuys.find((candidate) => candidate.seller === item.seller);
  if (item.canceledAt !== undefined || sellerBuy === undefined || isBuyOver(sellerBuy.status)) {
    const again = update.canceled === true && item.canceledAt !== undefined;
    const code = again ? 'NOT_CANCELLABLE' : 'INVALID_STATE';
    return err([taskError(code, 'The package has ended.', { field: field('package_id') })]);
  }
  const errors = [
    ...(update.budget === undefined ? [] : budgetFault(update.budget, item.currency, field('budget'))),
    ...(update.bidPrice === undefined ? [] : budgetFault(update.bidPrice, item.currency, field('bid_price'))),
  ];
  return errors.length > 0 ? err(errors) : ok({ item, update });
}

/** Whether an update names this package, by the prefixed id or by the buyer's own reference. */
export function isNamed(item: BuyPackage, update: Pick<PackageUpdate, 'packageId' | 'buyerRef'>): boolean {
  if (item.sellerPackageId === undefined) return false;
  if (update.packageId !== undefined) return prefixId(item.seller, item.sellerPackageId) === update.packageId;
  return item.buyerRef !== undefined && item.buyerRef === update.buyerRef;
}

/** Checks a package to be added: like one of a new buy, at a seller that has a part of this buy. */
export function checkNewPackage(
  wanted: UpdateMediaBuyRequest['newPackages'][number],
  at: number,
  record: MediaBuyRecord,
  market: MarketKnowledge,
): ReturnType<typeof checkPackage> {
  const checked = checkPackage(wanted, at, market);
  const field = (name: string): string => `new_packages[${at}].${name}`;
  if (!checked.ok) return err(checked.error.map(amongNew));
  const id = splitId(wanted.productId);
  const sellerBuy = record.sellerBuys.find((candidate) => id.ok && candidate.seller === id.value.slug);
  if (sellerBuy === undefined || isBuyOver(sellerBuy.status)) {
    return err([
      taskError(
        'UNSUPPORTED_FEATURE',
        'The buy has no part at this seller to which a package can be added.',
        {
          field: field('product_id'),
          suggestion: 'Create a separate media buy for this seller.',
        },
      ),
    ]);
  }
  const standing = record.packages.filter(({ canceledAt }) => canceledAt === undefined);
  if (wanted.buyerRef !== undefined && standing.some(({ buyerRef }) => buyerRef === wanted.buyerRef)) {
    const message = 'A package of the buy already has this buyer_ref.';
    const suggestion = 'Give the new package another reference.';
    return err([taskError('INVALID_REQUEST', message, { field: field('buyer_ref'), suggestion })]);
  }
  const { currency } = checked.value.planned.price;
  if (currency === record.buy.currency)
    return ok({ ...checked.value, findings: checked.value.findings.map(amongNew) });
  const message = `One buy has one currency: this one is in ${record.buy.currency}, and the package in ${currency}.`;
  return err([taskError('INVALID_REQUEST', message, { field: field('pricing_option_id') })]);
}

/** The same error or finding, with its field under `new_packages` instead of `packages`. */
function amongNew<Said extends { readonly field?: string }>(reported: Said): Said {
  return reported.field === undefined
    ? reported
    : { ...reported, field: reported.field.replace(/^packages/, 'new_packages') };
}
