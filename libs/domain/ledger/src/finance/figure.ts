import { microsToDecimal, parseDecimal } from '@switchyard/money';
import { isAbsurd } from './plausible.js';
import { err, ok, type Result } from '@switchyard/values';
import { amountFault, dayFault, type FieldReader, type FileRow } from './invoice.js';
import { isDay } from './period.js';

/** The fields of a file of third-party figures. */
export const figureFields = [
  'media_buy_id',
  'seller',
  'package_id',
  'day',
  'currency',
  'spend',
  'impressions',
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
  /** What its package may cost. */
  readonly budgetMicros: bigint;
  readonly spendMicros: bigint;
  readonly impressions?: bigint;
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
}

/** Reads one row against the buys that its id may refer to. The error is the reason of the refusal. */
export function readFigureRow(
  row: FileRow,
  { textOf, faultOf }: FieldReader<FigureField>,
  buys: readonly FigureBuy[],
): Result<Figure, string> {
  const fault = faultOf(row, figureFields);
  if (fault !== undefined) return err(fault);
  const day = textOf(row, 'day');
  if (day === '')
    return err('The row has no day. Figures are by day: export the report with a column of days.');
  if (!isDay(day)) return err(`The day is ${dayFault}`);
  const spend = textOf(row, 'spend');
  const wrong = amountFault(spend);
  const amount = parseDecimal(spend);
  if (wrong !== undefined || !amount.ok) return err(wrong ?? 'No amount.');
  const impressions = textOf(row, 'impressions');
  if (!/^\d{0,18}$/.test(impressions)) return err('The impressions are not a whole number.');
  const buy = buyOf(textOf(row, 'media_buy_id'), textOf(row, 'seller'), textOf(row, 'package_id'), buys);
  if (!buy.ok) return buy;
  const currency = textOf(row, 'currency').toUpperCase();
  if (currency !== buy.value.currency)
    return err(`The currency is ${currency || 'missing'}, and the buy is in ${buy.value.currency}.`);
  const { budgetMicros } = buy.value;
  if (isAbsurd(amount.value, budgetMicros))
    return err(
      `The spend is more than 100 times what the package may cost: ${microsToDecimal(budgetMicros)}.`,
    );
  return ok({
    row: row.row,
    budgetMicros,
    sellerBuyId: buy.value.sellerBuyId,
    packageRef: buy.value.packageRef,
    day,
    spendMicros: amount.value,
    ...(impressions !== '' && { impressions: BigInt(impressions) }),
  });
}

type Found = Pick<FigureBuy, 'sellerBuyId' | 'currency'> &
  Pick<FigurePackage, 'budgetMicros'> & { readonly packageRef: string };

function buyOf(id: string, seller: string, name: string, buys: readonly FigureBuy[]): Result<Found, string> {
  const meant = buys.filter((buy) => buy.requestedId === id && (seller === '' || buy.seller === seller));
  const matches = meant.flatMap(({ sellerBuyId, currency, packages, seller: of }) =>
    packages
      .filter(
        ({ names }) => name === '' || names.some((known) => known === name || `${of}:${known}` === name),
      )
      .map(({ ref, budgetMicros }) => ({ sellerBuyId, currency, packageRef: ref, budgetMicros })),
  );
  const [match, another] = matches;
  if (meant.length === 0) return err(`No buy of yours has the id ${id || '(empty)'}.`);
  if (match === undefined) return err(`The buy ${id} has no package ${name}.`);
  if (another !== undefined)
    return err(`The buy ${id} has several parts that this may mean: name the package and the seller.`);
  return ok(match);
}
