import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { BuyChange, Leg, SellerBuy } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import { judgePackageMove, packageState } from '../model/package-states.js';
import { placeOf } from './record-changes.js';
import { illegalTransition } from './refuse-transition.js';

interface JudgedPackages {
  /** The request without illegal and repeated changes. */
  readonly requested: UpdateMediaBuyRequest;
  /** The state with a finding on the leg for each refused change. */
  readonly state: OperationState;
  readonly refusals: readonly BuyChange[];
}

/**
 * Checks an accepted change of packages against their current states: another change may have been faster. An illegal
 * change is not applied, and is shown on the leg and in the history of the buy. The first cancellation stays.
 */
export function judgePackages(
  state: OperationState,
  leg: Leg,
  requested: UpdateMediaBuyRequest,
  of: { readonly sellerBuy: SellerBuy; readonly revision: number; readonly at: Instant },
): JudgedPackages {
  const judged = requested.packages.map((update) => {
    const item = state.packages.find(
      (candidate) =>
        candidate.seller === leg.seller &&
        candidate.sellerPackageId !== undefined &&
        candidate.sellerPackageId === update.packageId,
    );
    const from = item === undefined ? undefined : packageState(item);
    return { update, from, move: from === undefined ? undefined : judgePackageMove(from, update) };
  });
  const packages = judged
    .filter(({ move }) => move === undefined || move.verdict === 'taken')
    .map(({ update }) => update);
  const refused = judged.filter(({ move }) => move?.verdict === 'refused');
  const findings = refused.map(({ update: { packageId = '' }, from }) => ({
    code: illegalTransition,
    message: `The seller reports that it changed the package ${packageId}, which is ${from ?? ''}: that was not applied.`,
    field: packageId,
  }));
  const refusals = refused.map(({ update, from = '', move }): BuyChange => ({
    ...placeOf({ state, leg, ...of }),
    actor: 'seller',
    action: 'refused_transition',
    revision: of.revision,
    detail: { from, to: move?.to ?? '' },
    ...(update.packageId === undefined ? {} : { packageId: update.packageId }),
  }));
  const legs = state.legs.map((current) =>
    current.id !== leg.id || findings.length === 0
      ? current
      : { ...current, findings: [...current.findings, ...findings] },
  );
  return { requested: { ...requested, packages }, state: { ...state, legs }, refusals };
}
