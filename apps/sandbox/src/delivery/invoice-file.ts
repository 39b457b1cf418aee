import type { Billing } from '../personalities.js';

export interface BilledLine {
  /** The seller's ids of the buy and of the package; empty for a line beside media. */
  readonly order: string;
  readonly part: string;
  readonly po: string;
  readonly text: string;
  readonly units: number;
  readonly cents: number;
}

interface InvoiceDocument {
  readonly number: string;
  /** Days, `YYYY-MM-DD`; `from` and `to` are both billed. */
  readonly issued: string;
  readonly from: string;
  readonly to: string;
  readonly currency: string;
  readonly lines: readonly BilledLine[];
  /** Number of the invoice that it credits. */
  readonly credits?: string;
}

/** What a layout can have, as the document and one of its lines say it. */
const cellsOf = (of: InvoiceDocument, line: BilledLine, { day, amount }: Layout) => ({
  number: of.number,
  issued: day(of.issued),
  currency: of.currency,
  credits: of.credits ?? '',
  order: line.order,
  part: line.part,
  po: line.po,
  text: line.text,
  units: line.units === 0 ? '' : String(line.units),
  from: day(of.from),
  to: day(of.to),
  net: amount(line.cents),
});

interface Layout {
  readonly separator: string;
  readonly day: (day: string) => string;
  readonly amount: (cents: number) => string;
  /** Its columns from left to right, with their names. */
  readonly columns: Readonly<Partial<Record<keyof ReturnType<typeof cellsOf>, string>>>;
}

const plainAmount = (cents: number): string => (cents / 100).toFixed(2);
const grouped = (text: string, by: string): string => text.replaceAll(/(?<=\d)(?=(?:\d{3})+(?!\d))/g, by);

const layouts: Readonly<Record<Billing['layout'], Layout>> = {
  plain: {
    separator: ',',
    day: (day) => day,
    amount: plainAmount,
    columns: {
      ...{ number: 'Document', issued: 'Issued', currency: 'Currency', credits: 'Refers to' },
      ...{ order: 'Order ID', part: 'Line item ID', po: 'PO', text: 'Description', units: 'Impressions' },
      ...{ from: 'From', to: 'To', net: 'Net' },
    },
  },
  german: {
    separator: ';',
    day: (day) => day.split('-').toReversed().join('.'),
    amount: (cents) => {
      const [whole = '', rest = ''] = plainAmount(cents).split('.');
      return `${grouped(whole, '.')},${rest}`;
    },
    columns: {
      ...{ number: 'Rechnungsnummer', issued: 'Rechnungsdatum', currency: 'Währung', order: 'Auftrag' },
      ...{ part: 'Paket', po: 'Bestellnummer', text: 'Beschreibung', units: 'Impressionen' },
      ...{ from: 'Leistung von', to: 'Leistung bis', net: 'Betrag' },
    },
  },
  /** Without the days that are billed. */
  american: {
    separator: ',',
    day: (day) => `${day.slice(5, 7)}/${day.slice(8)}/${day.slice(0, 4)}`,
    amount: (cents) => {
      const [whole = '', rest = ''] = plainAmount(Math.abs(cents)).split('.');
      return `"${cents < 0 ? '-' : ''}$${grouped(whole, ',')}.${rest}"`;
    },
    columns: {
      ...{ number: 'Invoice Number', issued: 'Invoice Date', currency: 'Currency', order: 'Order ID' },
      ...{ part: 'Line Item ID', po: 'PO', text: 'Description', units: 'Impressions', net: 'Amount' },
    },
  },
};

interface InvoiceFile {
  readonly number: string;
  readonly file: string;
  readonly text: string;
}

/** An invoice or credit note as a file of its seller. */
export function invoiceFile({ layout, beside }: Billing, document: InvoiceDocument): InvoiceFile {
  const { number, lines } = document;
  const own = layouts[layout];
  const columns = Object.entries(own.columns) as [keyof ReturnType<typeof cellsOf>, string][];
  const rows = [...lines, ...(beside === undefined ? [] : [lineBeside(beside, lines)])].map((line) => {
    const cells = cellsOf(document, line, own);
    return columns.map(([cell]) => cells[cell]);
  });
  const text = [columns.map(([, name]) => name), ...rows]
    .map((cells) => cells.join(own.separator))
    .join('\n');
  return { number, file: `${number}.csv`, text: `${text}\n` };
}

function lineBeside([text, percent]: readonly [string, number], lines: readonly BilledLine[]): BilledLine {
  const media = lines.reduce((sum, { cents }) => sum + cents, 0);
  return { order: '', part: '', po: '', text, units: 0, cents: Math.round((media * percent) / 100) };
}
