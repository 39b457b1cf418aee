import { microsOf, moneyText } from '@switchyard/money';
import type { PageDocument } from '@switchyard/tables';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { dayText, monthText } from './day-text.js';

const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The page of a signed statement: what it says, by names, with the digits of each currency and without internal ids. */
export function statementPage(statement: JsonObject, digest: string): PageDocument {
  const period = text(statement['period']);
  const names = isJsonObject(statement['names']) ? statement['names'] : {};
  const sellers = isJsonObject(names['sellers']) ? names['sellers'] : {};
  const sellerOf = (row: JsonObject): string => text(sellers[text(row['seller'])]) || text(row['seller']);
  const totals = objects(statement['totals']);
  const lines = sumLines(objects(statement['lines']), sellerOf);
  const zones = Array.isArray(statement['zones']) ? statement['zones'].map(text).filter(Boolean) : [];
  const days = objects(statement['days']);
  const invoices = objects(statement['invoices']);
  const [only] = totals.length === 1 ? totals : [];
  const isClosed = statement['period_state'] === 'closed';
  return {
    language: 'en',
    from: text(statement['organization']),
    title: `Statement of ${monthText(period)}`,
    subtitle: text(names['scope']) || 'All clients',
    madeAt: text(statement['made_at']),
    facts: [
      ['Days', `${dayText(`${period}-01`)} to ${dayText(lastDay(period))}`],
      ['Time zone', zones.length === 0 ? 'UTC' : `local days of each seller: UTC, ${zones.join(', ')}`],
      ['Month', isClosed ? 'closed' : 'open: figures may change'],
      ['Amounts', 'media, without tax'],
    ],
    figures: [
      ...totals.map((total) => ({
        name: 'Delivered',
        value: `${moneyText(microsOf(text(total['spend'])), text(total['currency']))} ${text(total['currency'])}`,
      })),
      { name: 'Campaigns', value: String(new Set(lines.map(({ campaign }) => campaign)).size) },
      { name: 'Sellers', value: String(new Set(lines.map(({ seller }) => seller)).size) },
    ].slice(0, 5),
    ...(only !== undefined &&
      days.length > 0 && {
        bars: {
          name: 'Delivered by day',
          unit: text(only['currency']),
          bars: days.map((row) => ({
            label: text(row['day']),
            value: Number(text(row['spend'])),
            text: moneyText(microsOf(text(row['spend'])), text(row['currency'])),
          })),
        },
      }),
    tables: [
      {
        name: 'Delivered by campaign and seller',
        columns: [
          { name: 'Client', share: 3 },
          { name: 'Campaign', share: 3 },
          { name: 'Seller', share: 3 },
          { name: 'Currency', share: 1.4 },
          { name: 'Amount', share: 2.2, isFigure: true },
        ],
        rows: lines.map(({ client, campaign, seller, currency, micros }) => [
          ...[client, campaign, seller, currency, moneyText(micros, currency)],
        ]),
        sums: totals.map((total) => [
          ...['Total', '', '', text(total['currency'])],
          moneyText(microsOf(text(total['spend'])), text(total['currency'])),
        ]),
      },
      ...(invoices.length === 0
        ? []
        : [
            {
              name: 'Invoices of sellers',
              columns: [
                { name: 'Number', share: 3 },
                { name: 'Seller', share: 4 },
                { name: 'Currency', share: 1.4 },
                { name: 'Total', share: 2.2, isFigure: true },
              ],
              rows: invoices.map((row) => [
                ...[text(row['number']), sellerOf(row), text(row['currency'])],
                moneyText(microsOf(text(row['total'])), text(row['currency'])),
              ]),
            },
          ]),
    ],
    notes: [],
    proof: [
      `SHA-256 of the signed text of this statement (RFC 8785): ${digest}`,
      `Head of the ledger: block ${headOf(statement, 'number')}, ${headOf(statement, 'hash')}`,
      'The files, the page on the web and the signed text say the same.',
    ],
  };
}

const headOf = ({ ledger_head: head }: JsonObject, member: string): string =>
  isJsonObject(head) ? text(head[member]) : '';

interface Sum {
  readonly client: string;
  readonly campaign: string;
  readonly seller: string;
  readonly currency: string;
  readonly micros: bigint;
}

function sumLines(lines: readonly JsonObject[], sellerOf: (row: JsonObject) => string): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of lines) {
    const [client, campaign] = [text(row['client']) || 'no client', text(row['campaign']) || 'no campaign'];
    const [seller, currency] = [sellerOf(row), text(row['currency'])];
    const key = JSON.stringify([client, campaign, seller, currency]);
    const micros = (sums.get(key)?.micros ?? 0n) + microsOf(text(row['spend']));
    sums.set(key, { client, campaign, seller, currency, micros });
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function lastDay(period: string): string {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return `${period}-${String(new Date(Date.UTC(year, month, 0)).getUTCDate()).padStart(2, '0')}`;
}
