import { microsToDecimal } from '@switchyard/money';
import {
  readPackageTerms,
  wordsOfSellers,
  type CreatedPackage,
  type Finding,
  type PackageRequest,
  type PackageUpdate,
} from '@switchyard/protocol';
import { canonicalJson, type JsonObject, type JsonValue } from '@switchyard/values';
import { storedTargeting } from '../model/stored-targeting.js';
import type { BuyPackage, PackageTerms } from '../model/operation.js';
import { quotedAmount, defaultsOf } from './quoted-terms.js';

/** The terms of a new package: what its buyer requested, and the part that was sent to its seller. */
export function draftTerms(request: PackageRequest, sent: JsonObject | undefined): PackageTerms {
  const { targeting_overlay: _omitted, bid_price: _beside, ...rest } = termsIn(request.original.value);
  return { requested: rest, sent: termsIn(sent ?? {}), reported: {} };
}

/** The terms of a package that its seller creates from its own proposal, which already has the targeting. */
export function termsOfProposal(item: Pick<BuyPackage, 'targeting' | 'bidMicros'>): PackageTerms {
  return { requested: {}, sent: besideTerms(item), reported: {}, isOfProposal: true };
}

/** The terms of packages that were sent in this order. */
export function draftTermsInOrder(
  requests: readonly PackageRequest[],
  sent: JsonValue | undefined,
): readonly PackageTerms[] {
  const written = Array.isArray(sent) ? sent : [];
  return requests.map((request, at) => draftTerms(request, objectOr(written[at])));
}

/** A package after its seller accepted a change: earlier reported values of the changed members no longer count. */
export function withTermsChanged(item: BuyPackage, update: PackageUpdate): BuyPackage {
  const sent = termsIn(update.original.value);
  const before = termsOf(item);
  const isBudgetSet = update.budget !== undefined && before.reported['budget'] !== undefined;
  const isRedressed = update.creativeAssignments !== undefined || update.creatives !== undefined;
  if (Object.keys(sent).length === 0 && !isBudgetSet && !isRedressed) return item;
  const { targeting_overlay: _omitted, bid_price: _beside, ...rest } = sent;
  const isOld = (name: string): boolean =>
    name in sent || (isBudgetSet && name === 'budget') || (isRedressed && wordsOfSellers.includes(name));
  const reported = Object.fromEntries(Object.entries(before.reported).filter(([name]) => !isOld(name)));
  return {
    ...item,
    terms: {
      ...before,
      requested: { ...before.requested, ...rest },
      sent: { ...before.sent, ...sent },
      reported,
    },
  };
}

/** Returns a package with the terms that its seller reported; the same object where nothing is new. */
export function withReportedTerms(
  item: BuyPackage,
  { reportedTerms, targeting, budget }: Pick<CreatedPackage, 'reportedTerms' | 'targeting' | 'budget'>,
): BuyPackage {
  const before = termsOf(item);
  const amount = quotedAmount(budget);
  // A repeated budget is stored only where the seller had reported another one before.
  const isAmountNews = amount !== undefined && amount >= 0n && amount !== budgetAtSeller(item);
  const reported = storedTargeting({
    ...reportedTerms,
    ...(targeting === undefined ? {} : { targeting_overlay: targeting }),
    ...(isAmountNews ? { budget: microsToDecimal(amount) } : {}),
  });
  const isUpdate = Object.entries(reported).some(([name, value]) => !isSame(before.reported[name], value));
  return isUpdate ? { ...item, terms: { ...before, reported: { ...before.reported, ...reported } } } : item;
}

/**
 * The budget of a package at its seller, in micros: the seller's reported value where it differs. The ledger
 * compares spend with the budget that the buyer requested, because only the buyer commits money.
 */
export function budgetAtSeller(item: BuyPackage): bigint {
  const { budget } = termsOf(item).reported;
  return (typeof budget === 'string' ? quotedAmount(budget) : undefined) ?? item.budgetMicros;
}

/**
 * The terms that a change replaced, beside the budget, for the record of the change. Members about creatives
 * are left out: the seller may have them from another request, so their change is not the seller's own.
 */
