import { microsToDecimal } from '@switchyard/money';
import type { CreatedPackage, Finding } from '@switchyard/protocol';
import { isJsonObject, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { changedTerms, differingTerms, budgetAtSeller, withReportedTerms } from '../terms/stored-terms.js';
import type { BuyPackage, Leg, SellerBuy, BuyChange } from '../model/operation.js';
import { isPackageMove, packageState, type PackageState } from '../model/package-states.js';
import { illegalTransition } from './refuse-transition.js';
import { cancellationOf, type Cancellation } from './reported-buy.js';
import type { OperationState } from '../model/operation-state.js';
import { placeOf } from './record-changes.js';

/** A package after its seller's report, and what is new in it. */
export interface JudgedPackage {
  readonly item: BuyPackage;
  readonly detail: JsonObject;
  readonly isRefused: boolean;
  readonly findings?: Leg['findings'];
}

/** Checks a seller's report on one package against its state and its known terms. */
export function judgeReportedPackage(
  item: BuyPackage,
  { sellerBuy, at }: { readonly sellerBuy: SellerBuy; readonly at: Instant },
  received: CreatedPackage | undefined,
): JudgedPackage {
  if (received === undefined) return { item, detail: {}, isRefused: false };
  const from = packageState(item);
  const to = reportedState(from, received, sellerBuy);
  const field = item.sellerPackageId ?? '';
  if (to !== from && !isPackageMove(from, to)) {
    const message = `The seller reports ${to} of the package ${field}, which is ${from}: this transition is not allowed and was not applied.`;
    return {
      item,
      detail: { from, to },
      isRefused: true,
      findings: [{ code: illegalTransition, message, field }],
    };
  }
  // The terms of a canceled package are not updated.
  if (from === 'canceled') return { item, detail: {}, isRefused: false };
  const reported = withReportedTerms(item, received);
  const changed = changedTerms(item, reported);
  return {
    item: to === from ? reported : inState(reported, to, received, at),
    detail: { ...moveOf(from, to), ...changed, ...budgetChange(item, reported) },
    isRefused: false,
    ...(reported === item || to === 'canceled'
      ? {}
      : { findings: differingTerms(reported, budgetAtSeller(reported), field) }),
  };
}

/**
 * The state of a package by its seller's report. A seller may show every package of a paused or canceled part
 * in that state; this does not change the packages. A report without `canceled` does not undo a cancellation.
 */
export function reportedState(
  from: PackageState,
  { canceled, paused }: CreatedPackage,
  { status }: SellerBuy,
): PackageState {
  if (canceled === true) return status === 'canceled' ? from : 'canceled';
  if (from === 'canceled') return canceled === false ? 'active' : from;
  if (paused === undefined || (paused && status === 'paused')) return from;
  return paused ? 'paused' : 'active';
}

function inState(item: BuyPackage, to: PackageState, received: CreatedPackage, at: Instant): BuyPackage {
  if (to !== 'canceled') return { ...item, paused: to === 'paused' };
  const words = received.original.value['cancellation'];
  const cancellation = cancellationOf('seller', at, undefined, isJsonObject(words) ? words : undefined);
  // A seller's clock may be ahead: no cancellation is later than its report.
  const when = Math.min(Date.parse(cancellation.canceled_at), at);
  return canceledPackage(item, { ...cancellation, canceled_at: isoOf(when) });
}

/** The package, canceled: with the time, actor and reason that 3.x shows. */
export function canceledPackage(item: BuyPackage, cancellation: Cancellation): BuyPackage {
  const terms = item.terms ?? { requested: {}, sent: {}, reported: {} };
  return {
    ...item,
    canceledAt: Date.parse(cancellation.canceled_at),
    terms: { ...terms, reported: { ...terms.reported, cancellation } },
  };
}

function moveOf(from: PackageState, to: PackageState): JsonObject {
  if (to === from) return {};
  return to === 'canceled' ? { canceled: true } : { paused: to === 'paused' };
}

function budgetChange(before: BuyPackage, after: BuyPackage): JsonObject {
  const [from, to] = [budgetAtSeller(before), budgetAtSeller(after)];
  return from === to ? {} : { budget: microsToDecimal(to) };
}

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
