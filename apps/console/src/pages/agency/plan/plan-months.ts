import { decimal, micros } from '../../../parts/money.js';
import type { Basket, Line } from './basket.js';

/** A calendar month of a flight, with the days of the flight in it. */
export interface FlightMonth {
  /** YYYY-MM. */
  readonly month: string;
  /** First day, YYYY-MM-DD. */
  readonly from: string;
  /** Last day. */
  readonly to: string;
  readonly days: number;
}

/** One package of the buy. Without a month it runs over the whole flight. */
export interface PlannedPackage {
  readonly line: Line;
  readonly budget: string;
  readonly month?: FlightMonth;
}

const dayMs = 86_400_000;
/** A flight of more months is not split: each month is a package of each product. */
export const mostMonths = 12;
const cent = 10_000n;

/** The months of a flight of whole days, in UTC. Empty if the last day is before the first, or one is no day. */
export function monthsOf(first: string, last: string): readonly FlightMonth[] {
  const [start, end] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const months: FlightMonth[] = [];
  for (let at = start; at <= end;) {
    const day = new Date(at);
    const next = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
    const to = Math.min(end, next - dayMs);
    const days = Math.round((to - at) / dayMs) + 1;
    months.push({ month: isoDay(at).slice(0, 7), from: isoDay(at), to: isoDay(to), days });
    at = next;
  }
  return months;
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Micros spread over months in proportion to their days, to the cent. The last month gets the rest. */
export function spread(amount: bigint, months: readonly FlightMonth[]): ReadonlyMap<string, bigint> {
  const days = BigInt(months.reduce((sum, month) => sum + month.days, 0));
  let left = amount;
  return new Map(
    months.map((month, at) => {
      const even = (amount * BigInt(month.days)) / days;
      const part = at === months.length - 1 ? left : even - (even % cent);
      left -= part;
      return [month.month, part];
    }),
  );
}

/** The months that the plan is split by. Empty if it is not split, or its flight lies in one month. */
export function splitMonths({ byMonth, start, end }: Basket, today: string): readonly FlightMonth[] {
  const months = byMonth ? monthsOf(start === '' ? today : start, end) : [];
  return months.length > 1 && months.length <= mostMonths ? months : [];
}

/** The packages of the plan: one for each product, or for each product and month that has a budget. */
export function packagesOf(basket: Basket, today: string): readonly PlannedPackage[] {
  const months = splitMonths(basket, today);
  if (months.length === 0) return basket.lines.map((line) => ({ line, budget: line.budget }));
  return basket.lines.flatMap((line) => {
    const budgets = months.map((month) => ({ line, month, budget: line.months?.[month.month] ?? '' }));
    const given = budgets.filter(({ budget }) => budget !== '' && micros(budget) !== 0n);
    // A product without any budget stays, so that the plan says what is missing.
    return given.length > 0 ? given : [{ line, budget: '' }];
  });
}

/** The sum of a product's budgets over months; a text that is no amount counts as nothing. */
export const sumOf = ({ months: budgets = {} }: Line, months: readonly FlightMonth[]): bigint =>
  months.reduce((sum, { month }) => sum + (micros(budgets[month] ?? '') ?? 0n), 0n);

/** A product with its budget spread over months, as a start to edit. */
export function splitLine(line: Line, months: readonly FlightMonth[]): Line {
  const parts = spread(micros(line.budget) ?? 0n, months);
  const texts = [...parts].map(([month, part]) => [month, part === 0n ? '' : decimal(part)]);
  return { ...line, months: Object.fromEntries(texts) as Readonly<Record<string, string>> };
}

/** What the plan spends in each month: the budgets of its packages, those over the whole flight by their days. */
export function spendByMonth(basket: Basket, today: string): ReadonlyMap<string, bigint> {
  const whole = monthsOf(basket.start === '' ? today : basket.start, basket.end);
  const sums = new Map(whole.map(({ month }) => [month, 0n]));
  if (whole.length === 0) return sums;
  for (const { budget, month } of packagesOf(basket, today))
    for (const [name, part] of spread(micros(budget) ?? 0n, month === undefined ? whole : [month]))
      sums.set(name, (sums.get(name) ?? 0n) + part);
  return sums;
}
