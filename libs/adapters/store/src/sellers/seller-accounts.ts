import type {
  AccountsRead,
  ListedAccount,
  NamedLogin,
  SellerAccount,
  SellerAccounts,
  StandingAt,
  StoredLogin,
} from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { listStatement } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import { rowReader, type OrNull } from '../core/row-mapper.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantSession } from '../core/tenant-client.js';
import type { account_useModel } from '../generated/models.js';

/** Our accounts at sellers, and in which of them each client buys. On PostgreSQL. */
export function sellerAccounts(store: Store): SellerAccounts {
  return {
    record: (scope, connectionId, listed, at) =>
      store.inTenant(scope, (client) => record(client, connectionId, listed, at)),
    isActiveClient: (scope, clientId) =>
      store.inTenantModels(
        scope,
        async ({ client }) => (await client.count({ where: { id: clientId, status: 'active' } })) > 0,
      ),
    held: (scope, connectionId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ id: string; status: SellerAccount['status'] | 'missing' }>(
          `select a.account_id as id, case when a.missing_since is null then a.status else 'missing' end as status
           from seller_account a
           where a.organization_id = $1 and a.connection_id = $2
             and (a.status <> 'active' or a.missing_since is not null)
             and exists (select from account_use u where u.organization_id = $1 and u.connection_id = $2
                           and u.account_id = a.account_id)
           order by 1 limit 20`,
          [client.organizationId, connectionId],
        );
        return rows.map(({ id, status }) => ({ accountId: id, status }));
      }),
    list: (scope, { connectionId, reach, ...page }) =>
      store.inTenant(scope, async (client) => {
        const seen = reach === undefined ? null : [...reach.clientIds];
        const { rows } = await client.query<InUse>(
          listStatement(
            {
              columns: `a.*, ${clientsOf}`,
              from: 'seller_account a',
              where: [
                ['a.organization_id = ? and a.connection_id = ?', client.organizationId, connectionId],
                seen === null
                  ? undefined
                  : [
                      `exists (select from account_use u where u.organization_id = a.organization_id
                         and u.connection_id = a.connection_id and u.account_id = a.account_id
                         and u.client_id = any (?::uuid[]))`,
                      seen,
                    ],
              ],
              order: [{ column: 'a.account_id', type: 'text' }],
            },
            page,
          ),
        );
        return rows.map((row) => accountOf(row, seen));
      }),
    use: (scope, use, by) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ has_account: boolean; has_client: boolean }>(
          `select exists (select from seller_account where organization_id = $1 and connection_id = $2
                            and account_id = $3 and missing_since is null) as has_account,
                  exists (select from client where organization_id = $1 and id = $4 and status = 'active')
                    as has_client`,
          [client.organizationId, use.connectionId, storableText(use.accountId), use.clientId],
        );
        if (rows[0]?.has_client !== true) return 'no_client';
        if (!rows[0].has_account) return 'no_account';
        const key = keyOf(scope, use);
        const binding = Uint8Array.from(use.binding);
        const columns = { account_id: use.accountId, since: new Date(use.since), set_by: by, binding };
        await client.models.account_use.upsert({
          where: { organization_id_connection_id_client_id: key },
          create: { ...key, ...columns },
          update: columns,
        });
        return 'used';
      }),
    release: (scope, of) =>
      store.inTenantModels(
        scope,
        async ({ account_use }) => (await account_use.deleteMany({ where: keyOf(scope, of) })).count > 0,
      ),
    logIn: (scope, login, by) => store.inTenant(scope, (client) => logIn(client, login, by)),
    logOut: (scope, { connectionId, clientId }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ credential_id: string }>(
          `delete from client_login where organization_id = $1 and connection_id = $2 and client_id = $3
           returning credential_id`,
          [client.organizationId, connectionId, clientId],
        );
        return rows[0]?.credential_id;
      }),
    logins: (scope, connectionId, { limit, after, clientIds }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query(
          `select l.connection_id, l.client_id, l.credential_id, l.since, c.name as client from client_login l
           join client c on c.organization_id = l.organization_id and c.id = l.client_id
           where l.organization_id = $1 and l.connection_id = $2 and ($3::uuid is null or l.client_id > $3)
             and ($4::uuid[] is null or l.client_id = any ($4))
           order by l.client_id limit $5`,
          [client.organizationId, connectionId, after?.[0] ?? null, clientIds ?? null, limit],
        );
        return rows.map(readLogin);
      }),
    standings: async (scope, clientId, connectionIds) => {
      const standingOf = (row: StandingRow) => standingFor(row, clientId);
      const { rows } = await store.onceInTenant<StandingRow>(scope, {
        name: 'account_standings',
        text: standings,
        values: [clientId ?? null, [...connectionIds]],
      });
      return rows.map(standingOf);
    },
  };
}

