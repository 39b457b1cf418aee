import type { CreatedPackage, UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { budgetMicros } from '../terms/quoted-terms.js';
import { mapPackages } from '../terms/map-packages.js';
import type { BuyPackage, Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { canceledPackage } from './judge-reported-package.js';
import { cancellationOf } from './reported-buy.js';
import { storedTargeting } from '../model/stored-targeting.js';
import { differingTerms, withTermsChanged, withReportedTerms } from '../terms/stored-terms.js';

/** Applies an accepted change to the packages: the requested members, and the seller's ids of added packages. */
export function recordPackages(
  state: OperationState,
  leg: Leg,
  {
    requested,
    affected,
    at,
  }: {
    readonly requested: UpdateMediaBuyRequest;
    readonly affected: readonly CreatedPackage[];
    readonly at: Instant;
  },
): OperationState {
  const own = (item: BuyPackage): boolean => item.seller === leg.seller;
  const known = new Set(state.packages.filter(own).map((item) => item.sellerPackageId));
  const fresh = state.packages.filter((item) => item.legId === leg.id && item.sellerPackageId === undefined);
  const made = mapPackages(
    fresh,
    affected.filter((created) => !known.has(created.packageId)),
  );
  const ids = new Map(made.map(({ ordered, created }) => [ordered.id, created.packageId]));
  const packages = state.packages.map((item): BuyPackage => {
    const sellerPackageId = ids.get(item.id);
    const received = affected.find(
      ({ packageId }) => packageId === (sellerPackageId ?? item.sellerPackageId) && own(item),
    );
    if (sellerPackageId !== undefined) return withReportedTerms({ ...item, sellerPackageId }, received ?? {});
    const update = own(item)
      ? requested.packages.find(
          (candidate) => candidate.packageId !== undefined && candidate.packageId === item.sellerPackageId,
        )
      : undefined;
    if (update === undefined) return received === undefined ? item : withReportedTerms(item, received);
    const changed = {
      ...withTermsChanged(item, update),
      ...(update.budget === undefined ? {} : { budgetMicros: budgetMicros(update.budget, item.currency) }),
      ...(update.bidPrice === undefined ? {} : { bidMicros: budgetMicros(update.bidPrice, item.currency) }),
      ...(update.targetingOverlay === undefined
        ? {}
        : { targeting: storedTargeting(update.targetingOverlay) }),
      ...(update.paused === undefined ? {} : { paused: update.paused }),
    };
    const ended =
      update.canceled === true
        ? canceledPackage(changed, cancellationOf('buyer', at, update.cancellationReason))
        : changed;
    return withReportedTerms(ended, received ?? {});
  });
  // The terms of a canceled package are not compared.
  const others = packages.flatMap((item) =>
    own(item) &&
    item.canceledAt === undefined &&
    affected.some(({ packageId }) => packageId === item.sellerPackageId)
      ? differingTerms(item, undefined, item.sellerPackageId ?? '')
      : [],
  );
  const lost = fresh.length - made.length;
  const message = `The seller accepted the change but does not list ${lost} of the new packages.`;
  const findings = [...others, ...(lost === 0 ? [] : [{ code: 'NEW_PACKAGE_UNNAMED', message }])];
  const legs = state.legs.map((current) =>
    current.id === leg.id && findings.length > 0
      ? { ...current, findings: [...current.findings, ...findings] }
      : current,
  );
  return { ...state, packages, legs };
}
