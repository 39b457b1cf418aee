import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';

/** Ids and brands in the rows of a page. */
export interface NamesWanted {
  readonly clientIds?: readonly (string | undefined)[];
  readonly campaignIds?: readonly (string | undefined)[];
  readonly brandDomains?: readonly (string | undefined)[];
  readonly principalIds?: readonly (string | undefined)[];
  readonly connectionIds?: readonly (string | undefined)[];
}

/** Names by id; the name of a connection is that of our account at the seller. */
export interface Names {
  readonly clients: ReadonlyMap<string, string>;
  readonly campaigns: ReadonlyMap<string, string>;
  /** By domain: the brand whose row has no own id, else the first of the domain. */
  readonly brands: ReadonlyMap<string, string>;
  readonly principals: ReadonlyMap<string, string>;
  readonly accounts: ReadonlyMap<string, string>;
}

/** Owner of an operation with the names that people know; null if there is none. */
interface OperationNames {
  readonly client: string | null;
  readonly client_id: string | null;
  readonly brand: string | null;
  readonly brand_name: string | null;
  readonly campaign: string | null;
  readonly campaign_id: string | null;
}

/** Names for rows: by operation or media buy, and accounts as JSON text by the slug of a seller. */
export interface RowNames {
  readonly operations: ReadonlyMap<string, OperationNames>;
  readonly accounts: ReadonlyMap<string, string>;
}

/** Reads the names of a page of rows, in one statement for any number of rows. */
export interface NameReader {
  names(scope: TenantScope, wanted: NamesWanted): Promise<Names>;
  /** The same for rows with an operation and a seller, with their present names. */
  ofRows(
    scope: TenantScope,
    rows: readonly { readonly operationId?: string | null; readonly seller?: string | null }[],
  ): Promise<RowNames>;
  /** The same for media buys, by their ids. */
  ofBuys(
    scope: TenantScope,
    rows: readonly { readonly mediaBuyId: string; readonly seller?: string }[],
  ): Promise<RowNames>;
}

type Row = { readonly kind: keyof Names; readonly id: string; readonly name: string };

export function nameReader(store: Store): NameReader {
  return {
    names: async (scope, wanted) => {
      const values = [
        wanted.clientIds,
        wanted.campaignIds,
        wanted.brandDomains,
        wanted.principalIds,
        wanted.connectionIds,
      ].map((ids) => [...new Set((ids ?? []).filter((id) => id !== undefined))]);
      const nothing = values.every((ids) => ids.length === 0);
      const { rows } = nothing
        ? { rows: [] }
        : await store.onceInTenant<Row>(scope, { name: 'names_of_page', text: namesOf, values });
      const of = (kind: keyof Names): ReadonlyMap<string, string> =>
        new Map(rows.filter((row) => row.kind === kind).map(({ id, name }) => [id, name]));
      return {
        clients: of('clients'),
        campaigns: of('campaigns'),
        brands: of('brands'),
        principals: of('principals'),
        accounts: of('accounts'),
      };
    },
    ofRows: (scope, rows) =>
      rowNames(
        store,
        scope,
        'operation',
        rows.map(({ operationId, seller }) => ({ id: operationId, seller })),
      ),
    ofBuys: (scope, rows) =>
      rowNames(
        store,
        scope,
        'media_buy',
        rows.map(({ mediaBuyId, seller }) => ({ id: mediaBuyId, seller })),
      ),
  };
}

async function rowNames(
  store: Store,
  scope: TenantScope,
  of: Owner,
  rows: readonly { readonly id?: string | null | undefined; readonly seller?: string | null | undefined }[],
): Promise<RowNames> {
  const ids = distinct(rows.map(({ id }) => id));
  const sellers = distinct(rows.map(({ seller }) => seller));
  const [owners, accounts] = await Promise.all([
    ids.length === 0 ? [] : ofOwners(store, scope, of, ids),
    sellers.length === 0 ? [] : ofSellers(store, scope, sellers),
  ]);
  return {
    operations: new Map(owners.map(({ id, ...names }) => [id, names])),
    accounts: new Map(accounts.map(({ slug, account }) => [slug, account])),
  };
}

type Owner = 'operation' | 'media_buy';

function distinct(values: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined && value !== null))];
}

async function ofOwners(store: Store, scope: TenantScope, of: Owner, ids: readonly string[]) {
  const { rows } = await store.onceInTenant<OperationNames & { readonly id: string }>(scope, {
    name: `names_of_${of}s`,
    text: namesOfOwners(of),
    values: [ids],
  });
  return rows;
}

/**
 * Rows with their owners. `offset 0` makes PostgreSQL look up one row after another: for a list of ids the planner
 * would read an index of the whole organization, because it assumes an organization of average size.
 */
const ownersIn = {
  operation: `unnest($1::uuid[]) as page(id) cross join lateral (
      select * from operation r where r.organization_id = scope.organization_id and r.id = page.id offset 0) o`,
  media_buy: `unnest($1::text[]) as page(id) cross join lateral (
      select * from media_buy r where r.organization_id = scope.organization_id and r.id = page.id offset 0) o`,
} as const;

function namesOfOwners(of: Owner): string {
  return `
    select o.id::text as id, c.name as client, o.client_id::text as client_id, o.brand_domain as brand,
           (select b.name from brand b where b.organization_id = o.organization_id and b.domain = o.brand_domain
            order by b.brand_id limit 1) as brand_name,
           k.name as campaign, o.campaign_id::text as campaign_id
    from ${ownersIn[of]}
    left join client c on c.id = o.client_id left join campaign k on k.id = o.campaign_id`;
}

async function ofSellers(store: Store, scope: TenantScope, slugs: readonly string[]) {
  const { rows } = await store.onceInTenant<{ readonly slug: string; readonly account: string }>(scope, {
    name: 'accounts_of_sellers',
    text: `select n.slug, n.account::text as account from connection n
           where n.organization_id = scope.organization_id and n.slug = any($1::text[]) and n.account is not null`,
    values: [slugs],
  });
  return rows;
}

const namesOf = `
  select 'clients' as kind, c.id::text as id, c.name from client c
  where c.organization_id = scope.organization_id and c.id = any($1::uuid[])
  union all
  select 'campaigns', m.id::text, m.name from campaign m
  where m.organization_id = scope.organization_id and m.id = any($2::uuid[])
  union all
  (select distinct on (b.domain) 'brands', b.domain, b.name from brand b
   where b.organization_id = scope.organization_id and b.domain = any($3::text[]) order by b.domain, b.brand_id)
  union all
  select 'principals', p.id::text, p.name from principal p
  where p.organization_id = scope.organization_id and p.id = any($4::uuid[])
  union all
  select 'accounts', n.id::text, n.account::text from connection n
  where n.organization_id = scope.organization_id and n.id = any($5::uuid[]) and n.account is not null`;
