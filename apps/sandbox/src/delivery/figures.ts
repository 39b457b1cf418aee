import { dayAfter, type Buy, type BuyPackage, type DayFigure } from '../buys/buy.js';
import { draw, drawWhole } from '../seeded.js';

/** The package whose figures are drawn: for the same seed always the same figures. */
export interface FiguresOf {
  readonly seed: string;
  readonly slug: string;
  /** Index of the package in its buy. */
  readonly ordinal: number;
  readonly part: BuyPackage;
}

/**
 * The delivery of a package on the campaign day with this index.
 *
 * Between 90 and 99 % of the budget is spent over the flight, unevenly. Impressions are drawn first and priced, so
 * spend is a whole number of micros. It exceeds the budget by 8 % if the seller over-delivers (`isOver`).
 */
export function dayFigure(of: FiguresOf, buy: Buy, index: number, isOver = false): DayFigure {
  const { seed, slug, ordinal, part } = of;
  const about = [seed, slug, part.productId, ordinal] as const;
  const weights = Array.from({ length: buy.dayCount }, (_, day) =>
    drawWhole(70, 130, ...about, 'weight', day),
  );
  const sum = BigInt(weights.reduce((total, weight) => total + weight, 0));
  const share = isOver ? 1080 : drawWhole(900, 990, ...about, 'share');
  const spendable = (BigInt(part.budgetMicros) * BigInt(share)) / 1000n;
  const target = (spendable * BigInt(weights[index] ?? 0)) / sum;
  const impressions = (target * 1000n) / BigInt(part.priceMicros);
  return figureOf(dayAfter(buy.firstDay, index), impressions, {
    part,
    chance: draw(...about, 'clicks', index),
    version: 1,
  });
}

/** The same day after a correction: a few per cent fewer impressions. */
export function correctedFigure(
  { seed, slug, ordinal, part }: FiguresOf,
  index: number,
  row: DayFigure,
): DayFigure {
  const about = [seed, slug, part.productId, ordinal, index] as const;
  const stored = BigInt(drawWhole(910, 980, ...about, 'corrected'));
  const impressions = (BigInt(row.impressions) * stored) / 1000n;
  return figureOf(row.day, impressions, {
    part,
    chance: draw(...about, 'corrected clicks'),
    version: row.version + 1,
  });
}

function figureOf(
  day: string,
  impressions: bigint,
  { part, chance, version }: { readonly part: BuyPackage; readonly chance: number; readonly version: number },
): DayFigure {
  return {
    day,
    spendMicros: ((impressions * BigInt(part.priceMicros)) / 1000n).toString(),
    impressions: Number(impressions),
    clicks: Math.floor(Number(impressions) * (0.001 + chance * 0.004)),
    version,
  };
}
