import type { CreatedPackage, Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { inState, reportedState } from './judge-reported-package.js';
import type { BuyChange, BuyPackage, Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { packageState } from '../model/package-states.js';
import { placeOf } from './record-changes.js';

/** The finding on a leg whose seller created and canceled a package in one answer. */
const madeCanceled = 'PACKAGE_CANCELED';

/**
 * Applies packages that a seller cancels in the answer that creates them
 * (docs/protocol/media-buys.md#packages). They count as bought and ended: their budget is free again, each
 * end is recorded as the seller's own, and the buyer gets a finding.
 */
export function omitCanceled(
  state: OperationState,
  leg: Leg,
  created: readonly CreatedPackage[],
  at: Instant,
): { readonly state: OperationState; readonly changes: readonly BuyChange[] } {
  const { buy } = state;
  const sellerBuy = state.sellerBuys.find(({ legId }) => legId === leg.id);
  if (buy === undefined || sellerBuy === undefined) return { state, changes: [] };
  const changes: BuyChange[] = [];
  const findings: Finding[] = [];
  const packages = state.packages.map((item): BuyPackage => {
    const received = created.find(({ packageId }) => packageId === item.sellerPackageId);
    if (item.legId !== leg.id || received === undefined) return item;
    const from = packageState(item);
    if (from === 'canceled' || reportedState(from, received, sellerBuy) !== 'canceled') return item;
    const { packageId } = received;
    const message = `The seller has made the package ${packageId}, and canceled it in the same answer.`;
    findings.push({ code: madeCanceled, message, field: packageId });
    changes.push({
      ...placeOf({ state, leg, sellerBuy, at }),
      actor: 'seller',
      action: 'remove_packages',
      revision: buy.revision,
      packageId,
      detail: { canceled: true },
    });
    return inState(item, 'canceled', received, at);
  });
  if (changes.length === 0) return { state, changes };
  const legs = state.legs.map((current) =>
    current.id === leg.id ? { ...current, findings: [...current.findings, ...findings] } : current,
  );
  return { state: { ...state, packages, legs }, changes };
}
