import type { SellerAuthorization } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { SealedCredential } from '@switchyard/vault';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import type { seller_authorizationModel } from '../generated/models.js';
import { sealedRow } from '../vault/credential-row.js';

/** A person on the way to an authorization server and back. */
export interface SellerConsent {
  /** SHA-256 of the state, hex. */
  readonly stateHash: string;
  readonly connectionId: string;
  /** The client whose own login it will be. */
  readonly forClient?: string;
  readonly issuer: string;
  readonly clientId: string;
  /** UUID of the principal who alone may finish it. */
  readonly startedBy: string;
  readonly expiresAt: Instant;
}

/** What a renewal holds while it runs: nobody else renews this version. */
export interface RenewalLease {
  readonly authorization: SellerAuthorization;
  readonly by: string;
  /** The renewal before it asked the authorization server and stored no answer: the answer may be lost. */
  readonly wasLost: boolean;
}

/** A sealed version of a secret, and when it ends by itself. */
export interface SealedToken {
  readonly sealed: SealedCredential;
  readonly endsAt?: Instant;
}

/** Sign-ins by OAuth at sellers. One process at a time renews one: the row is leased, by the database's clock. */
export interface SellerAuthorizations {
  /** That of a client, or without one that of the connection. */
  find(
    scope: TenantScope,
    connectionId: string,
    forClient?: string,
  ): Promise<SellerAuthorization | undefined>;
  /** That of the connection and those of clients. */
  all(scope: TenantScope, connectionId: string): Promise<readonly SellerAuthorization[]>;
  /** Writes it as the next version, and ends every lease: what a person did counts. */
  save(scope: TenantScope, authorization: SellerAuthorization, at: Instant): Promise<void>;
  /** Leases a version for `leaseMs`; undefined if it is leased, or is another version by now. */
  take(
    scope: TenantScope,
    seen: Pick<SellerAuthorization, 'connectionId' | 'forClient' | 'version'>,
    lease: { readonly by: string; readonly ms: number },
  ): Promise<RenewalLease | undefined>;
  /** Notes that the authorization server is asked now. False if the lease is lost. */
  sending(scope: TenantScope, lease: RenewalLease): Promise<boolean>;
  /**
   * Stores new tokens and the next version in one transaction, and makes the connection, or the client, use the token. Earlier versions
   * of the refresh token end at once; earlier tokens live to their own end. False, with nothing stored, if the lease is
   * lost.
   */
  settle(
    scope: TenantScope,
    lease: RenewalLease,
    next: SellerAuthorization,
    tokens: readonly SealedToken[],
    at: Instant,
  ): Promise<boolean>;
  /** Sign-ins whose token is renewed by now and that nobody renews, longest due first. */
  due(scope: TenantScope, at: Instant, most: number): Promise<readonly SellerAuthorization[]>;
  beginConsent(scope: TenantScope, consent: SellerConsent): Promise<void>;
  /** A consent that is neither used nor over. */
  findConsent(scope: TenantScope, stateHash: string, at: Instant): Promise<SellerConsent | undefined>;
  /** True for the first of several concurrent callers. */
  useConsent(scope: TenantScope, stateHash: string, at: Instant): Promise<boolean>;
}

type Plain = Omit<SellerAuthorization, 'pin' | 'grant' | 'forClient'>;
const readPlain = rowReader<Plain>()(`
  connection_id, server, state, code, words, resource, scopes, client_id, client_credential_id, access_credential_id,
  access_version, refresh_credential_id, refresh_version, obtained_at, expires_at, due_at, failures, version`);
const readConsent = rowReader<SellerConsent>()(
  'state_hash, connection_id, for_client, issuer, client_id, started_by, expires_at',
);

