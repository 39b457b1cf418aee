import { isCurrency } from '@switchyard/money';
import { plainDecimal } from '@switchyard/values';
import { dayOf } from './date-formats.js';
import { nodesAt, type XmlNode } from './xml-node.js';

/** A rate in a file: one unit of `from` costs `rate` of `to` from that day on. */
export interface PublishedRate {
  readonly from: string;
  readonly to: string;
  readonly rate: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly source: string;
}

type Cells = Readonly<Record<string, string>>;

/** What the European Central Bank publishes is the price of one euro. */
const base = 'EUR';

/**
 * The rates of a file of the European Central Bank: a table with a column for each currency, or its SDMX file with a row for
 * each rate. Undefined for any other file. A cell without a number is no rate.
 */
export function ratesOfEcb(rows: readonly Cells[]): readonly PublishedRate[] | undefined {
  const columns = Object.keys(rows[0] ?? {});
  if (columns.includes('OBS_VALUE') && columns.includes('CURRENCY')) return rows.flatMap(rateOfSdmx);
  // The history has columns of currencies that are no more, such as CYP.
  const codes = columns.filter((column) => /^[A-Z]{3}$/.test(column));
  const currencies = codes.filter((column) => isCurrency(column));
  const isTable = columns.includes('Date') && currencies.length > 0 && codes.length + 1 === columns.length;
  if (!isTable) return undefined;
  return rows.flatMap((row) => {
    const date = dayOf(row['Date'] ?? '', undefined) ?? '';
    return currencies.flatMap((to) => published({ from: base, to, rate: row[to] ?? '', date }));
  });
}

/**
 * The rates of an XML file of the European Central Bank, of one day or of its history: a cube for each day, and in it one for
 * each currency. Undefined for any other document.
 */
export function ratesOfEcbXml(root: XmlNode): readonly PublishedRate[] | undefined {
  const days = nodesAt(root, 'Cube', 'Cube').filter(({ attributes }) => attributes['time'] !== undefined);
  if (root.name !== 'Envelope' || days.length === 0) return undefined;
  return days.flatMap((day) =>
    nodesAt(day, 'Cube').flatMap(({ attributes }) =>
      published({
        from: base,
        to: attributes['currency'] ?? '',
        rate: attributes['rate'] ?? '',
        date: attributes['time'] ?? day.attributes['time'] ?? '',
      }),
    ),
  );
}

function rateOfSdmx(row: Cells): readonly PublishedRate[] {
  const {
    CURRENCY: to = '',
    CURRENCY_DENOM: from = base,
    OBS_VALUE: rate = '',
    TIME_PERIOD: date = '',
  } = row;
  return published({ from, to, rate, date });
}

const published = ({ rate, ...rest }: Omit<PublishedRate, 'source'>): readonly PublishedRate[] => {
  const plain = plainDecimal(rate);
  return plain === undefined || plain === '0' || plain.startsWith('-')
    ? []
    : [{ ...rest, rate: plain, source: 'ECB' }];
};

/** Decimals of a derived rate: as many as a rate may have. */
const decimals = 12;

/** Rates that crosses may make of one file. */
const crossesAtMost = 5_000;

/**
 * The rates in the other direction, and between the currencies of one day, each with its origin as its source. A rate of the
 * file itself is never derived.
 */
export function derivedRates(rates: readonly PublishedRate[]): readonly PublishedRate[] {
  const own = new Set(rates.map(({ from, to, date }) => `${from} ${to} ${date}`));
  const inverse = rates.map(({ from, to, rate, date, source }) => ({
    from: to,
    to: from,
    rate: quotient('1', rate),
    date,
    source: `1 / ${rate}, ${source}`,
  }));
  const byDay = new Map<string, PublishedRate[]>();
  for (const rate of rates) byDay.set(rate.date, [...(byDay.get(rate.date) ?? []), rate]);
  const count = [...byDay.values()].reduce((sum, list) => sum + list.length * (list.length - 1), 0);
  const crosses = count > crossesAtMost ? [] : [...byDay.values()].flatMap(crossesOf);
  return [...inverse, ...crosses].filter(({ from, to, date }) => !own.has(`${from} ${to} ${date}`));
}

const crossesOf = (rates: readonly PublishedRate[]): readonly PublishedRate[] =>
  rates.flatMap((one) =>
    rates
      .filter((other) => other !== one && other.from === one.from)
      .map((other) => ({
        from: one.to,
        to: other.to,
        rate: quotient(other.rate, one.rate),
        date: one.date,
        source: `${other.rate} / ${one.rate}, ${one.source}`,
      })),
  );

/** A quotient of two positive decimals, rounded half up at its last decimal. */
function quotient(above: string, below: string): string {
  const [a, b] = [scaled(above), scaled(below)];
  const numerator = a.digits * 10n ** BigInt(decimals + b.places);
  const denominator = b.digits * 10n ** BigInt(a.places);
  const whole = (numerator * 2n + denominator) / (denominator * 2n);
  return plainDecimal(`${whole}e-${decimals}`) ?? '0';
}

function scaled(text: string): { readonly digits: bigint; readonly places: number } {
  const [whole = '0', part = ''] = text.split('.');
  return { digits: BigInt(whole + part), places: part.length };
}
