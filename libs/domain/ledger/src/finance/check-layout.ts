import { layoutFiles, type BookLayout } from './book-layout.js';
import type { JournalDocument } from './journal-export.js';

/** What one rule of the kit found. */
export interface LayoutFinding {
  readonly rule: string;
  readonly passed: boolean;
  readonly words: string;
}

const document = (number: string, currency: string, seller: string, micros: bigint): JournalDocument => ({
  number,
  day: '2026-10-31',
  kind: 'delivery',
  seller,
  currency,
  lines: [
    { account: 'media_spend', amountMicros: micros },
    { account: 'seller_payable', amountMicros: -micros },
  ],
});

/** A batch with what is easily forgotten: two currencies, a correction, one without cents, signs that files give a meaning. */
const batch: readonly JournalDocument[] = [
  document('SW00001-00001', 'EUR', 'harbor', 12_345_670_000n),
  document('SW00001-00002', 'EUR', '=cmd()', -80_010_000n),
  document('SW00001-00003', 'JPY', 'with "quotes", and a comma', 300_000_000n),
];

/** Has a code for every name. */
class EveryCode extends Map<string, string> {
  override get(key: string): string {
    return `C-${key.replaceAll(/\W/g, '-')}`;
  }
}

/**
 * Judges a layout by a batch that is written for the trial. Each rule is one that finance relies on where it imports the files
 * (docs/guides/connectors.md#what-is-checked).
 */
export function checkLayout(layout: BookLayout): readonly LayoutFinding[] {
  const write = (codes: ReadonlyMap<string, string> = new EveryCode()) =>
    layoutFiles(layout, frozen(batch), codes);
  return Object.entries(rules).map(([rule, judge]) => {
    const words = judge(layout, write);
    return { rule, passed: words === undefined, words: words ?? 'It does.' };
  });
}

type Write = (codes?: ReadonlyMap<string, string>) => ReturnType<typeof layoutFiles>;

/** Each answers what is wrong, or undefined. */
const rules: Readonly<Record<string, (layout: BookLayout, write: Write) => string | undefined>> = {
  'has a name that can be a format': ({ system }) =>
    /^[a-z][a-z0-9-]{0,40}$/.test(system) ? undefined : `${system} can not.`,
  'writes a batch of several currencies, and changes nothing in it': (_, write) => {
    const written = write();
    return written.ok ? undefined : (written.error.reason ?? 'It asks for codes that are there.');
  },
  'writes the same files for the same batch': (_, write) =>
    JSON.stringify(write()) === JSON.stringify(write()) ? undefined : 'Two runs differ.',
  'has a row for each line, under a header': (_, write) => {
    const lines = batch.reduce((sum, { lines: own }) => sum + own.length, 0);
    const rows = rowsOf(write).reduce((sum, file) => sum + file.length - 1, 0);
    return rows >= lines ? undefined : `${rows} rows for ${lines} lines.`;
  },
  'writes each amount to its last place': (_, write) => {
    const amounts = rowsOf(write).flatMap((file) => file.slice(1).flatMap((row) => row.flatMap(microsOf)));
    const lacks = batch
      .flatMap(({ lines }) => lines)
      .find(({ amountMicros: micros }) => {
        const size = micros < 0n ? -micros : micros;
        return !amounts.includes(micros) && !amounts.includes(size);
      });
    return lacks === undefined ? undefined : `${String(lacks.amountMicros)} micros are in no cell.`;
  },
  'reports every code that it lacks, and then writes nothing': (_, write) => {
    const written = write(new Map());
    if (written.ok) return 'It wrote without codes.';
    const named = ['media_spend', 'seller_payable'].filter((key) => !written.error.missing.includes(key));
    return named.length === 0 ? undefined : `It does not ask for ${named.join(', ')}.`;
  },
};

function rowsOf(write: Write): readonly (readonly (readonly string[])[])[] {
  const written = write();
  return written.ok ? written.value.map(({ rows }) => rows) : [];
}

/** A cell as an amount, with a dot or a comma before its places. */
function microsOf(cell: string): readonly bigint[] {
  const [, sign = '', whole = '', places = ''] = /^(-?)(\d{1,15})(?:[.,](\d{1,6}))?$/.exec(cell) ?? [];
  return whole === '' ? [] : [BigInt(`${sign}${whole}${places.padEnd(6, '0')}`)];
}

function frozen(documents: readonly JournalDocument[]): readonly JournalDocument[] {
  for (const one of documents) {
    for (const line of one.lines) Object.freeze(line);
    Object.freeze(one.lines);
    Object.freeze(one);
  }
  return Object.freeze(documents);
}