export function sellerAuthorizations(store: Store): SellerAuthorizations {
  return {
    find: (scope, connectionId, forClient = ofConnection) =>
      store.inTenantModels(scope, async ({ seller_authorization }) => {
        const key = {
          organization_id: scope.organizationId,
          connection_id: connectionId,
          for_client: forClient,
        };
        const row = await seller_authorization.findFirst({ where: key });
        return row === null ? undefined : authorizationOf(row);
      }),
    all: (scope, connectionId) =>
      store.inTenantModels(scope, async ({ seller_authorization }) => {
        const where = { organization_id: scope.organizationId, connection_id: connectionId };
        const rows = await seller_authorization.findMany({ where, orderBy: { for_client: 'asc' } });
        return rows.map(authorizationOf);
      }),
    save: (scope, authorization, at) =>
      store.inTenant(scope, async (client) => {
        await client.query(
          `${insert} on conflict (organization_id, connection_id, for_client) do update set ${overwritten}`,
          [client.organizationId, ...valuesOf(authorization, at)],
        );
      }),
    take: (scope, { connectionId, forClient = ofConnection, version }, { by, ms }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<seller_authorizationModel>(take, [
          client.organizationId,
          connectionId,
          version,
          by,
          ms,
          forClient,
        ]);
        const [row] = rows;
        return row && { authorization: authorizationOf(row), by, wasLost: row.sent_at !== null };
      }),
    sending: (scope, { authorization, by }) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `update seller_authorization set sent_at = now()
           where organization_id = $1 and connection_id = $2 and version = $3 and lease_by = $4 and for_client = $5`,
          [
            client.organizationId,
            authorization.connectionId,
            authorization.version,
            by,
            authorization.forClient ?? ofConnection,
          ],
        );
        return rowCount === 1;
      }),
    settle: (scope, lease, next, tokens, at) =>
      store.inTenant(scope, async (client) => {
        const { connectionId, forClient, version } = lease.authorization;
        const { rowCount } = await client.query(
          `update seller_authorization set ${assigned}
           where organization_id = $1 and connection_id = $2 and for_client = $3 and version = $${columns.length + 2}
             and lease_by = $${columns.length + 3}`,
          [
            client.organizationId,
            ...valuesOf({ ...next, connectionId, ...(forClient !== undefined && { forClient }) }, at),
            version,
            lease.by,
          ],
        );
        if (rowCount !== 1) return false;
        for (const { sealed, endsAt } of tokens)
          await client.models.credential.create({
            data: { ...sealedRow(sealed), retired_at: endsAt === undefined ? null : new Date(endsAt) },
          });
        await endOthers(client, connectionId, forClient, next);
        if (forClient !== undefined) await logIn(client, connectionId, forClient, next);
        return true;
      }),
    due: (scope, at, most) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<seller_authorizationModel>(due, [
          client.organizationId,
          new Date(at),
          most,
        ]);
        return rows.map(authorizationOf);
      }),
    beginConsent: (scope, { stateHash, connectionId, forClient, issuer, clientId, startedBy, expiresAt }) =>
      store.inTenant(scope, async (client) => {
        await client.query('delete from seller_consent where organization_id = $1 and expires_at < now()', [
          client.organizationId,
        ]);
        await client.models.seller_consent.create({
          data: {
            organization_id: client.organizationId,
            state_hash: stateHash,
            connection_id: connectionId,
            issuer,
            client_id: clientId,
            started_by: startedBy,
            expires_at: new Date(expiresAt),
            for_client: forClient ?? null,
          },
        });
      }),
    findConsent: (scope, stateHash, at) =>
      store.inTenantModels(scope, async ({ seller_consent }) => {
        const row = await seller_consent.findFirst({ where: unused(scope, stateHash, at) });
        return row === null ? undefined : readConsent(row);
      }),
    useConsent: (scope, stateHash, at) =>
      store.inTenantModels(scope, async ({ seller_consent }) => {
        const where = unused(scope, stateHash, at);
        return (await seller_consent.updateMany({ where, data: { used_at: new Date(at) } })).count === 1;
      }),
  };
}

/** A consent that was not used, and has not expired. */
const unused = ({ organizationId }: TenantScope, stateHash: string, at: Instant) => ({
  organization_id: organizationId,
  state_hash: stateHash,
  used_at: null,
  expires_at: { gt: new Date(at) },
});

/** `for_client` of the sign-in of a connection. */
const ofConnection = '00000000-0000-0000-0000-000000000000';

/** The client uses the token from now on, in place of the login that it had. */
async function logIn(
  client: TenantSession,
  connectionId: string,
  clientId: string,
  { accessCredentialId, pin }: SellerAuthorization,
): Promise<void> {
  if (accessCredentialId === undefined) return;
  const values = [client.organizationId, connectionId, clientId, accessCredentialId];
  await client.query(
    `update credential set retired_at = now() where organization_id = $1 and retired_at is null and credential_id in
       (select credential_id from client_login
        where organization_id = $1 and connection_id = $2 and client_id = $3 and credential_id <> $4)`,
    values,
  );
  await client.query(
    `insert into client_login as kept (organization_id, connection_id, client_id, credential_id, since, set_by)
     select $1, $2, $3, $4, now(), $5 from client where organization_id = $1 and id = $3 and status = 'active'
     on conflict (organization_id, connection_id, client_id) do update set
       credential_id = excluded.credential_id, since = excluded.since, set_by = excluded.set_by
     where kept.credential_id <> excluded.credential_id`,
    [...values, pin.by],
  );
  await client.models.connection.updateMany({
    where: { organization_id: client.organizationId, id: connectionId, has_accounts: false },
    data: { has_accounts: true },
  });
}

