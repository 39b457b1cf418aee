import { randomUUID } from 'node:crypto';
import {
  basisText,
  groupBy,
  type AgreedPrice,
  type AccountFigures,
  type AccountInvoice,
  type CountBasis,
  type Figure,
  type FigureBuy,
} from '@switchyard/ledger';
import { microsToDecimal, roundToMicros } from '@switchyard/money';
import { isTimeZone, type TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue } from '../core/storable.js';
import { storePulled, type PulledAnswer } from '../events/inbox-work.js';
import { insertColumns } from '../ledger/insert-columns.js';
import { markFileUsed } from './finance-files.js';
import { takeTurn } from '../core/take-turns.js';

interface FigureImport {
  readonly source: string;
  readonly fileId: string;
  readonly mapping: Readonly<Record<string, string>>;
  /** UUID of the principal. */
  readonly importedBy: string;
  readonly lines: number;
  /** Batches, in the order of the file. */
  readonly figures: AsyncIterable<readonly Figure[]>;
}

/** A seller's answer about one account. */
interface PulledAccount extends Omit<AccountFigures, 'id'> {
  /** The account of the request. */
  readonly account: object;
  /** `YYYY-MM`. */
  readonly period: string;
  /** UUID of the principal. */
  readonly pulledBy: string;
  /** The answer, which is stored as pulled reports are. */
  readonly answer: PulledAnswer;
}

/** Rows with the same package and day. */
interface SameFigure {
  readonly row: number;
  /** The row of the file that has it before; absent: an earlier file of the source has other days of it. */
  readonly first: number | null;
}

/** Figures of third parties. A later import of a source replaces its figures of the same package and day. */
export function figureRepository(store: Store) {
  return {
    /** The column mapping of the last import of a source. */
    mapping: (scope: TenantScope, source: string): Promise<Readonly<Record<string, string>>> =>
      store.inTenantModels(scope, async ({ figure_import }) => {
        const last = await figure_import.findFirst({
          where: { organization_id: scope.organizationId, source },
          orderBy: { version: 'desc' },
        });
        return (last?.mapping ?? {}) as Readonly<Record<string, string>>;
      }),
    /** The buys with these ids, ours or their sellers'. */
    buys: (scope: TenantScope, ids: readonly string[]): Promise<readonly FigureBuy[]> =>
      store.inTenant(scope, (client) => readBuys(client, ids)),
    /** What was ordered or delivered at a seller in a currency, whichever is more, in micros. */
    whole: (scope: TenantScope, connectionId: string, currency: string): Promise<bigint> =>
      store.inTenant(scope, (client) => readWhole(client, connectionId, currency)),
    /** Stores a seller's figures of an account, with its answer, in one commit. Returns the id of the figures. */
    addAccount: (scope: TenantScope, pulled: PulledAccount): Promise<string> =>
      store.inTenant(scope, (client) => addAccount(client, pulled)),
    /** The newest figures of each requested account in a period. */
    accounts: (scope: TenantScope, period: string, seller?: string): Promise<readonly AccountFigures[]> =>
      store.inTenant(scope, (client) => readAccounts(client, period, seller)),
    /** Stores one whole file, or nothing if two rows have the same package and day: then it returns those. */
    add: async (
      scope: TenantScope,
      figures: FigureImport,
      at: Instant,
    ): Promise<{ readonly id: string; readonly version: number } | readonly SameFigure[]> => {
      try {
        return await store.inTenant(scope, (client) => addFigures(client, figures, at));
      } catch (error) {
        if (error instanceof SameTwice) return error.rows;
        throw error;
      }
    },
  };
}

export type FigureRepository = ReturnType<typeof figureRepository>;

/** Rolls the import back. */
class SameTwice extends Error {
  constructor(readonly rows: readonly SameFigure[]) {
    super('Two rows are about the same package and day.');
  }
}

