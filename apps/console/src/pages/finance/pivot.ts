import { micros } from '../../parts/money.js';
import type { Answer } from '../../api/client.js';

export type SpendRow = Answer<'GET /v1/ledger/spend'>['spend'][number];

/** The dimensions of spend, in the order of drilling down. */
export const dimensions = ['client', 'brand', 'campaign', 'seller', 'buy'] as const;
export const times = ['month', 'week', 'day', 'none'] as const;
export type Dimension = (typeof dimensions)[number];
export type TimeStep = (typeof times)[number];

const nobody = { client: 'No client', brand: 'No brand', campaign: 'No campaign', seller: '', buy: 'No buy' };

/** The key of a row in a dimension, and its name. */
export function memberOf(row: SpendRow, by: Dimension): { readonly key: string; readonly name: string } {
  const ids = {
    client: row.client_id,
    brand: row.brand,
    campaign: row.campaign_id,
    seller: row.seller,
    buy: row.media_buy_id,
  };
  const names = { ...ids, client: row.client, campaign: row.campaign };
  return { key: ids[by] ?? '-', name: names[by] ?? ids[by] ?? nobody[by] };
}

interface PivotRow {
  readonly key: string;
  readonly name: string;
  readonly currency: string;
  /** Micros, by column. */
  readonly cells: ReadonlyMap<string, bigint>;
  readonly total: bigint;
}

/** Sums spend by one dimension and time step, per currency: currencies are never added together. */
export function pivot(rows: readonly SpendRow[], by: Dimension, step: TimeStep) {
  const found = new Map<string, PivotRow & { readonly cells: Map<string, bigint> }>();
  const columns = new Set<string>();
  for (const row of rows) {
    const { key, name } = memberOf(row, by);
    const column = step === 'none' ? '' : (row[step] ?? '');
    const amount = micros(row.spend) ?? 0n;
    const at = `${key} ${row.currency}`;
    const item = found.get(at) ?? {
      key,
      name,
      currency: row.currency,
      cells: new Map<string, bigint>(),
      total: 0n,
    };
    found.set(at, {
      ...item,
      cells: item.cells.set(column, (item.cells.get(column) ?? 0n) + amount),
      total: item.total + amount,
    });
    if (column !== '') columns.add(column);
  }
  const largest = [...found.values()].sort((a, b) =>
    a.total === b.total ? a.name.localeCompare(b.name) : a.total < b.total ? 1 : -1,
  );
  return { columns: [...columns].sort(), rows: largest };
}

/** Sums of one currency, by column and in total. */
export function totalsOf(rows: readonly PivotRow[], currency: string) {
  const own = rows.filter((row) => row.currency === currency);
  const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);
  return {
    of: (column: string): bigint => sum(own.map(({ cells }) => cells.get(column) ?? 0n)),
    all: sum(own.map(({ total }) => total)),
  };
}
