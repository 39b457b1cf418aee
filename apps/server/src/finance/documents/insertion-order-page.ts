import { microsOf, moneyText } from '@switchyard/money';
import type { PageDocument } from '@switchyard/tables';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { dayText } from './day-text.js';

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const texts = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(text).filter(Boolean) : [];
const objects = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** The page of a version of an insertion order: names, local times and the digits of its currency. */
export function insertionOrderPage(order: JsonObject, digest: string, checkAt: string): PageDocument {
  const currency = text(order['currency']);
  const names = isJsonObject(order['names']) ? order['names'] : {};
  const packages = objects(order['packages']);
  const version = typeof order['version'] === 'number' ? order['version'] : 1;
  const zones = [...new Set(packages.map((row) => text(row['zone'])).filter(Boolean))];
  const party = (name: string, member: string) => {
    const own = order[member];
    return { name, lines: isJsonObject(own) ? [text(own['name']), ...texts(own['lines'])] : [] };
  };
  const changes = texts(order['changes']);
  const madeAt = text(order['made_at']);
  return {
    language: 'en',
    from: text(order['organization']),
    title: `Insertion order ${text(order['number'])}`,
    subtitle: `Version ${String(version)} of ${dayText(madeAt)}`,
    madeAt,
    parties: [party('Buyer', 'buyer'), party('Seller', 'seller')],
    facts: [
      ...Object.entries(names).map(([name, value]) => [name, text(value)] as const),
      ['Flight', flightOf(packages)],
      ['Time zone', zones.length === 0 ? 'UTC: the seller has named no other' : zones.join(', ')],
      ['Currency', currency],
    ],
    figures: [
      {
        name: 'Total, without tax',
        value: `${moneyText(microsOf(text(order['total'])), currency)} ${currency}`,
      },
    ],
    tables: [
      {
        name: 'What is ordered',
        columns: [
          { name: 'Package', share: 3.4 },
          { name: 'From', share: 2.2 },
          { name: 'Until', share: 2.2 },
          { name: 'Price', share: 2 },
          { name: 'Counted by', share: 2.2 },
          { name: `Budget, ${currency}`, share: 2, isFigure: true },
        ],
        rows: packages.map((row) => [
          `${text(row['name'])}${row['canceled'] === true ? ' (canceled)' : ''}`,
          localTime(text(row['start']), text(row['zone'])),
          localTime(text(row['end']), text(row['zone'])),
          priceOf(row, currency),
          text(row['counted_by']),
          moneyText(microsOf(text(row['budget'])), currency),
        ]),
        sums: [['Total', '', '', '', '', moneyText(microsOf(text(order['total'])), currency)]],
      },
      ...(changes.length === 0
        ? []
        : [
            {
              name: `What changed since version ${String(version - 1)}`,
              columns: [{ name: 'Change', share: 1 }],
              rows: changes.map((change) => [change]),
            },
          ]),
    ],
    notes: [
      ...texts(order['terms']),
      `Please name ${text(order['number'])} on every invoice: it is matched by this number.`,
    ],
    proof: [
      `SHA-256 of the text of this order (RFC 8785): ${digest}`,
      `Check it without signing in: ${checkAt}`,
      'The files and the text say the same.',
    ],
  };
}

const models: Readonly<Record<string, string>> = { flat_rate: 'flat', time: 'for its time' };

function priceOf(row: JsonObject, currency: string): string {
  const [price, bid, model] = [text(row['price']), text(row['bid']), text(row['model'])];
  const named = models[model] ?? model.toUpperCase();
  const amount = bid === '' ? price : bid;
  if (amount === '') return named === '' ? 'as quoted' : `${named}, as quoted`;
  const how = bid !== '' ? 'bid ' : row['floor'] === true ? 'from ' : '';
  return `${how}${moneyText(microsOf(amount), currency)} ${named}`.trim();
}

/** A moment in a zone, to the minute: `1 November 2026, 00:00`; without a zone in UTC. */
function localTime(instant: string, zone: string): string {
  const at = Date.parse(instant);
  if (Number.isNaN(at)) return instant;
  const parts = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone: zone === '' ? 'UTC' : zone, year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit' },
  }).format(at);
  return `${dayText(parts.slice(0, 10))}, ${parts.slice(11, 16)}`;
}

function flightOf(packages: readonly JsonObject[]): string {
  const zone = (row: JsonObject): string => text(row['zone']);
  const live = packages.filter((row) => row['canceled'] !== true);
  const byTime = (member: string) =>
    live.toSorted((one, other) => Date.parse(text(one[member])) - Date.parse(text(other[member])));
  const [first] = byTime('start');
  const last = byTime('end').at(-1);
  if (first === undefined || last === undefined) return 'canceled';
  return `${localTime(text(first['start']), zone(first))} to ${localTime(text(last['end']), zone(last))}`;
}
