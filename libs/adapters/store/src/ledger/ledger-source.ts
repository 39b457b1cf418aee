import type { Balance, LedgerCounts, LedgerSource, PackageMonth, SpentOnPackage } from '@switchyard/ledger';
import { isUuid } from '@switchyard/values';
import { readArchive } from './read-archive.js';
import { readLimitSums } from '../spending/limit-sums.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { Row } from '../core/row-mapper.js';
import { assignmentColumns, assignmentOf } from './book-assignments.js';
import { changeRowOf } from './book-changes.js';
import { packagesThatDiffer } from './package-spend.js';
import { pagesOf } from './read-pages.js';
import { readHead } from './stream-head.js';
import type { package_spendModel } from '../generated/models.js';

/** Everything that a verification reads, page by page: blocks by number, balances by key. */
export async function ledgerSource(client: TenantClient): Promise<LedgerSource> {
  const archive = await readArchive(client);
  return {
    head: await readHead(client),
    ...(archive === undefined ? {} : { archive }),
    pages: (after) => pagesOf(client, after),
    balances: () => balancesOf(client),
    changes: () => allOf(client, everyChange, changeRowOf),
    totals: () => totalsOf(client),
    changesNamed: (ids) => named(client, changesNamed, changeRowOf, ids),
    assignments: (ids) =>
      ids === undefined
        ? allOf(client, everyAssignment, assignmentOf)
        : named(client, assignmentsNamed, assignmentOf, ids),
    spent: () => spentOf(client),
    counts: () => countsOf(client),
    packagesThatDiffer: () => packagesThatDiffer(client),
    packageMonths: () => packageMonthsOf(client),
    limitSums: () => readLimitSums(client),
  };
}

const sumsAtOnce = 5_000;

async function* balancesOf(client: TenantClient): AsyncGenerator<Balance> {
  let last: readonly [string, string, string, string] | undefined;
  for (;;) {
    const { rows } = await client.query<Omit<Balance, 'amountMicros'> & { amount_micros: string }>(
      `select account, seller, day, currency, amount_micros from ledger_balance
       where organization_id = $1 ${last === undefined ? '' : 'and (account, seller, day, currency) > ($3, $4, $5, $6)'}
       order by account, seller, day, currency limit $2`,
      [client.organizationId, sumsAtOnce, ...(last ?? [])],
    );
    for (const { account, seller, day, currency, amount_micros } of rows) {
      yield { account, seller, day, currency, amountMicros: BigInt(amount_micros) };
      last = [account, seller, day, currency];
    }
    if (rows.length < sumsAtOnce) return;
  }
}

async function* spentOf(client: TenantClient): AsyncGenerator<SpentOnPackage> {
  let last: readonly [string, string] | undefined;
  for (;;) {
    const { rows } = await client.query<Record<'seller_buy_id' | 'package_ref' | 'spent', string>>(
      `select seller_buy_id, package_ref, sum(amount_micros)::text as spent from package_spend
       where organization_id = $1 ${last === undefined ? '' : 'and (seller_buy_id, package_ref) > ($3::uuid, $4)'}
       group by seller_buy_id, package_ref order by seller_buy_id, package_ref limit $2`,
      [client.organizationId, sumsAtOnce, ...(last ?? [])],
    );
    for (const { seller_buy_id: sellerBuyId, package_ref: packageRef, spent } of rows) {
      yield { sellerBuyId, packageRef, spendMicros: BigInt(spent) };
      last = [sellerBuyId, packageRef];
    }
    if (rows.length < sumsAtOnce) return;
  }
}