async function readBuys(client: TenantClient, ids: readonly string[]): Promise<readonly FigureBuy[]> {
  const { rows } = await client.query<{
    id: string;
    requested_id: string;
    seller: string;
    currency: string;
    packages: readonly {
      readonly ref: string;
      readonly names: readonly (string | null)[];
      readonly budget: string;
      readonly price: StoredPrice | null;
    }[];
  }>(
    `select b.id, wanted.id as requested_id, b.seller, m.currency,
       (select coalesce(jsonb_agg(jsonb_build_object('ref', coalesce(p.seller_package_id, p.buyer_ref, ''),
                 'names', jsonb_build_array(p.seller_package_id, p.buyer_ref, p.id), 'budget', p.budget_micros::text,
                 'price', case when ordered.packages -> p.id::text ->> 'pricing_option_id' = p.pricing_option_id
                   then ordered.packages -> p.id::text else quoted.price end)), '[]')
        from buy_package p
        left join lateral (
          select jsonb_build_object('model', option ->> 'model', 'currency', option ->> 'currency',
                   'price', option ->> 'fixedPrice') as price
          from offered_product q cross join lateral jsonb_array_elements(q.offer -> 'pricingOptions') option
          where q.connection_id = b.connection_id and q.product_id = p.product_id and q.organization_id = $2
            and option ->> 'pricingOptionId' = p.pricing_option_id limit 1) quoted on true
        where p.leg_id = b.leg_id) as packages
     from unnest($1::text[]) wanted(id)
     cross join lateral (
       select s.id, s.seller, s.media_buy_id, s.leg_id, s.connection_id from seller_buy s
       where s.organization_id = $2 and s.media_buy_id = wanted.id
       union select s.id, s.seller, s.media_buy_id, s.leg_id, s.connection_id from connection c
       join seller_buy s on s.connection_id = c.id and s.seller_media_buy_id = wanted.id
       where c.organization_id = $2 offset 0) b
     join media_buy m on m.id = b.media_buy_id
     -- What was written down of a price when it was ordered counts before a later quote.
     left join lateral (
       select jsonb_object_agg(d ->> 'id', jsonb_build_object('pricing_option_id', d ->> 'pricing_option_id',
                'model', d ->> 'model', 'currency', o.document ->> 'currency',
                'price', case when d ->> 'floor' = 'true' then null else d ->> 'price' end)) as packages
       from (select document from insertion_order where organization_id = $2 and seller_buy_id = b.id
             order by version desc limit 1) o
       cross join lateral jsonb_array_elements(o.document -> 'packages') d where d ->> 'model' is not null) ordered on true`,
    [ids, client.organizationId],
  );
  return rows.map(({ id, requested_id: requestedId, packages, ...buy }) => ({
    ...buy,
    sellerBuyId: id,
    requestedId,
    packages: packages.map(({ ref, names, budget, price }) => ({
      ref,
      names: names.filter((name) => name !== null),
      budgetMicros: BigInt(budget),
      ...(price !== null && { price: priceOf(price) }),
    })),
  }));
}

interface StoredPrice {
  readonly model: string;
  readonly currency: string;
  /** Decimal text; null: it was not fixed. */
  readonly price: string | null;
}

function priceOf({ model, currency, price }: StoredPrice): AgreedPrice {
  const micros = price === null ? undefined : roundToMicros(price);
  return { model, currency, ...(micros?.ok === true && { priceMicros: micros.value }) };
}

async function readWhole(client: TenantClient, connectionId: string, currency: string): Promise<bigint> {
  const { rows } = await client.query<{ whole: string }>(
    `select coalesce(sum(greatest(
       (select coalesce(sum(p.budget_micros), 0) from buy_package p
        where p.organization_id = $1 and p.leg_id = s.leg_id and p.currency = $3),
       (select coalesce(sum(t.amount_micros), 0) from package_spend t
        where t.organization_id = $1 and t.seller_buy_id = s.id and t.currency = $3))), 0)::text as whole
     from seller_buy s where s.connection_id = $2`,
    [client.organizationId, connectionId, currency],
  );
  return BigInt(rows[0]?.whole ?? 0);
}

const types = {
  import_id: 'uuid',
  row: 'int',
  seller_buy_id: 'uuid',
  package_ref: 'text',
  day: 'text',
  spend_micros: 'bigint',
  impressions: 'bigint',
  last_day: 'text',
  basis: 'jsonb',
} as const;

/** Limit of returned rows of one file. */
const mostListed = 100;

