import type { Connection, ConnectionHealth } from '@switchyard/sellers';
import type { PlatformKey } from '@switchyard/signing';
import type {
  ListSort,
  PrincipalRecord,
  Reach,
  TenantScope,
  TokenRecord,
  VouchedIdentity,
} from '@switchyard/tenancy';
import { isoOf, isUuid, type Instant, type PageRead } from '@switchyard/values';
import type { CredentialMetadata } from '@switchyard/vault';
import { partOf } from '../core/list-of-operations.js';
import { present } from '../core/present.js';
import { given, listStatement, type KeyColumn, type Part } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import type { signing_keyModel } from '../generated/models.js';
import { connectionOf, type ConnectionRow } from '../sellers/connection-row.js';
import { keyOf } from '../signing/platform-key-store.js';
import { identityOf } from '../tenancy/identity-directory.js';
import {
  grantOfPrincipal,
  holderNames,
  recordOf,
  rolesOf,
  tokenOf,
  type HolderRow,
} from '../tenancy/principal-row.js';
import { metadataColumns } from '../vault/credential-store.js';
import { metadataOf, type MetadataRow } from '../vault/credential-row.js';

/** By name, or by the time a row was made. */
type NamedSort = ListSort | 'name';

interface SellerFilter extends PageRead {
  readonly state?: string;
  /** A kind of seller: `sales`, `signals` and so on. */
  readonly kind?: string;
  readonly slug?: string;
  /** True for sellers that cannot be used now: not live, not answering, stopped, or without an accepted credential. */
  readonly isFailing?: boolean;
  readonly sort?: NamedSort;
}

/** A seller that is not removed; the key of its page is `[slug]`, or `[createdAt, id]` by time. */
interface ListedSeller {
  readonly connection: Connection;
  readonly breaker?: ConnectionHealth['breaker'];
  /** What is wrong with its credential: the seller refused it last, or it was revoked. */
  readonly credentialFault?: 'refused' | 'revoked';
  readonly createdAt: number;
}

interface SellerCounts {
  readonly all: number;
  readonly failing: number;
}

interface PrincipalFilter extends PageRead {
  /** The name or id of one. */
  readonly principal?: string;
  readonly kind?: string;
  readonly role?: string;
  readonly isRevoked?: boolean;
  readonly sort?: NamedSort;
  readonly reach?: Reach;
}

/** A principal with its credentials; the key of its page is `[name]`, or `[createdAt, id]` by time. */
interface ListedPrincipal {
  readonly record: PrincipalRecord;
  readonly tokens: readonly TokenRecord[];
  readonly identities: readonly VouchedIdentity[];
  /** Of a person: the address that it signs in with or has proved. */
  readonly email?: string;
  /** Of a person: the strongest way to sign in that it has set up. */
  readonly signIn?: SignInWay;
}

/** `link`: nothing is set up, so that a link of a colleague is the only way. */
export type SignInWay = 'passkey' | 'code' | 'provider' | 'password' | 'link';

interface CredentialFilter extends PageRead {
  readonly seller?: string;
  readonly kind?: string;
  readonly hasError?: boolean;
  /** Versions that are revoked by themselves before this time. */
  readonly retiresBefore?: Instant;
  readonly sort?: ListSort;
}

interface KeyFilter extends PageRead {
  /** Name of a principal. */
  readonly principal?: string;
  readonly state?: string;
  readonly sort?: ListSort;
}

/** A row with the name of its principal. */
type Named<T> = T & { readonly principalName: string };

/** Pages of an organization's setup, each with an index in its order. */
export interface SetUpLists {
  sellers(scope: TenantScope, filter: SellerFilter): Promise<readonly ListedSeller[]>;
  sellerCounts(scope: TenantScope): Promise<SellerCounts>;
  principals(scope: TenantScope, filter: PrincipalFilter): Promise<readonly ListedPrincipal[]>;
  /** Versions that can still be opened, without evidence; the key is `[createdAt, credentialId, version]`. */
  credentials(scope: TenantScope, filter: CredentialFilter): Promise<readonly CredentialMetadata[]>;
  /** Our own keys, including retired ones; the key is `[createdAt, kid]`. */
  keys(scope: TenantScope, filter: KeyFilter): Promise<readonly (PlatformKey & Partial<Named<object>>)[]>;
}

