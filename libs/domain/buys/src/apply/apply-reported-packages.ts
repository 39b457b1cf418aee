import type { CreatedPackage, Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { judgeReportedPackage, reportedState, type JudgedPackage } from './judge-reported-package.js';
import { withReportedTerms } from '../terms/stored-terms.js';
import type { BuyChange, BuyPackage, Leg, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { packageState } from '../model/package-states.js';
import { placeOf } from './record-changes.js';

/** A change whose resulting revision of the buy is not known yet. */
type PackageChange = Omit<BuyChange, 'revision'>;

interface PackagesTaken {
  readonly packages: readonly BuyPackage[];
  readonly legs: readonly Leg[];
  /** Changes that the seller made by itself. */
  readonly changes: readonly PackageChange[];
  /** Illegal transitions in the report; each is recorded once. */
  readonly refusals: readonly PackageChange[];
}

interface Place {
  /** The leg whose answer this is, or that created the part. */
  readonly leg: Leg;
  readonly sellerBuy: SellerBuy;
  readonly at: Instant;
}

/**
 * Applies what a seller reports of its packages: packages that it paused, resumed or canceled by itself, and
 * their terms and budget (docs/protocol/media-buys.md#confirmation). Changes are recorded as the seller's
 * own. A canceled package stays canceled.
 */
export function applyReportedPackages(
  state: OperationState,
  place: Place,
  received: readonly CreatedPackage[],
): PackagesTaken {
  const judged = state.packages.map((item) =>
    judgeReportedPackage(item, place, receivedOf(item, place, received)),
  );
  const update = judged.flatMap(({ findings: found }) => found ?? []);
  const isNew = (finding: Finding): boolean => isUnknownTo(place.leg, finding);
  const base = placeOf({ state, ...place });
  const asChange = (action: string, { item, detail }: JudgedPackage): PackageChange => ({
    ...base,
    actor: 'seller',
    action,
    detail,
    ...(item.sellerPackageId === undefined ? {} : { packageId: item.sellerPackageId }),
  });
  const refused = judged.filter(({ isRefused, findings: own }) => isRefused && (own ?? []).some(isNew));
  return {
    packages: judged.map(({ item }) => item),
    legs: withNewFindings(state.legs, place.leg, update),
    changes: judged
      .filter(({ isRefused, detail }) => !isRefused && Object.keys(detail).length > 0)
      .map((item) =>
        asChange(item.detail['canceled'] === true ? 'remove_packages' : 'update_packages', item),
      ),
    refusals: refused.map((item) => asChange('refused_transition', item)),
  };
}

/** Adds each finding once, however often a seller causes it. */
export function withNewFindings(
  legs: readonly Leg[],
  leg: Leg,
  findings: readonly Finding[],
): readonly Leg[] {
  const fresh = findings.filter((finding) => isUnknownTo(leg, finding));
  if (fresh.length === 0) return legs;
  return legs.map((current) =>
    current.id === leg.id ? { ...current, findings: [...current.findings, ...fresh] } : current,
  );
}

function isUnknownTo({ findings }: Leg, finding: Finding): boolean {
  return !findings.some(
    ({ code, field, message }) =>
      code === finding.code && field === finding.field && message === finding.message,
  );
}

/** Whether a seller reports anything new about its packages. */
export function reportsOtherPackages(
  packages: readonly BuyPackage[],
  sellerBuy: SellerBuy,
  received: readonly CreatedPackage[],
): boolean {
  return packages.some((item) => {
    const created = receivedOf(item, { sellerBuy }, received);
    if (created === undefined) return false;
    return (
      reportedState(packageState(item), created, sellerBuy) !== packageState(item) ||
      withReportedTerms(item, created) !== item
    );
  });
}

function receivedOf(
  item: BuyPackage,
  { sellerBuy }: Pick<Place, 'sellerBuy'>,
  received: readonly CreatedPackage[],
): CreatedPackage | undefined {
  if (item.seller !== sellerBuy.seller || item.sellerPackageId === undefined) return undefined;
  return received.find(({ packageId }) => packageId === item.sellerPackageId);
}
