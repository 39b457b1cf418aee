import type { Agent } from '../agent/agent.js';
import type { Buy, BuyPackage, DayFigure } from '../buys/buy.js';
import { amountOf } from '../micros.js';
import { compact, type JsonObject } from '../json.js';

const monthText = /^\d{4}-(0[1-9]|1[0-2])$/;
const dayLength = 86_400_000;

/**
 * This seller's invoices for one month: one CSV file, or two if it bills twice; none if no past flight is in the month.
 * Running flights are billed when they are over. It bills from its own books, with the habit of its personality.
 */
export function invoicesOf(agent: Agent, period: string): readonly JsonObject[] {
  if (!monthText.test(period)) return [];
  const { slug, currency, finance } = agent.personality;
  const first = Date.parse(`${period}-01`);
  const next = Date.parse(`${period}-01`) + 32 * dayLength;
  const shift = finance === 'other-zone' ? dayLength : 0;
  const from = dayText(first + shift);
  const to = dayText(Date.parse(`${dayText(next).slice(0, 7)}-01`) + shift);
  const lines = [...agent.books.buys.values()]
    .filter((buy) => buy.past === true && buy.finalSent)
    .flatMap((buy) => linesOf(agent, buy, ({ day }) => day >= from && day < to));
  if (lines.length === 0) return [];
  const number = `${slug.toUpperCase()}-${period.replace('-', '')}`;
  const numbers = finance === 'bills-twice' ? [number, `${number}-B`] : [number];
  const issued = dayText(
    Math.min(Date.parse(`${dayText(next).slice(0, 7)}-01`) + 2 * dayLength, agent.now()),
  );
  return numbers.map((each) =>
    compact({
      number: each,
      period,
      currency,
      file: `${each}.csv`,
      text: [header, ...lines.map((line) => [each, issued, period, currency, ...line])]
        .map((cells) => `${cells.join(',')}\n`)
        .join(''),
    }),
  );
}

const header = ['Invoice', 'Issued', 'Month', 'Currency', 'Order', 'Line item', 'PO', 'Impressions', 'Net'];

function linesOf(agent: Agent, buy: Buy, isIn: (row: DayFigure) => boolean): readonly (readonly string[])[] {
  const { finance } = agent.personality;
  const billed =
    finance === 'leaves-out' && buy.packages.length > 1 ? buy.packages.slice(0, -1) : buy.packages;
  const po = buy.poNumber === undefined || finance !== 'wrong-po' ? buy.poNumber : `${buy.poNumber}-OLD`;
  return billed.flatMap((part: BuyPackage) => {
    const rows = part.days.filter(isIn);
    const impressions = rows.reduce((sum, row) => sum + row.impressions, 0);
    if (impressions === 0) return [];
    const spend = rows.reduce((sum, row) => sum + BigInt(row.spendMicros), 0n);
    return [
      [buy.mediaBuyId, part.packageId, po ?? '', String(impressions), String(amountOf(inCents(spend)))],
    ];
  });
}

/** The currencies of this market have two decimals: smaller amounts cannot be paid. */
const inCents = (micros: bigint): bigint => ((micros + 5_000n) / 10_000n) * 10_000n;

const dayText = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
