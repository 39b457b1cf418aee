import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';

/** What a column of a view holds: amounts in micros are `integer`, amounts in units and days are `text`. */
export type BiType = 'text' | 'integer' | 'boolean' | 'time';
export type BiValue = string | bigint | boolean | Date | null;

/** The views of schema `bi`, by name. `booked_on`: an export of a day has the rows of that day; the others are whole. */
export const biViews = {
  approvals: 'whole',
  breaks: 'whole',
  buys: 'whole',
  invoices: 'whole',
  periods: 'whole',
  sellers: 'whole',
  spend_booked: 'booked_on',
  spend_daily: 'whole',
} as const satisfies Readonly<Record<string, 'whole' | 'booked_on'>>;

export type BiView = keyof typeof biViews;

export interface BiRows {
  readonly columns: Readonly<Record<string, BiType>>;
  /** Calls `take` with parts of the rows. */
  readonly each: (
    take: (rows: readonly Readonly<Record<string, BiValue>>[]) => Promise<void>,
  ) => Promise<void>;
}

const types: Readonly<Record<string, BiType>> = {
  bigint: 'integer',
  integer: 'integer',
  boolean: 'boolean',
  'timestamp with time zone': 'time',
};
/** Rows that are in memory at once. */
const rowsAtOnce = 5_000;

/** Reads a view of an organization for a day, in one transaction, part by part. */
export function readBiView<T>(
  store: Store,
  scope: TenantScope,
  { view, day }: { readonly view: BiView; readonly day: string },
  read: (rows: BiRows) => Promise<T>,
): Promise<T> {
  return store.inTenant(scope, async (client) => {
    const { rows: found } = await client.query<{ column_name: string; data_type: string }>(
      `select column_name, data_type from information_schema.columns
       where table_schema = 'bi' and table_name = $1 order by ordinal_position`,
      [view],
    );
    const columns = Object.fromEntries(
      found.map(({ column_name: name, data_type: type }) => [name, types[type] ?? 'text'] as const),
    );
    const where = biViews[view] === 'booked_on' ? 'where booked_on = $1' : 'where $1::text is not null';
    await client.query(`declare bi_rows no scroll cursor for select * from bi.${view} ${where}`, [day]);
    return read({
      columns,
      each: async (take) => {
        for (;;) {
          const { rows } = await client.query<Record<string, string | number | boolean | Date | null>>(
            `fetch ${rowsAtOnce} from bi_rows`,
          );
          if (rows.length === 0) return;
          await take(
            rows.map((row) =>
              Object.fromEntries(
                Object.entries(columns).map(
                  ([name, type]) => [name, valueOf(row[name] ?? null, type)] as const,
                ),
              ),
            ),
          );
        }
      },
    });
  });
}

function valueOf(value: string | number | boolean | Date | null, type: BiType): BiValue {
  if (value === null) return null;
  if (type === 'integer') return BigInt(String(value));
  return typeof value === 'number' ? String(value) : value;
}