const keyOf = (
  { organizationId }: TenantScope,
  { connectionId, clientId }: Pick<StoredLogin, 'connectionId' | 'clientId'>,
) => ({ organization_id: organizationId, connection_id: connectionId, client_id: clientId });

const readLogin = rowReader<NamedLogin>()('connection_id, client_id, credential_id, since, client');

async function logIn(
  client: TenantSession,
  { connectionId, clientId, credentialId, since }: StoredLogin,
  by: string,
): Promise<'no_client' | { readonly before?: string }> {
  // Two logins of one client are stored one after the other: each of them answers the secret that it replaces.
  const { rowCount } = await client.query(
    `select from client where organization_id = $1 and id = $2 and status = 'active' for no key update`,
    [client.organizationId, clientId],
  );
  if (rowCount === 0) return 'no_client';
  const { client_login, connection } = client.models;
  const key = keyOf(client, { connectionId, clientId });
  const before = await client_login.findFirst({ where: key });
  const columns = { credential_id: credentialId, since: new Date(since), set_by: by };
  await client_login.upsert({
    where: { organization_id_connection_id_client_id: key },
    create: { ...key, ...columns },
    update: columns,
  });
  await connection.updateMany({ where: { id: connectionId }, data: { has_accounts: true } });
  return present({ before: before?.credential_id });
}

const clientsOf = `
  (select jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.name) from account_use u
   join client c on c.organization_id = u.organization_id and c.id = u.client_id
   where u.organization_id = a.organization_id and u.connection_id = a.connection_id and u.account_id = a.account_id)
   as clients`;

const readAccount = rowReader<Omit<SellerAccount, 'clients'>>()(`
  account_id, name, status, brand_domain, brand_id, operator, billing, payment_terms, is_sandbox, setup, source,
  first_seen, last_seen, missing_since`);

type InUse = { readonly clients: SellerAccount['clients'] | null };

function accountOf(row: InUse, seen: readonly string[] | null): SellerAccount {
  const clients = row.clients ?? [];
  return {
    ...readAccount(row),
    clients: seen === null ? clients : clients.filter(({ id }) => seen.includes(id)),
  };
}