export function changedTerms(before: BuyPackage, after: BuyPackage): JsonObject {
  if (before === after) return {};
  const [then, now] = [termsShown(before).holding, termsShown(after).holding];
  const changed = Object.entries(now).filter(
    ([name, value]) =>
      then[name] !== undefined && !isSame(then[name], value) && !wordsOfSellers.includes(name),
  );
  // An overlay may be long: the record says only that it was replaced.
  return Object.fromEntries(
    changed.map(([name, value]) =>
      name === 'targeting_overlay' ? ['targeting', 'replaced'] : [name, value],
    ),
  );
}

/** The known current terms of a package, and those that its buyer requested instead. */
export function termsShown(item: BuyPackage): {
  readonly holding: JsonObject;
  readonly requested: JsonObject;
} {
  const terms = termsOf(item);
  const { sent, reported } = terms;
  const { budget: _heldApart, ...rest } = reported;
  const requested = requestedChange(item);
  const holding: Record<string, JsonValue> = { ...defaultsOf(terms) };
  for (const [name, value] of Object.entries({ ...sent, ...rest }))
    // A value that the seller only repeats was sent in the seller's terms: the buyer's value is shown.
    holding[name] = isDiffering(name, { sent, reported: rest }) ? value : (requested[name] ?? value);
  const open = Object.entries(requested).filter(([name, value]) => !isSame(holding[name], value));
  const budget =
    budgetAtSeller(item) === item.budgetMicros ? {} : { budget: Number(microsToDecimal(item.budgetMicros)) };
  return { holding, requested: { ...Object.fromEntries(open), ...budget } };
}

/** The finding for a seller whose terms differ from those it was sent. */
export const termsDiffer = 'TERMS_DIFFER';

/**
 * Terms that a seller reports differently from what it was sent, its budget included: the reported value counts, and
 * both are shown.
 */
export function differingTerms(
  item: BuyPackage,
  budget: bigint | undefined,
  place: string,
): readonly Finding[] {
  const { sent, reported } = termsOf(item);
  const names = Object.keys(reported).filter(
    (name) => name !== 'budget' && isDiffering(name, { sent, reported }),
  );
  const isOther = budget !== undefined && budget !== item.budgetMicros;
  const finding = (name: string, ordered: JsonValue | undefined, stored: JsonValue | undefined): Finding => ({
    code: termsDiffer,
    message: differenceText(name, ordered, stored),
    field: `${place}.${name}`,
  });
  return [
    ...(isOther ? [finding('budget', microsToDecimal(item.budgetMicros), microsToDecimal(budget))] : []),
    ...names.map((name) => finding(name, sent[name], reported[name])),
  ];
}

/** What was ordered and what is stored, where both can be said in a few words. */
function differenceText(name: string, ordered: JsonValue | undefined, stored: JsonValue | undefined): string {
  const [ours, theirs] = [shortText(ordered), shortText(stored)];
  return ours === undefined || theirs === undefined
    ? `What we ordered as ${name} differs from what the seller stored.`
    : `We ordered ${name} ${ours}; the seller stored ${theirs}.`;
}

/** A number or a short text; undefined for any other value. */
function shortText(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return value.toString();
  return typeof value === 'string' && value.length <= 100 ? value : undefined;
}

function isDiffering(name: string, { sent, reported }: Pick<PackageTerms, 'sent' | 'reported'>): boolean {
  return reported[name] !== undefined && sent[name] !== undefined && !isSame(reported[name], sent[name]);
}

/** Packages that were bought before terms were stored were sent as requested. */
function termsOf(item: BuyPackage): PackageTerms {
  return item.terms ?? { requested: {}, sent: besideTerms(item), reported: {} };
}

function requestedChange(item: BuyPackage): JsonObject {
  return { ...item.terms?.requested, ...besideTerms(item) };
}

function besideTerms({ targeting, bidMicros }: Pick<BuyPackage, 'targeting' | 'bidMicros'>): JsonObject {
  return {
    ...(targeting === undefined ? {} : { targeting_overlay: targeting }),
    ...(bidMicros === undefined ? {} : { bid_price: Number(microsToDecimal(bidMicros)) }),
  };
}

/** The terms in a request or answer, without any tokens. */
function termsIn(value: JsonObject): JsonObject {
  return storedTargeting(readPackageTerms(value));
}

function objectOr(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Two texts of one instant are equal. */
function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (canonicalJson(a) === canonicalJson(b)) return true;
  const isTimes = typeof a === 'string' && typeof b === 'string' && a.includes('T') && b.includes('T');
  return isTimes && Date.parse(a) === Date.parse(b);
}
