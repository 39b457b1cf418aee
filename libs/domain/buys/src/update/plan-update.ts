import {
  partInRelease,
  profileOf,
  unreadMembers,
  wholeTerms,
  type Finding,
  type TaskError,
  type UpdateMediaBuyRequest,
  isBuyOver,
  prefixId,
  taskError,
  type PackageUpdate,
  type WholeTerms,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import { err, ok, type Instant, type Result, defined } from '@switchyard/values';
import { checkChange } from './check-change.js';
import { flightOf, flightAtSeller, type Flight } from '../model/flight.js';
import { checkNewPackage, namePackage } from '../plan/name-package.js';
import type { MediaBuyRecord, BuyPackage } from '../model/operation.js';
import { fromToday, packageTerms } from '../plan/package-terms.js';
import { actionFaults, partFaults } from './part-faults.js';
import { partOfUpdate, wholeBuyPart } from './part-of-update.js';
import type { MarketKnowledge } from '../plan/planned-package.js';
import { statusFault, timeFaults } from './update-faults.js';
import type { PlannedChange, UpdatePlan } from '../plan/update-plan.js';
import { sharedFaults } from '../plan/plan-buy.js';
import { budgetAtSeller } from '../terms/stored-terms.js';
import { atTotal, divided, isLive, isTotalAlone, totalFaults } from './spread-total.js';

/**
 * Splits a change by seller, and checks every part before any seller is called.
 *
 * Members for the whole buy go to every part that has not ended, those of a package only to its seller. All
 * errors are returned, not only the first.
 */
export function planUpdate(
  request: UpdateMediaBuyRequest,
  record: MediaBuyRecord,
  market: MarketKnowledge,
  now: Instant,
): Result<UpdatePlan, readonly TaskError[]> {
  const stateFault = statusFault(request, record.buy);
  if (stateFault !== undefined) return err([stateFault]);
  const findings: Finding[] = [];
  const spread = spreadOverPackages(request, record);
  if (!spread.ok) return spread;
  const requested = request.canceled === true ? onlyCanceled(spread.value, findings) : spread.value;
  const errors: TaskError[] = [...timeFaults(requested, flightOf(record), now)];
  // The flight of a seller's part after the request.
  const flightAt = (seller: string): Flight => {
    const part = record.sellerBuys.find((sellerBuy) => sellerBuy.seller === seller);
    const runs = part === undefined ? flightOf(record) : flightAtSeller(record.buy, part);
    const { startTime = runs.startTime, endTime = runs.endTime } = requested;
    return fromToday({ startTime, endTime }, now);
  };
  const named = requested.packages.map((update, at) => namePackage(update, at, record));
  const added = requested.newPackages.map((wanted, at) => checkNewPackage(wanted, at, record, market));
  for (const read of [...named, ...added]) if (!read.ok) errors.push(...read.error);
  const updates = named.flatMap((read, at) => (read.ok ? [{ ...read.value, at }] : []));
  for (const update of updates) {
    const checked = checkChange(update, flightAt(update.item.seller), market);
    errors.push(...checked.errors);
    findings.push(...checked.findings);
  }
  const fresh = added.flatMap((read, at) => (read.ok ? [{ ...read.value, at }] : []));
  for (const { planned, at } of fresh) {
    errors.push(...packageTerms(planned, `new_packages[${at}]`, flightAt(planned.offer.seller), now));
  }
  findings.push(...fresh.flatMap((change) => change.findings));
  if (errors.length === 0 && !isTotalAlone(request))
    errors.push(...totalFaults(requested, record, updates, fresh));
  const later = wholeTerms('update_media_buy', request);
  const running = record.sellerBuys.filter(({ status }) => !isBuyOver(status));
  errors.push(...sharedFaults(later, running.length));

  const changes: PlannedChange[] = [];
  for (const sellerBuy of record.sellerBuys) {
    const own = updates.filter(({ item }) => item.seller === sellerBuy.seller);
    const ownNew = fresh.filter(({ planned }) => planned.offer.seller === sellerBuy.seller);
    const whole = wholeBuyPart(requested, sellerBuy);
    const connection = market.connections.get(sellerBuy.seller);
    const isAskedLater = running.includes(sellerBuy) && asksLater(later, connection);
    if (own.length === 0 && ownNew.length === 0 && whole === undefined && !isAskedLater) continue;
    const part = { whole: whole ?? {}, updates: own, added: ownNew.map(({ at }) => at) };
    const faults = [
      ...partFaults(sellerBuy, connection, part, flightAtSeller(record.buy, sellerBuy)),
      ...actionFaults(part, sellerBuy, flightAtSeller(record.buy, sellerBuy)),
    ];
    errors.push(...faults);
    if (connection === undefined || faults.length > 0) continue;
    const places = { packages: own.map(({ at }) => at), new_packages: part.added };
    const sent = partOfUpdate(requested, {
      whole: whole ?? {},
      sellerBuy,
      updates: own,
      added: ownNew.map(({ planned }) => planned),
    });
    changes.push({
      connection,
      sellerBuy,
      added: ownNew.map(({ planned }) => planned),
      places,
      request: partInRelease('update_media_buy', request, sent, places),
    });
  }
  findings.push(...unreadMembers(request, changes.length > 0));
  return errors.length > 0 ? err(errors.map((error) => atTotal(error, request))) : ok({ changes, findings });
}

/** Whether a seller is asked for terms of the whole of a later release: if it reads them, or has to refuse them. */
function asksLater({ named, binding }: WholeTerms, connection: Connection | undefined): boolean {
  if (connection === undefined || named.length === 0) return false;
  return binding.length > 0 || profileOf(connection).release !== undefined;
}

/**
 * A cancellation overrides everything else in the request (docs/protocol/media-buys.md#changes); a finding
 * names what was left out.
 */
function onlyCanceled(request: UpdateMediaBuyRequest, findings: Finding[]): UpdateMediaBuyRequest {
  const { paused, startTime, endTime, ...rest } = request;
  const overridden = { paused, startTime, endTime };
  const isMore = Object.values(overridden).some((value) => value !== undefined);
  if (isMore || request.packages.length > 0 || request.newPackages.length > 0) {
    const message = 'The buy is canceled: everything else in the request was left out.';
    findings.push({ code: 'CANCEL_WINS', message, field: 'canceled' });
  }
  return { ...rest, packages: [], newPackages: [] };
}

/**
 * Splits a budget and a targeting of the whole buy, which only the `service` form has, into changes of its
 * packages. A budget for several packages is refused, because the split is the buyer's decision.
 */
function spreadOverPackages(
  request: UpdateMediaBuyRequest,
  record: MediaBuyRecord,
): Result<UpdateMediaBuyRequest, readonly TaskError[]> {
  const { budget: absolute, budgetDifference, targetingOverlay, ...rest } = request;
  if (request.total !== undefined && request.canceled !== true && isTotalAlone(request))
    return divided(request, request.total, record);
  const change = absolute ?? budgetDifference;
  if (change === undefined && targetingOverlay === undefined) return ok(request);
  const live = record.packages.filter((item) => isLive(item, record));
  const [only, another] = live;
  if (change !== undefined && (only === undefined || another !== undefined)) {
    return err([
      taskError('INVALID_REQUEST', 'A budget of the whole buy is only clear where it has one package.', {
        field: 'updates.budget_change',
        suggestion: 'Send the new budget of each package under updates.packages.',
      }),
    ]);
  }
  const budget = absolute ?? (only && budgetDifference && budgetAfter(only, budgetDifference));
  if (change !== undefined && budget === undefined) return err([nothingLeft]);
  const spread = live.map((item): PackageUpdate => ({
    packageId: prefixId(item.seller, item.sellerPackageId ?? ''),
    ...defined({ budget, targetingOverlay }),
    original: { form: 'ours', value: {} },
  }));
  return ok({ ...rest, packages: merged(spread, request.packages) });
}

/** The budget that a package has after a difference, as decimal text; undefined where it would not be above zero. */
function budgetAfter(item: BuyPackage, difference: string): string | undefined {
  const read = parseDecimal(difference);
  const micros = read.ok ? budgetAtSeller(item) + read.value : 0n;
  return micros > 0n ? microsToDecimal(micros) : undefined;
}

const nothingLeft = taskError('BUDGET_TOO_LOW', 'The difference leaves no budget.', {
  field: 'updates.budget_change.difference',
  suggestion: 'Take less from the budget, or cancel the buy.',
});

/** Members of one package override those of the whole buy. */
function merged(spread: readonly PackageUpdate[], named: readonly PackageUpdate[]): readonly PackageUpdate[] {
  const byId = new Map(named.map((update) => [update.packageId, update]));
  const both = spread.map((update) => {
    const own = byId.get(update.packageId);
    return own === undefined ? update : { ...update, ...own, original: { form: 'ours' as const, value: {} } };
  });
  const ids = new Set(spread.map((update) => update.packageId));
  return [...both, ...named.filter((update) => !ids.has(update.packageId))];
}
