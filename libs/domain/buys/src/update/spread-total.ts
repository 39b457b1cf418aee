import { checkBudget, currencyExponent, microsToDecimal } from '@switchyard/money';
import {
  isBuyOver,
  prefixId,
  taskError,
  type PackageUpdate,
  type TaskError,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import { defined, err, ok, type Result } from '@switchyard/values';
import type { BuyPackage, MediaBuyRecord } from '../model/operation.js';
import type { NamedUpdate } from '../plan/name-package.js';
import type { PlannedPackage } from '../plan/planned-package.js';
import { budgetMicros } from '../terms/quoted-terms.js';
import { budgetAtSeller } from '../terms/stored-terms.js';

type Total = NonNullable<UpdateMediaBuyRequest['total']>;

/**
 * The budgets of the packages that run, as decimal text by id, for a new total of the buy: in proportion to those that they
 * have, in whole minor units, the last one with the rest (docs/protocol/media-buys.md#changes).
 */
function spreadTotal(
  total: Total,
  live: readonly BuyPackage[],
  { buy, packages }: MediaBuyRecord,
): Result<ReadonlyMap<string, string>, readonly TaskError[]> {
  const whole = wholeOf(total, buy.currency);
  if (!whole.ok) return whole;
  if (live.length < packages.length)
    return err([
      totalError(
        total,
        'A package of the buy has ended or is not made yet, so that its part of a total is unclear.',
        {
          suggestion: 'Send the new budget of each package.',
        },
      ),
    ]);
  const unit = 10n ** BigInt(6 - currencyExponent(buy.currency));
  const committed = live.map(budgetAtSeller);
  const sum = committed.reduce((all, one) => all + one, 0n);
  const floors = committed.slice(0, -1).map((one) => ((whole.value * one) / sum / unit) * unit);
  const shares = [...floors, whole.value - floors.reduce((all, one) => all + one, 0n)];
  if (shares.some((share) => share <= 0n))
    return err([
      totalError(total, 'The total leaves a package without a budget.', {
        code: 'BUDGET_TOO_LOW',
        suggestion: 'Send more, or cancel packages.',
      }),
    ]);
  return ok(new Map(live.map(({ id }, at) => [id, microsToDecimal(shares[at] ?? 0n)])));
}

/** The error of a total beside new budgets of packages, which then have to add up to it; undefined where they do. */
function totalFault(
  total: Total,
  budgets: readonly bigint[],
  { buy }: MediaBuyRecord,
): TaskError | undefined {
  const whole = wholeOf(total, buy.currency);
  if (!whole.ok) return whole.error[0];
  const sum = budgets.reduce((all, one) => all + one, 0n);
  if (sum === whole.value) return undefined;
  return totalError(
    total,
    `After this change the packages have ${microsToDecimal(sum)} ${buy.currency} together.`,
    {
      suggestion: 'Send that as the total, or the total alone.',
    },
  );
}

function wholeOf(total: Total, currency: string): Result<bigint, readonly TaskError[]> {
  if (total.currency !== currency)
    return err([
      totalError(total, `The buy is in ${currency}, and a change keeps its currency.`, {
        at: 'currency',
        suggestion: `Send the total in ${currency}.`,
      }),
    ]);
  const read = checkBudget(total.amount, currency);
  return read.ok
    ? ok(read.value)
    : err([
        totalError(total, `The total has more decimals than ${currency}, or is too large.`, {
          suggestion: 'Send an amount that can be paid.',
        }),
      ]);
}

function totalError(
  { field }: Total,
  message: string,
  { at = 'amount', code = 'INVALID_REQUEST', suggestion }: { at?: string; code?: string; suggestion: string },
): TaskError {
  return taskError(code, message, { field: `${field}.${at}`, suggestion });
}

/** Whether a request names the total of the buy and no package: its budgets are then ours. */
export function isTotalAlone({ total, packages, newPackages }: UpdateMediaBuyRequest): boolean {
  return total !== undefined && packages.length + newPackages.length === 0;
}

/** An error of a budget that the buyer did not write, at the total that it comes from. */
export function atTotal(error: TaskError, request: UpdateMediaBuyRequest): TaskError {
  const isOurs = isTotalAlone(request) && error.field?.startsWith('packages[') === true;
  return isOurs ? { ...error, field: `${request.total?.field ?? ''}.amount` } : error;
}

/** The errors of a total beside packages: after the change they have to add up to it. */
export function totalFaults(
  { total, canceled }: UpdateMediaBuyRequest,
  record: MediaBuyRecord,
  updates: readonly NamedUpdate[],
  fresh: readonly { readonly planned: PlannedPackage }[],
): readonly TaskError[] {
  if (total === undefined || canceled === true) return [];
  const changed = new Map(updates.map(({ item, update }) => [item.id, update]));
  const standing = record.packages
    .filter((item) => isLive(item, record) && changed.get(item.id)?.canceled !== true)
    .map((item) => {
      const { budget } = changed.get(item.id) ?? {};
      return budget === undefined ? budgetAtSeller(item) : budgetMicros(budget, item.currency);
    });
  const added = fresh.map(({ planned }) => planned.budgetMicros);
  const fault = totalFault(total, [...standing, ...added], record);
  return fault === undefined ? [] : [fault];
}

/** A request whose total is the new budgets of the packages that run. */
export function divided(
  request: UpdateMediaBuyRequest,
  total: NonNullable<UpdateMediaBuyRequest['total']>,
  record: MediaBuyRecord,
): Result<UpdateMediaBuyRequest, readonly TaskError[]> {
  const live = record.packages.filter((item) => isLive(item, record));
  const shares = spreadTotal(total, live, record);
  if (!shares.ok) return shares;
  const packages = live.map((item): PackageUpdate => ({
    packageId: prefixId(item.seller, item.sellerPackageId ?? ''),
    ...defined({ budget: shares.value.get(item.id) }),
    original: { form: 'ours', value: {} },
  }));
  return ok({ ...request, packages });
}

export function isLive(item: BuyPackage, { sellerBuys }: MediaBuyRecord): boolean {
  if (item.sellerPackageId === undefined || item.canceledAt !== undefined) return false;
  const sellerBuy = sellerBuys.find((candidate) => candidate.seller === item.seller);
  return sellerBuy !== undefined && !isBuyOver(sellerBuy.status);
}