async function record(
  client: TenantSession,
  connectionId: string,
  { accounts, isWhole, source }: Parameters<SellerAccounts['record']>[2],
  at: Instant,
): Promise<AccountsRead> {
  const when = new Date(at);
  // One reading of a seller at a time, so that what it changed is told once.
  await client.query(
    `update connection set has_accounts = has_accounts or $3 where organization_id = $1 and id = $2`,
    [client.organizationId, connectionId, accounts.length > 0],
  );
  const known = await client.models.seller_account.findMany({
    where: { organization_id: client.organizationId, connection_id: connectionId },
    select: { account_id: true, status: true, missing_since: true },
  });
  const before = new Map(known.map((row) => [row.account_id, row]));
  await client.query(
    `insert into seller_account as kept
       (organization_id, connection_id, account_id, name, status, brand_domain, brand_id, operator, billing,
        payment_terms, is_sandbox, setup, source, first_seen, last_seen)
     select $1, $2, r.account_id, r.name, r.status, r.brand_domain, r.brand_id, r.operator, r.billing, r.payment_terms,
       r.is_sandbox, r.setup, $4, $5, $5
     from jsonb_to_recordset($3::jsonb) as r(account_id text, name text, status text, brand_domain text, brand_id text,
       operator text, billing text, payment_terms text, is_sandbox boolean, setup jsonb)
     on conflict (organization_id, connection_id, account_id) do update set
       name = excluded.name, status = excluded.status, brand_domain = excluded.brand_domain,
       brand_id = excluded.brand_id, operator = excluded.operator, billing = excluded.billing,
       payment_terms = excluded.payment_terms, is_sandbox = excluded.is_sandbox, setup = excluded.setup,
       last_seen = excluded.last_seen, missing_since = null`,
    [client.organizationId, connectionId, storableJson(accounts.map(rowOf)), source, when],
  );
  const ids = accounts.map(({ accountId }) => accountId);
  const gone = isWhole
    ? await client.query<{ account_id: string }>(
        `update seller_account set missing_since = $4
         where organization_id = $1 and connection_id = $2 and missing_since is null and account_id <> all ($3::text[])
         returning account_id`,
        [client.organizationId, connectionId, ids, when],
      )
    : { rows: [] };
  return {
    added: ids.filter((id) => !before.has(id)),
    changed: accounts.flatMap(({ accountId, status }) => {
      const from = before.get(accountId)?.status ?? status;
      return from === status ? [] : [{ accountId, from, to: status }];
    }),
    missing: gone.rows.map((row) => row.account_id),
  };
}

function rowOf(account: ListedAccount) {
  return {
    account_id: account.accountId,
    name: account.name ?? null,
    status: account.status,
    brand_domain: account.brandDomain ?? null,
    brand_id: account.brandId ?? null,
    operator: account.operator ?? null,
    billing: account.billing ?? null,
    payment_terms: account.paymentTerms ?? null,
    is_sandbox: account.isSandbox,
    setup: account.setup ?? null,
  };
}

type StandingRow = OrNull<Pick<account_useModel, 'client_id' | 'account_id' | 'since'>> & {
  readonly connection_id: string;
  readonly binding: Buffer | null;
  readonly login_id: string | null;
  readonly status: SellerAccount['status'] | null;
  readonly is_missing: boolean | null;
  readonly is_split: boolean;
  readonly is_of_another: boolean;
};

const standings = `
  select c.id as connection_id, u.client_id, u.account_id, u.since, u.binding, a.status, l.credential_id as login_id,
    a.missing_since is not null as is_missing,
    exists (select from account_use o where o.organization_id = scope.organization_id and o.connection_id = c.id)
      as is_split,
    exists (select from account_use o where o.organization_id = scope.organization_id and o.connection_id = c.id
      and o.account_id = c.account ->> 'accountId' and o.client_id is distinct from $1::uuid) as is_of_another
  from connection c
  left join account_use u
    on u.organization_id = scope.organization_id and u.connection_id = c.id and u.client_id = $1::uuid
  left join client_login l
    on l.organization_id = scope.organization_id and l.connection_id = c.id and l.client_id = $1::uuid
  left join seller_account a on a.organization_id = scope.organization_id and a.connection_id = c.id
    and a.account_id = coalesce(u.account_id, c.account ->> 'accountId')
  where c.organization_id = scope.organization_id and c.id = any ($2::uuid[])`;

function standingFor(row: StandingRow, asked: string | undefined): StandingAt {
  const { connection_id: connectionId, client_id: clientId, account_id: accountId, since, binding } = row;
  const isOwn = clientId !== null && accountId !== null && since !== null && binding !== null;
  return {
    connectionId,
    isMissing: row.is_missing === true,
    isSplit: row.is_split,
    isOfAnother: row.is_of_another,
    ...(isOwn ? { use: { connectionId, clientId, accountId, since: since.getTime(), binding } } : {}),
    ...(row.login_id === null || asked === undefined
      ? {}
      : { login: { clientId: asked, credentialId: row.login_id } }),
    ...(row.status === null ? {} : { status: row.status }),
  };
}
