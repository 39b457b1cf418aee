import { microsToDecimal } from '@switchyard/money';
import type { CreatedPackage } from '@switchyard/protocol';
import { isJsonObject, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { changedTerms, differingTerms, heldBudget, withTermsSaid } from '../model/kept-terms.js';
import type { BuyPackage, Leg, SellerBuy } from '../model/operation.js';
import { isPackageMove, packageState, type PackageState } from '../model/package-states.js';
import { illegalTransition } from '../update/refuse-transition.js';
import { cancellationOf } from './said-of-buy.js';

/** A package after its seller's words on it, and what of them is new. */
export interface JudgedPackage {
  readonly item: BuyPackage;
  readonly detail: JsonObject;
  readonly isRefused: boolean;
  readonly findings?: Leg['findings'];
}

/** Holds what a seller says of one package to the states of packages, and to what is known of its terms. */
export function judgePackageSaid(
  item: BuyPackage,
  { sellerBuy, at }: { readonly sellerBuy: SellerBuy; readonly at: Instant },
  told: CreatedPackage | undefined,
): JudgedPackage {
  if (told === undefined) return { item, detail: {}, isRefused: false };
  const from = packageState(item);
  const to = stateSaid(from, told, sellerBuy);
  const field = item.sellerPackageId ?? '';
  if (to !== from && !isPackageMove(from, to)) {
    const message = `The seller says ${to} of the package ${field}, which is ${from}: this transition is not allowed and was not applied.`;
    return {
      item,
      detail: { from, to },
      isRefused: true,
      findings: [{ code: illegalTransition, message, field }],
    };
  }
  // What a canceled package stands on is nobody's matter any more.
  if (from === 'canceled') return { item, detail: {}, isRefused: false };
  const said = withTermsSaid(item, told);
  const changed = changedTerms(item, said);
  return {
    item: to === from ? said : inState(said, to, told, at),
    detail: { ...moveOf(from, to), ...changed, ...budgetChange(item, said) },
    isRefused: false,
    ...(said === item || to === 'canceled'
      ? {}
      : { findings: differingTerms(said, heldBudget(said), field) }),
  };
}

/**
 * The state that a seller's words put a package in. A part that is paused or canceled as a whole may show each of its
 * packages so, which says nothing of any of them; and silence about a cancellation takes none back.
 */
export function stateSaid(
  from: PackageState,
  { canceled, paused }: CreatedPackage,
  { status }: SellerBuy,
): PackageState {
  if (canceled === true) return status === 'canceled' ? from : 'canceled';
  if (from === 'canceled') return canceled === false ? 'active' : from;
  if (paused === undefined || (paused && status === 'paused')) return from;
  return paused ? 'paused' : 'active';
}

/** A package in the state that its seller's words put it in. */
export function inState(item: BuyPackage, to: PackageState, told: CreatedPackage, at: Instant): BuyPackage {
  if (to !== 'canceled') return { ...item, paused: to === 'paused' };
  const words = told.original.value['cancellation'];
  const cancellation = cancellationOf('seller', at, undefined, isJsonObject(words) ? words : undefined);
  const terms = item.terms ?? { asked: {}, sent: {}, said: {} };
  const when = Date.parse(cancellation.canceled_at);
  return {
    ...item,
    // A seller's clock may be ahead of ours: nothing has ended before it was heard of.
    canceledAt: Math.min(when, at),
    terms: {
      ...terms,
      said: { ...terms.said, cancellation: { ...cancellation, canceled_at: isoOf(Math.min(when, at)) } },
    },
  };
}

function moveOf(from: PackageState, to: PackageState): JsonObject {
  if (to === from) return {};
  return to === 'canceled' ? { canceled: true } : { paused: to === 'paused' };
}

function budgetChange(before: BuyPackage, after: BuyPackage): JsonObject {
  const [from, to] = [heldBudget(before), heldBudget(after)];
  return from === to ? {} : { budget: microsToDecimal(to) };
}