async function* packageMonthsOf(client: TenantClient): AsyncGenerator<PackageMonth> {
  let last: readonly [string, string, string, string] | undefined;
  for (;;) {
    const { rows } = await client.query<PackageMonthRow>(
      `select seller_buy_id, media_buy_id, seller, package_ref, month, currency, amount_micros::text as amount,
         days::text[] as days
       from package_spend
       where organization_id = $1
         ${last === undefined ? '' : 'and (seller_buy_id, package_ref, month, currency) > ($3::uuid, $4, $5, $6)'}
       order by seller_buy_id, package_ref, month, currency limit $2`,
      [client.organizationId, sumsAtOnce, ...(last ?? [])],
    );
    for (const {
      seller_buy_id: sellerBuyId,
      media_buy_id: mediaBuyId,
      package_ref: packageRef,
      ...row
    } of rows) {
      const { seller, month, currency, amount } = row;
      const days = row.days.map((day) => (day === null ? null : BigInt(day)));
      yield {
        sellerBuyId,
        mediaBuyId,
        seller,
        packageRef,
        month,
        currency,
        amountMicros: BigInt(amount),
        days,
      };
      last = [sellerBuyId, packageRef, month, currency];
    }
    if (rows.length < sumsAtOnce) return;
  }
}

type PackageMonthRow = Pick<
  package_spendModel,
  'seller_buy_id' | 'media_buy_id' | 'seller' | 'package_ref' | 'month' | 'currency'
> & { readonly amount: string; readonly days: readonly (string | null)[] };

async function totalsOf(client: TenantClient): Promise<readonly Omit<Balance, 'day'>[]> {
  const { rows } = await client.query<Omit<Balance, 'day' | 'amountMicros'> & { amount: string }>(
    `select account, seller, currency, sum(amount_micros)::text as amount from ledger_balance
     where organization_id = $1 group by account, seller, currency`,
    [client.organizationId],
  );
  return rows.map(({ amount, ...key }) => ({ ...key, amountMicros: BigInt(amount) }));
}

/** The rows of a table with an id, in the order of their ids; `text` selects a page of those after `$3`. */
async function* allOf<T extends { readonly id: string }>(
  client: TenantClient,
  text: string,
  read: (row: Row) => T,
): AsyncGenerator<T> {
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await client.query<Row>(text, [client.organizationId, sumsAtOnce, last]);
    const page = rows.map(read);
    yield* page;
    last = page.at(-1)?.id ?? last;
    if (rows.length < sumsAtOnce) return;
  }
}

/** The rows with these ids; `text` selects those in `$2`. */
async function* named<T>(
  client: TenantClient,
  text: string,
  read: (row: Row) => T,
  ids: readonly string[],
): AsyncGenerator<T> {
  const uuids = ids.filter(isUuid);
  for (let at = 0; at < uuids.length; at += sumsAtOnce) {
    const page = uuids.slice(at, at + sumsAtOnce);
    yield* (await client.query<Row>(text, [client.organizationId, page])).rows.map(read);
  }
}

const everyChange =
  'select * from buy_change where organization_id = $1 and id > $3::uuid order by id limit $2';
const changesNamed = 'select * from buy_change where organization_id = $1 and id = any($2::uuid[])';
const everyAssignment = `
  select ${assignmentColumns} from buy_assignment a join media_buy b on b.id = a.media_buy_id
  where a.organization_id = $1 and a.id > $3::uuid order by a.id limit $2`;
const assignmentsNamed = `
  select ${assignmentColumns} from buy_assignment a join media_buy b on b.id = a.media_buy_id
  where a.organization_id = $1 and a.id = any($2::uuid[])`;

async function countsOf(client: TenantClient): Promise<LedgerCounts> {
  const { rows } = await client.query<{ entries: string; postings: string; versions: string }>(
    `select (select count(*) from ledger_entry where organization_id = $1) as entries,
            (select count(*) from ledger_posting where organization_id = $1) as postings,
            (select count(*) from report_version where organization_id = $1) as versions`,
    [client.organizationId],
  );
  const [row] = rows;
  return {
    entries: BigInt(row?.entries ?? 0),
    postings: BigInt(row?.postings ?? 0),
    versions: BigInt(row?.versions ?? 0),
  };
}