/** The connection uses its token, and no earlier refresh token of this sign-in can be used any more. */
async function endOthers(
  client: TenantClient,
  connectionId: string,
  forClient: string | undefined,
  { accessCredentialId, accessVersion, refreshCredentialId, refreshVersion }: SellerAuthorization,
): Promise<void> {
  // Calls under way still have a minute with a token whose end was not told.
  await client.query(
    `update credential set retired_at = now() + interval '1 minute'
     where organization_id = $1 and connection_id = $2 and kind = 'oauth_access' and retired_at is null
       and (credential_id, version) is distinct from ($3::uuid, $4::int) and client_id is not distinct from $5::uuid`,
    [
      client.organizationId,
      connectionId,
      accessCredentialId ?? null,
      accessVersion ?? null,
      forClient ?? null,
    ],
  );
  await client.query(
    `update credential set retired_at = now()
     where organization_id = $1 and connection_id = $2 and kind = 'oauth_refresh'
       and (credential_id, version) is distinct from ($3::uuid, $4::int)
       and (retired_at is null or retired_at > now()) and client_id is not distinct from $5::uuid`,
    [
      client.organizationId,
      connectionId,
      refreshCredentialId ?? null,
      refreshVersion ?? null,
      forClient ?? null,
    ],
  );
  if (forClient !== undefined) return;
  await client.query(
    `update connection set credential_id = $3, updated_at = now()
     where organization_id = $1 and id = $2 and credential_id is distinct from $3 and $3 is not null`,
    [client.organizationId, connectionId, accessCredentialId ?? null],
  );
}

function authorizationOf(row: seller_authorizationModel): SellerAuthorization {
  return {
    ...readPlain(row),
    ...(row.for_client !== ofConnection && { forClient: row.for_client }),
    grant: row.grant_type as SellerAuthorization['grant'],
    pin: {
      issuer: row.issuer,
      why: row.pinned_why as SellerAuthorization['pin']['why'],
      by: row.pinned_by,
      at: row.pinned_at.getTime(),
    },
  };
}

const columns = [
  ...[
    'connection_id',
    'for_client',
    'grant_type',
    'state',
    'code',
    'words',
    'issuer',
    'pinned_why',
    'pinned_by',
    'pinned_at',
  ],
  ...['server', 'resource', 'scopes', 'client_id', 'client_credential_id', 'access_credential_id'],
  ...['access_version', 'refresh_credential_id', 'refresh_version', 'obtained_at', 'expires_at', 'due_at'],
  ...['failures', 'updated_at'],
];

function valuesOf(authorization: SellerAuthorization, at: Instant): readonly unknown[] {
  const { pin, server } = authorization;
  const time = (instant: Instant | undefined): Date | null =>
    instant === undefined ? null : new Date(instant);
  return [
    authorization.connectionId,
    authorization.forClient ?? ofConnection,
    authorization.grant,
    authorization.state,
    authorization.code,
    storableText(authorization.words),
    pin.issuer,
    pin.why,
    pin.by,
    new Date(pin.at),
    storableJson(server),
    storableText(authorization.resource),
    authorization.scopes.map(storableText),
    authorization.clientId ?? null,
    authorization.clientCredentialId ?? null,
    authorization.accessCredentialId ?? null,
    authorization.accessVersion ?? null,
    authorization.refreshCredentialId ?? null,
    authorization.refreshVersion ?? null,
    time(authorization.obtainedAt),
    time(authorization.expiresAt),
    time(authorization.dueAt),
    authorization.failures,
    new Date(at),
  ];
}

const assigned = [
  ...columns.slice(2).map((column, index) => `${column} = $${index + 4}`),
  'version = seller_authorization.version + 1, lease_by = null, lease_until = null, sent_at = null',
].join(', ');

const overwritten = [
  ...columns.slice(2).map((column) => `${column} = excluded.${column}`),
  'version = seller_authorization.version + 1, lease_by = null, lease_until = null, sent_at = null',
].join(', ');

const insert = `insert into seller_authorization (organization_id, ${columns.join(', ')})
  values ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')})`;

const take = `
  update seller_authorization set lease_by = $4, lease_until = now() + $5 * interval '1 millisecond'
  where organization_id = $1 and connection_id = $2 and for_client = $6 and version = $3
    and (lease_until is null or lease_until < now())
  returning *`;

const due = `
  select * from seller_authorization
  where organization_id = $1 and due_at is not null and greatest(due_at, lease_until) <= $2
  order by greatest(due_at, lease_until) limit $3`;
