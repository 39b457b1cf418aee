import { divideHalfEven, microsToDecimal } from '@switchyard/money';
import { err, ok, type Result } from '@switchyard/values';

/** What a third party can count without saying an amount. */
export const countedUnits = [
  'impressions',
  'viewable_impressions',
  'clicks',
  'completed_views',
  'views',
  'conversions',
] as const;

export type CountedUnit = (typeof countedUnits)[number];

/** Counts of one package, by their unit. */
type Counts = ReadonlyMap<CountedUnit, bigint>;

/** The price for which a package was bought. */
export interface AgreedPrice {
  /** `cpm`, `cpc` or another model of the protocol. */
  readonly model: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Absent where the price was not fixed, as in an auction. */
  readonly priceMicros?: bigint;
}

/** From what an amount was computed. */
export interface CountBasis {
  readonly unit: CountedUnit;
  readonly count: bigint;
  readonly model: string;
  readonly priceMicros: bigint;
}

/** What each model is a price of, and for how many units. */
const models: ReadonlyMap<string, { readonly unit: CountedUnit; readonly per: bigint }> = new Map([
  ['cpm', { unit: 'impressions', per: 1_000n }],
  ['vcpm', { unit: 'viewable_impressions', per: 1_000n }],
  ['cpc', { unit: 'clicks', per: 1n }],
  ['cpcv', { unit: 'completed_views', per: 1n }],
  ['cpv', { unit: 'views', per: 1n }],
  ['cpa', { unit: 'conversions', per: 1n }],
]);

const unitText = (unit: CountedUnit): string => unit.replaceAll('_', ' ');

const modelText = (model: string): string => (model === 'vcpm' ? 'vCPM' : model.toUpperCase());

/** `12,000 impressions x 11.18 CPM`. */
export const basisText = ({ unit, count, model, priceMicros }: CountBasis): string =>
  `${count.toLocaleString('en-US')} ${unitText(unit)} x ${microsToDecimal(priceMicros)} ${modelText(model)}`;

/**
 * What counts cost at the price of their package, rounded half to even to a millionth of the currency. The error is a
 * sentence: why nothing can be computed. Nothing is put in the place of a unit or a price that is not known.
 */
export function costOfCounts(
  counts: Counts,
  price: AgreedPrice | undefined,
  currency: string,
): Result<{ readonly micros: bigint; readonly basis: CountBasis }, string> {
  if (price === undefined) return err('the price for which the package was bought is not known');
  const { model, priceMicros } = price;
  const priced = models.get(model);
  if (priced === undefined)
    return err(`the package was bought by ${model.slice(0, 40)}, which is no price of a counted unit`);
  if (priceMicros === undefined)
    return err('the package was bought in an auction, and the price that was paid in it is not known');
  if (price.currency !== currency)
    return err(`the price of the package is in ${price.currency}, and the buy in ${currency}`);
  const count = counts.get(priced.unit);
  if (count === undefined) {
    const has = [...counts.keys()].map(unitText).join(', ');
    return err(`the package is paid by ${unitText(priced.unit)}, and the file counts ${has}`);
  }
  return ok({
    micros: divideHalfEven(count * priceMicros, priced.per),
    basis: { unit: priced.unit, count, model, priceMicros },
  });
}
