import type { CreatedPackage, UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { budgetMicros } from './budget-micros.js';
import { mapPackages } from './map-packages.js';
import type { BuyPackage, Leg } from './operation.js';
import type { OperationState } from './operation-store.js';
import { keptTargeting } from './kept-targeting.js';

/** Writes an accepted change into our packages: what it asked for, and the seller's ids of those that it added. */
export function bookPackages(
  state: OperationState,
  leg: Leg,
  asked: UpdateMediaBuyRequest,
  affected: readonly CreatedPackage[],
  at: Instant,
): OperationState {
  const own = (item: BuyPackage): boolean => item.seller === leg.seller;
  const known = new Set(state.packages.filter(own).map((item) => item.sellerPackageId));
  const fresh = state.packages.filter((item) => item.legId === leg.id && item.sellerPackageId === undefined);
  const made = mapPackages(
    fresh,
    affected.filter((one) => !known.has(one.packageId)),
  );
  const ids = new Map(made.map(({ wanted, created }) => [wanted.id, created.packageId]));
  const packages = state.packages.map((item): BuyPackage => {
    const sellerPackageId = ids.get(item.id);
    if (sellerPackageId !== undefined) return { ...item, sellerPackageId };
    const update = own(item)
      ? asked.packages.find((one) => one.packageId !== undefined && one.packageId === item.sellerPackageId)
      : undefined;
    if (update === undefined) return item;
    return {
      ...item,
      ...(update.budget === undefined ? {} : { budgetMicros: budgetMicros(update.budget, item.currency) }),
      ...(update.bidPrice === undefined ? {} : { bidMicros: budgetMicros(update.bidPrice, item.currency) }),
      ...(update.targetingOverlay === undefined ? {} : { targeting: keptTargeting(update.targetingOverlay) }),
      ...(update.paused === undefined ? {} : { paused: update.paused }),
      ...(update.canceled === true ? { canceledAt: at } : {}),
    };
  });
  const lost = fresh.length - made.length;
  if (lost === 0) return { ...state, packages };
  const message = `The seller accepted the change and names ${lost} of the new packages not.`;
  const finding = { code: 'NEW_PACKAGE_UNNAMED', message };
  const legs = state.legs.map((one) =>
    one.id === leg.id ? { ...one, findings: [...one.findings, finding] } : one,
  );
  return { ...state, packages, legs };
}