export function setUpLists(store: Store): SetUpLists {
  return {
    sellers: (scope, filter) => store.inTenant(scope, (client) => sellers(client, filter)),
    sellerCounts: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<SellerCounts>(sellerCounts, []);
        return rows[0] ?? { all: 0, failing: 0 };
      }),
    principals: (scope, filter) => store.inTenant(scope, (client) => principals(client, filter)),
    credentials: (scope, filter) => store.inTenant(scope, (client) => credentials(client, filter)),
    keys: (scope, filter) => store.inTenant(scope, (client) => keys(client, filter)),
  };
}

/** Oldest first, or newest first on request: all columns have one direction, so that one index serves both. */
function ordered(sort: ListSort | undefined, columns: readonly KeyColumn[]): readonly KeyColumn[] {
  return sort === 'newest' ? columns.map((column) => ({ ...column, isDescending: true })) : columns;
}

function namedOrder(sort: NamedSort | undefined, alias: string, name: string): readonly KeyColumn[] {
  if (sort === undefined || sort === 'name') return [{ column: `${alias}.${name}`, type: 'text' }];
  return ordered(sort, madeOf(alias, { column: 'id', type: 'uuid' }));
}

function madeOf(alias: string, ...ids: readonly KeyColumn[]): readonly KeyColumn[] {
  return [
    { column: `${alias}.created_at`, type: 'timestamptz' },
    ...ids.map((id) => ({ ...id, column: `${alias}.${id.column}` })),
  ];
}

/** The credential with this id cannot be used: its current version `k` is refused by the seller, or revoked. */
const isUnusable = `
  k.state = 'current' and (k.last_error_at is not null or k.retired_at <= now()) and not exists (
    select from credential newer
    where newer.credential_id = k.credential_id and newer.version > k.version and newer.state = 'current')`;

/** Ids of sellers that cannot be used. Each part reads an index that has only such rows. */
const failingSellers = `
  select id from connection where state in ('onboarding', 'failed', 'disabled', 'suspended')
  union all select connection_id from connection_health where breaker <> 'closed'
  union all select used.id from credential k
    join connection used on used.id = k.connection_id and used.credential_id = k.credential_id where ${isUnusable}
  union all select subject::uuid from emergency_stop where kind = 'seller'`;

const sellerCounts = `
  select count(*)::int as all, count(*) filter (where c.id in (${failingSellers}))::int as failing
  from connection c where c.state not in ('removed', 'draft')`;

async function sellers(
  client: TenantClient,
  { isFailing, ...filter }: SellerFilter,
): Promise<readonly ListedSeller[]> {
  const list = {
    columns: `c.*, h.breaker, (
      select case when k.retired_at <= now() then 'revoked' else 'refused' end from credential k
      where k.credential_id = c.credential_id and ${isUnusable}) as credential_fault`,
    from: 'connection c left join connection_health h on h.connection_id = c.id',
    where: [
      // A removed seller is found by its slug only, and a draft is in no list.
      ["c.state not in ('removed', 'draft')"] as Part,
      given('c.slug = ?', filter.slug),
      given('c.state = ?', filter.state),
      given('? = any(c.kinds)', filter.kind),
      ...(isFailing === undefined
        ? []
        : [[`c.id ${isFailing ? 'in' : 'not in'} (${failingSellers})`] as Part]),
    ],
    order: namedOrder(filter.sort, 'c', 'slug'),
  };
  const { rows } = await client.query<
    ConnectionRow & { breaker: string | null; credential_fault: 'refused' | 'revoked' | null }
  >(listStatement(list, filter));
  return rows.map(({ breaker, credential_fault: credentialFault, ...row }) => ({
    connection: connectionOf(row),
    createdAt: row.created_at.getTime(),
    ...(breaker !== null && { breaker: breaker as ConnectionHealth['breaker'] }),
    ...(credentialFault !== null && { credentialFault }),
  }));
}

