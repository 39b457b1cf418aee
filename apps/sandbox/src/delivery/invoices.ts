import type { Agent } from '../agent/agent.js';
import { dayAfter, type Buy, type DayFigure } from '../buys/buy.js';
import type { JsonObject } from '../json.js';
import { invoiceFile, type BilledLine } from './invoice-file.js';

const monthText = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Days that are billed together: from the first one to the one before the last. */
interface Billed {
  readonly number: string;
  readonly from: string;
  readonly to: string;
}

/**
 * This seller's invoices for one month, each a CSV file in its own layout; none if no past flight is in the month. Running
 * flights are billed when they are over. It bills from its own books, with the habits of its personality. `credits` is the
 * number of one of them: then it is answered by the credit note for that invoice alone.
 */
export function invoicesOf(agent: Agent, period: string, credits?: string): readonly JsonObject[] {
  if (!monthText.test(period)) return [];
  const { slug, currency, finance, bills } = agent.personality;
  const number = `${slug.toUpperCase()}-${period.replace('-', '')}`;
  const next = dayAfter(`${period}-01`, 32).slice(0, 7);
  const parts = billedParts(agent, period, next, number);
  const all = finance === 'bills-twice' ? parts.flatMap((part) => [part, copyOf(part)]) : parts;
  const third = dayAfter(`${next}-01`, 2);
  const today = new Date(agent.now()).toISOString().slice(0, 10);
  const issued = third < today ? third : today;
  return all
    .filter((part) => credits === undefined || part.number === credits)
    .flatMap((part) => {
      const lines = linesOf(agent, part);
      if (lines.length === 0) return [];
      const document = { ...part, to: dayAfter(part.to, -1), issued, currency, lines };
      const written = invoiceFile(bills, credits === undefined ? document : creditNote(document));
      return [{ ...written, period, currency }];
    });
}

const copyOf = (part: Billed): Billed => ({ ...part, number: `${part.number}-B` });

const creditNote = <Document extends Billed & { readonly lines: readonly BilledLine[] }>(of: Document) => ({
  ...of,
  number: `${of.number}-CN`,
  credits: of.number,
  lines: of.lines.map(({ cents, ...line }) => ({ ...line, cents: -cents })),
});

function billedParts(
  { personality: { bills } }: Agent,
  period: string,
  next: string,
  number: string,
): readonly Billed[] {
  const [from, to] = [`${period}-01`, `${next}-01`];
  if (bills.months === 'broadcast')
    return [{ number, from: dayAfter(lastSunday(from), 1), to: dayAfter(lastSunday(to), 1) }];
  if (bills.months === 'whole') return [{ number, from, to }];
  const middle = `${period}-16`;
  return [
    { number: `${number}-1`, from, to: middle },
    { number: `${number}-2`, from: middle, to },
  ];
}

/** The last Sunday before a day. */
const lastSunday = (day: string): string => {
  const before = dayAfter(day, -1);
  return dayAfter(before, -new Date(before).getUTCDay());
};

function linesOf(agent: Agent, { from, to }: Billed): readonly BilledLine[] {
  const { finance } = agent.personality;
  const shift = finance === 'other-zone' ? 1 : 0;
  const [first, end] = [dayAfter(from, shift), dayAfter(to, shift)];
  return [...agent.books.buys.values()]
    .filter((buy) => buy.past === true && buy.finalSent)
    .flatMap((buy) => linesOfBuy(agent, buy, ({ day }) => day >= first && day < end));
}

function linesOfBuy(agent: Agent, buy: Buy, isIn: (row: DayFigure) => boolean): readonly BilledLine[] {
  const { finance } = agent.personality;
  const billed =
    finance === 'leaves-out' && buy.packages.length > 1 ? buy.packages.slice(0, -1) : buy.packages;
  const po = buy.poNumber === undefined || finance !== 'wrong-po' ? buy.poNumber : `${buy.poNumber}-OLD`;
  return billed.flatMap((part) => {
    const rows = part.days.filter(isIn);
    const units = rows.reduce((sum, row) => sum + row.impressions, 0);
    if (units === 0) return [];
    const spend = rows.reduce((sum, row) => sum + BigInt(row.spendMicros), 0n);
    // The currencies of this market have two decimals: smaller amounts cannot be paid.
    const cents = Number((spend + 5_000n) / 10_000n);
    return [{ order: buy.mediaBuyId, part: part.packageId, po: po ?? '', text: 'Media', units, cents }];
  });
}
