import { microsToDecimal, parseDecimal } from '@switchyard/money';
import { isAbsurd } from './plausible.js';
import { err, ok, type Result } from '@switchyard/values';
import { amountFault, dayFault, type FieldReader, type FileRow } from './invoice.js';
import { basisText, costOfCounts, countedUnits, type AgreedPrice, type CountBasis } from './counted-price.js';
import { isDay } from './period.js';
import { fieldOfName, moneyFields } from '../reading/header-names.js';

/** The fields of a file of third-party figures. */
export const figureFields = [
  'media_buy_id',
  'seller',
  'package_id',
  'day',
  'last_day',
  'currency',
  'spend',
  ...countedUnits,
] as const;

export type FigureField = (typeof figureFields)[number];

/** A third party's figure for one package and day. */
export interface Figure {
  /** Row of the file, from 1. */
  readonly row: number;
  /** UUID of the stored seller buy. */
  readonly sellerBuyId: string;
  /** Package id as in the seller's reports. */
  readonly packageRef: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The last day of a figure of several days, which stands on the first of them. */
  readonly lastDay?: string;
  /** What its package may cost. */
  readonly budgetMicros: bigint;
  readonly currency: string;
  readonly spendMicros: bigint;
  readonly impressions?: bigint;
  /** Present where the spend was computed: the file counts units and says no amount. */
  readonly basis?: CountBasis;
}

/** Why a row is not taken. */
interface FigureRefusal {
  readonly reason: string;
  /** It can be read, and no amount can be computed of what it counts. */
  readonly isUnpriced?: true;
}

/** A buy at one seller that an id in a file may refer to. */
export interface FigureBuy {
  /** The requested id: ours or the seller's. */
  readonly requestedId: string;
  readonly sellerBuyId: string;
  readonly seller: string;
  readonly currency: string;
  readonly packages: readonly FigurePackage[];
}

interface FigurePackage {
  readonly ref: string;
  readonly names: readonly string[];
  readonly budgetMicros: bigint;
  readonly price?: AgreedPrice;
}

const isMoneyName = (column: string): boolean =>
  moneyFields.some((field) => field === fieldOfName(column)?.field);

/** Whether the rows say no amount: there is a column of counts, and none of spend or, by its name, of another amount. */
export function isWithoutAmounts(
  columns: readonly string[],
  mapping: Readonly<Partial<Record<FigureField, string>>>,
): boolean {
  const mapped = new Set<string>(Object.values(mapping));
  return (
    !columns.includes(mapping.spend ?? 'spend') &&
    !columns.some((column) => !mapped.has(column) && isMoneyName(column)) &&
    countedUnits.some((unit) => columns.includes(mapping[unit] ?? unit))
  );
}

/**
 * Reads one row against the buys that its id may refer to. Of a file without amounts, the amount is computed from the unit
 * by which its package was bought.
 */
export function readFigureRow(
  row: FileRow,
  { textOf, faultOf }: FieldReader<FigureField>,
  buys: readonly FigureBuy[],
  hasAmounts = true,
): Result<Figure, FigureRefusal> {
  const refuse = (reason: string) => err({ reason });
  const fault = faultOf(row, figureFields);
  if (fault !== undefined) return refuse(fault);
  const days = daysOf(textOf(row, 'day'), textOf(row, 'last_day'));
  if (!days.ok) return refuse(days.error);
  const counts = new Map<(typeof countedUnits)[number], bigint>();
  for (const unit of countedUnits) {
    const text = textOf(row, unit);
    if (!/^\d{0,18}$/.test(text)) return refuse(`The ${unit.replaceAll('_', ' ')} are not a whole number.`);
    if (text !== '') counts.set(unit, BigInt(text));
  }
  const said = hasAmounts ? amountOf(textOf(row, 'spend')) : ok(undefined);
  if (!said.ok) return refuse(said.error);
  if (!hasAmounts && counts.size === 0) return refuse('The row has no count.');
  const buy = buyOf(textOf(row, 'media_buy_id'), textOf(row, 'seller'), textOf(row, 'package_id'), buys);
  if (!buy.ok) return refuse(buy.error);
  const { budgetMicros, price, currency, sellerBuyId, packageRef } = buy.value;
  const written = textOf(row, 'currency').toUpperCase();
  if (written !== currency && (hasAmounts || written !== ''))
    return refuse(`The currency is ${written || 'missing'}, and the buy is in ${currency}.`);
  const cost = said.value === undefined ? costOfCounts(counts, price, currency) : ok({ micros: said.value });
  if (!cost.ok)
    return err({
      reason: `The amount of ${packageRef || 'the buy'} cannot be computed: ${cost.error}.`,
      isUnpriced: true,
    });
  const { micros: spendMicros, basis } = { basis: undefined, ...cost.value };
  if (isAbsurd(spendMicros, budgetMicros))
    return refuse(
      `The spend${basis === undefined ? '' : ` (${basisText(basis)})`} is more than 100 times what the package may cost: ${microsToDecimal(budgetMicros)}.`,
    );
  const impressions = counts.get('impressions');
  return ok({
    row: row.row,
    ...{ budgetMicros, currency, sellerBuyId, packageRef, spendMicros },
    ...days.value,
    ...(impressions !== undefined && { impressions }),
    ...(basis !== undefined && { basis }),
  });
}

function amountOf(spend: string): Result<bigint, string> {
  const wrong = amountFault(spend);
  const amount = parseDecimal(spend);
  return wrong !== undefined || !amount.ok ? err(wrong ?? 'No amount.') : amount;
}

/** A figure of several days stands on the first of them, so it may not reach into another month. */
function daysOf(day: string, last: string): Result<Pick<Figure, 'day' | 'lastDay'>, string> {
  if (day === '')
    return err(
      'The row has no day. Figures are by day or by a part of a month: export the report with a column of days.',
    );
  if (!isDay(day)) return err(`The day is ${dayFault}`);
  if (last === '' || last === day) return ok({ day });
  if (!isDay(last)) return err(`The last day is ${dayFault}`);
  if (last < day) return err(`The row ends (${last}) before it begins (${day}).`);
  if (last.slice(0, 7) !== day.slice(0, 7))
    return err(
      `The row covers ${day} to ${last}, which is more than one month: export the report by day or by month.`,
    );
  return ok({ day, lastDay: last });
}

type Found = Pick<FigureBuy, 'sellerBuyId' | 'currency'> &
  Pick<FigurePackage, 'budgetMicros' | 'price'> & { readonly packageRef: string };

function buyOf(id: string, seller: string, name: string, buys: readonly FigureBuy[]): Result<Found, string> {
  const meant = buys.filter((buy) => buy.requestedId === id && (seller === '' || buy.seller === seller));
  const matches = meant.flatMap(({ sellerBuyId, currency, packages, seller: of }) =>
    packages
      .filter(
        ({ names }) => name === '' || names.some((known) => known === name || `${of}:${known}` === name),
      )
      .map(({ ref, ...of }) => ({ sellerBuyId, currency, packageRef: ref, ...of })),
  );
  const [match, another] = matches;
  if (meant.length === 0) return err(`No buy of yours has the id ${id || '(empty)'}.`);
  if (match === undefined) return err(`The buy ${id} has no package ${name}.`);
  if (another !== undefined)
    return err(`The buy ${id} has several parts that this may mean: name the package and the seller.`);
  return ok(match);
}