async function addFigures(client: TenantSession, figures: FigureImport, at: Instant) {
  const { organizationId } = client;
  // Two imports of one organization take turns: otherwise both would get the same version.
  await takeTurn(client, 'figureImport');
  const id = randomUUID();
  if (!(await markFileUsed(client, figures.fileId))) throw new Error('The file of an import is gone.');
  const { rows } = await client.query<{ version: number }>(
    `insert into figure_import (id, organization_id, source, version, file_id, mapping, lines, imported_by, imported_at)
     select $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, $6, $7, $8
     from figure_import where organization_id = $2 and source = $3 returning version`,
    [
      id,
      organizationId,
      figures.source,
      figures.fileId,
      JSON.stringify(figures.mapping),
      figures.lines,
      figures.importedBy,
      new Date(at),
    ],
  );
  for await (const batch of figures.figures)
    await insertColumns(
      client,
      'third_party_figure',
      types,
      batch.map((figure) => ({
        import_id: id,
        row: figure.row,
        seller_buy_id: figure.sellerBuyId,
        package_ref: figure.packageRef,
        day: figure.day,
        spend_micros: figure.spendMicros.toString(),
        impressions: figure.impressions?.toString() ?? null,
        last_day: figure.lastDay ?? null,
        basis: figure.basis === undefined ? null : storedBasis(figure.basis),
      })),
    );
  const { rows: same } = await client.query<SameFigure>(
    `select row, first from (
       select row, min(row) over (partition by seller_buy_id, package_ref, day) as first
       from third_party_figure where import_id = $1) f
     where row > first order by row limit ${mostListed}`,
    [id],
  );
  if (same.length > 0) throw new SameTwice(same);
  const { rows: apart } = await client.query<SameFigure>(cutOtherwise, [id, organizationId, figures.source]);
  if (apart.length > 0) throw new SameTwice(apart);
  return { id, version: rows[0]?.version ?? 1 };
}

/**
 * Figures of several days replace nothing but figures of the same days. Where a source says the same days in another way,
 * in the same file or before, both would be added. They stand within one month.
 */
const cutOtherwise = `
  with period as (
    select e.* from (select distinct seller_buy_id from third_party_figure where import_id = $1) b
    cross join lateral (
      select t.import_id, t.row, t.seller_buy_id, t.package_ref, t.day, t.last_day from third_party_figure t
      where t.organization_id = $2 and t.seller_buy_id = b.seller_buy_id and t.last_day is not null offset 0) e
    join figure_import i on i.organization_id = $2 and i.id = e.import_id and i.source = $3)
  select row, min(first) as first from (
    select f.row, case when p.import_id = $1 then p.row end as first
    from third_party_figure f join period p on p.seller_buy_id = f.seller_buy_id and p.package_ref = f.package_ref
    where f.import_id = $1 and p.day <= coalesce(f.last_day, f.day) and p.last_day >= f.day
      and (p.day <> f.day or p.last_day is distinct from f.last_day)
    union all
    select f.row, case when e.import_id = $1 then e.row end
    from third_party_figure f
    cross join lateral (
      select t.import_id, t.row from third_party_figure t
      where t.organization_id = $2 and t.seller_buy_id = f.seller_buy_id and t.package_ref = f.package_ref
        and t.last_day is null and t.day between f.day and f.last_day offset 0) e
    join figure_import i on i.organization_id = $2 and i.id = e.import_id and i.source = $3
    where f.import_id = $1 and f.last_day is not null) found
  group by row order by row limit ${mostListed}`;

const storedBasis = ({ unit, count, model, priceMicros }: CountBasis): string =>
  JSON.stringify({ unit, count: count.toString(), model, price: microsToDecimal(priceMicros) });

/** A third party's figures of one package. */
export interface CountedElsewhere {
  readonly source: string;
  readonly micros: bigint;
  /** From what they were computed, in words; absent where they were amounts. */
  readonly basis?: string;
}

/** What was counted at one price. */
interface StoredBasis {
  readonly unit: CountBasis['unit'];
  readonly model: string;
  readonly price: string;
  readonly count: string;
}

/** `12,000 impressions x 11.18 CPM`, and so for each price at which days were counted. */
function basesText(bases: readonly StoredBasis[]): string {
  const counted = bases.map(({ unit, model, price, count }) => {
    const micros = roundToMicros(price);
    return basisText({ unit, model, count: BigInt(count), priceMicros: micros.ok ? micros.value : 0n });
  });
  return counted.toSorted().join(' and ');
}

/**
 * By part of a buy and package: the figures of the third party with the newest import for that buy. For each day only a
 * source's newest import counts; nothing is added twice.
 */