async function principals(
  client: TenantSession,
  filter: PrincipalFilter,
): Promise<readonly ListedPrincipal[]> {
  const { principal = '', kind, role, isRevoked, reach = { kind: 'everything' } } = filter;
  const list = {
    columns: `p.*, ${rolesOf}, ${holderNames}, ${signInColumns}`,
    from: `principal p cross join lateral (
      select p.id as principal_id, null::uuid as client_id, p.brand_domain, null::uuid as campaign_id) o`,
    where: [
      partOf(withinReach('o', reach, 1)),
      given(isUuid(principal) ? 'p.id = ?' : 'p.name = ?', filter.principal),
      given('p.kind = ?', kind),
      given(`exists (select from access_grant g where ${grantOfPrincipal} and g.role = ?)`, role),
      given('(p.disabled_at is not null) = ?', isRevoked),
    ],
    order: namedOrder(filter.sort, 'p', 'name'),
  };
  const { rows } = await client.query<ListedPrincipalRow>(listStatement(list, filter));
  const ids = rows.map(({ id }) => id);
  const { principal_identity, principal_token } = client.models;
  const ofThem = { principal_id: { in: ids } };
  const orderBy = [{ created_at: 'asc' as const }, { id: 'asc' as const }];
  const tokens = await principal_token.findMany({ where: { ...ofThem, revoked_at: null }, orderBy });
  const identities = await principal_identity.findMany({ where: { ...ofThem, removed_at: null }, orderBy });
  return rows.map((row) => ({
    record: recordOf(row),
    tokens: tokens.filter((token) => token.principal_id === row.id).map(tokenOf),
    identities: identities.filter((identity) => identity.principal_id === row.id).map(identityOf),
    ...present({ email: row.email, signIn: row.sign_in }),
  }));
}

interface ListedPrincipalRow extends HolderRow {
  readonly email: string | null;
  readonly sign_in: SignInWay | null;
}

/** Columns of a statement on `principal p`: how a person signs in. */
const signInColumns = `
  case when p.kind = 'person' then coalesce(
    (select w.email from person_password w where w.organization_id = p.organization_id and w.principal_id = p.id),
    (select a.email from proved_address a where a.organization_id = p.organization_id and a.principal_id = p.id
     order by a.proved_at desc limit 1)) end as email,
  case when p.kind <> 'person' then null
    when exists (select from person_passkey k where k.organization_id = p.organization_id and k.principal_id = p.id)
      then 'passkey'
    when exists (select from person_factor f where f.principal_id = p.id and f.totp_credential_id is not null)
      then 'code'
    when exists (select from principal_identity i where i.organization_id = p.organization_id and i.principal_id = p.id
      and i.kind = 'sign_in' and i.removed_at is null) then 'provider'
    when exists (select from person_password w where w.principal_id = p.id) then 'password'
    else 'link' end as sign_in`;

async function credentials(
  client: TenantClient,
  { retiresBefore, ...filter }: CredentialFilter,
): Promise<readonly CredentialMetadata[]> {
  const list = {
    columns: metadataColumns,
    from: 'credential c',
    where: [
      [
        "c.kind not in ('evidence', 'factor', 'job', 'notice') and (c.retired_at is null or c.retired_at > now())",
      ] as Part,
      given('c.seller = ?', filter.seller),
      given('c.kind = ?', filter.kind),
      given('(c.last_error_at is not null) = ?', filter.hasError),
      given('c.retired_at < ?::timestamptz', retiresBefore === undefined ? undefined : isoOf(retiresBefore)),
    ],
    order: ordered(
      filter.sort,
      madeOf('c', { column: 'credential_id', type: 'uuid' }, { column: 'version', type: 'int' }),
    ),
  };
  return (await client.query<MetadataRow>(listStatement(list, filter))).rows.map(metadataOf);
}

async function keys(
  client: TenantClient,
  filter: KeyFilter,
): Promise<readonly (PlatformKey & Partial<Named<object>>)[]> {
  const list = {
    columns: 'k.*, p.name as principal_name',
    from: 'signing_key k left join principal p on p.organization_id = k.organization_id and p.id = k.principal_id',
    where: [given('p.name = ?', filter.principal), given('k.state = ?', filter.state)],
    order: ordered(filter.sort, madeOf('k', { column: 'kid', type: 'text' })),
  };
  const { rows } = await client.query<signing_keyModel & { principal_name: string | null }>(
    listStatement(list, filter),
  );
  return rows.map(({ principal_name: principalName, ...row }) => ({
    ...keyOf(row),
    ...(principalName !== null && { principalName }),
  }));
}