export async function readThirdParty(
  client: TenantClient,
  sellerBuyIds: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<ReadonlyMap<string, ReadonlyMap<string, CountedElsewhere>>> {
  const { rows } = await client.query<{
    seller_buy_id: string;
    source: string;
    package_ref: string;
    spend_micros: string;
    imported_at: Date;
    bases: readonly StoredBasis[] | null;
  }>(
    `select seller_buy_id, source, package_ref, sum(spend_micros)::text as spend_micros, max(imported_at) as imported_at,
       jsonb_agg(priced || jsonb_build_object('count', count::text)) filter (where priced is not null) as bases
     from (
       select seller_buy_id, source, package_ref, basis - 'count' as priced, sum(spend_micros) as spend_micros,
         max(imported_at) as imported_at, sum((basis ->> 'count')::numeric) as count
       from (
       select distinct on (f.seller_buy_id, i.source, f.package_ref, f.day)
         f.seller_buy_id, i.source, f.package_ref, f.spend_micros, f.basis, i.imported_at
       from unnest($1::uuid[]) b(id)
       cross join lateral (select * from third_party_figure t where t.organization_id = $2 and t.seller_buy_id = b.id
                             and t.day >= $3 and t.day < $4 offset 0) f
       join figure_import i on i.id = f.import_id
       order by f.seller_buy_id, i.source, f.package_ref, f.day, i.version desc) newest
       group by seller_buy_id, source, package_ref, basis - 'count') by_price
     group by seller_buy_id, source, package_ref`,
    [sellerBuyIds, client.organizationId, from, to],
  );
  const found = new Map<string, ReadonlyMap<string, CountedElsewhere>>();
  for (const [id, ofBuy] of groupBy(rows, (row) => row.seller_buy_id)) {
    const last = ofBuy.reduce((one, other) => (other.imported_at > one.imported_at ? other : one));
    const counted = ofBuy.filter(({ source }) => source === last.source);
    found.set(
      id,
      new Map(
        counted.map(({ package_ref: ref, source, spend_micros: spend, bases }) => [
          ref,
          { source, micros: BigInt(spend), ...(bases !== null && { basis: basesText(bases) }) },
        ]),
      ),
    );
  }
  return found;
}

async function addAccount(client: TenantSession, pulled: PulledAccount): Promise<string> {
  const { answer } = pulled;
  const id = randomUUID();
  await storePulled(client, answer);
  const { account_figure, seller_calendar } = client.models;
  await account_figure.create({
    data: {
      organization_id: client.organizationId,
      id,
      connection_id: answer.connectionId,
      seller: pulled.seller,
      account: storableValue(pulled.account),
      period: pulled.period,
      covers_from: pulled.coversFrom,
      covers_to: pulled.coversTo,
      timezone: pulled.timezone ?? '',
      currency: pulled.currency,
      total_spend_micros: pulled.totalSpendMicros ?? null,
      invoices: pulled.invoices.map(({ number, amountMicros, status }) => ({
        number,
        amount_micros: amountMicros.toString(),
        status,
      })),
      event_id: answer.id,
      answer_hash: answer.bodyHash,
      pulled_by: pulled.pulledBy,
      pulled_at: new Date(answer.receivedAt),
    },
  });
  if (pulled.timezone !== undefined && isTimeZone(pulled.timezone)) {
    const key = { organization_id: client.organizationId, seller: pulled.seller };
    const declared = {
      declared_zone: pulled.timezone.slice(0, 64),
      declared_at: new Date(answer.receivedAt),
    };
    await seller_calendar.upsert({
      where: { organization_id_seller: key },
      create: { ...key, ...declared },
      update: declared,
    });
  }
  return id;
}

const readAccount = rowReader<Omit<AccountFigures, 'invoices' | 'timezone'>>()(
  'id, seller, currency, covers_from, covers_to, total_spend_micros',
);

async function readAccounts(
  client: TenantClient,
  period: string,
  seller: string | undefined,
): Promise<readonly AccountFigures[]> {
  const { rows } = await client.query<{
    timezone: string;
    invoices: readonly (Omit<AccountInvoice, 'amountMicros'> & { readonly amount_micros: string })[];
  }>(
    `select distinct on (seller, connection_id, account) id, seller, currency, covers_from, covers_to, timezone,
       total_spend_micros, invoices
     from account_figure where organization_id = $1 and period = $2 and ($3::text is null or seller = $3)
     order by seller, connection_id, account, pulled_at desc, id desc`,
    [client.organizationId, period, seller ?? null],
  );
  return rows.map((row) => ({
    ...readAccount(row),
    // An account of which the seller names no zone.
    ...(row.timezone !== '' && { timezone: row.timezone }),
    invoices: row.invoices.map(({ number, status, amount_micros: amount }) => ({
      number,
      status,
      amountMicros: BigInt(amount),
    })),
  }));
}
