import {
  unboundScheme,
  type CredentialStore,
  type CredentialUse,
  type Settled,
  type UsableCredential,
  type VersionState,
} from '@switchyard/vault';
import type { Instant } from '@switchyard/values';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { credentialModel } from '../generated/models.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { raiseAlarm } from '../signing/alarm-repository.js';
import { metadataOf, sealedOf, sealedRow, usableOf, type MetadataRow } from './credential-row.js';
import type { TenantScope } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';

interface CredentialStoreOptions {
  /**
   * False if the audit row of an opened secret need not be on disk, only committed: what follows it commits durably
   * before the secret is sent, or may be lost with it in a power cut. Default: true.
   */
  readonly flushesUses?: boolean;
}

/** Sealed secrets and the audit of their use. */
export function credentialStore(store: Store, options: CredentialStoreOptions = {}): CredentialStore {
  const known = new KnownVersions();
  return {
    insert: (scope, sealed, trial) =>
      unlessDuplicate(() =>
        store.inTenantModels(scope, async ({ credential }) => {
          const { credentialId, createdAt } = sealed;
          // A newer candidate takes the place of one that was never proved.
          if (trial !== undefined)
            await credential.updateMany({
              where: { credential_id: credentialId, state: 'candidate', retired_at: null },
              data: { retired_at: new Date(createdAt) },
            });
          return credential.create({ data: sealedRow(sealed, trial) });
        }),
      ),
    current: async (scope, credentialIds) => {
      const { rows } = await store.onceInTenant<credentialModel>(scope, {
        name: 'credential_current',
        text: `select distinct on (credential_id) * from credential
               where organization_id = scope.organization_id and credential_id = any ($1::uuid[])
                 and state = 'current' and (retired_at is null or retired_at > now())
               order by credential_id, version desc`,
        values: [credentialIds],
      });
      return rows.map(sealedOf);
    },
    usable: async (scope, credentialIds) => {
      const { rows } = await store.onceInTenant<KnownRow>(scope, {
        name: 'credential_usable',
        text: usable,
        values: [credentialIds],
      });
      return known.keep(rows);
    },
    newest: (scope, credentialId) =>
      store.inTenantModels(scope, async ({ credential }) => {
        const where = { organization_id: scope.organizationId, credential_id: credentialId };
        return (await credential.aggregate({ where, _max: { version: true } }))._max.version ?? 0;
      }),
    settle: (scope, version, accepted, at) =>
      store.inTenant(scope, (client) => settle(client, version, accepted, at)),
    rollBack: (scope, credentialId) =>
      store.inTenant(scope, async (client) => {
        const live = await liveVersions(client, credentialId);
        const current = live.find(({ state }) => state === 'current');
        const fallback = live.find(({ state }) => state === 'fallback');
        if (current === undefined || fallback === undefined) return undefined;
        await setState(client, credentialId, current.version, 'fallback', fallback.retired_at);
        await setState(client, credentialId, fallback.version, 'current', null);
        return fallback.version;
      }),
    count: (scope, counted) =>
      store.inTenant(scope, async (client) => {
        await client.query({
          name: 'credential_count',
          text: addCounts,
          values: [
            client.organizationId,
            counted.map(({ credentialId }) => credentialId),
            counted.map(({ version }) => version),
            counted.map(({ uses }) => uses),
            counted.map(({ refusals }) => refusals),
            counted.map(({ clearsError }) => clearsError),
          ],
        });
      }),
    version: (scope, credentialId, version) =>
      store.inTenantModels(scope, async ({ credential }) => {
        const row = await credential.findFirst({ where: { credential_id: credentialId, version } });
        return row === null ? undefined : sealedOf(row);
      }),
    list: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<MetadataRow>(listed);
        return rows.map(metadataOf);
      }),
    recordUses: async (scope, uses) => {
      const written = await recordUses(store, scope, { uses, flushes: options.flushesUses });
      if (written !== uses.length) throw new Error('Not every use of a credential could be recorded.');
    },
    recordKnown: async (scope, credentialIds, usesOf) => {
      const rows = known.of(scope, credentialIds);
      const uses = usesOf(rows.map(({ row }) => row));
      const still = { credentialIds, rows };
      const written = await recordUses(store, scope, { uses, still, flushes: options.flushesUses });
      return uses.length > 0 && written === uses.length;
    },
    replaceWrap: (scope, { credentialId, version }, { from, to, at }) =>
      store.inTenantModels(scope, async ({ credential }) => {
        const wrapped = { kms_key_id: from.keyId, wrapped_key: Uint8Array.from(from.wrapped) };
        const { count } = await credential.updateMany({
          where: { organization_id: scope.organizationId, credential_id: credentialId, version, ...wrapped },
          data: {
            ...{ kms_key_id: to.keyId, wrapped_key: Uint8Array.from(to.wrapped) },
            rewrapped_at: new Date(at),
          },
        });
        return count === 1;
      }),
    unbound: (scope) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<credentialModel>(unbound, [client.organizationId]);
        return rows.map(sealedOf);
      }),
    bind: (scope, from, to, use) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(bind, [
          client.organizationId,
          from.credentialId,
          from.version,
          from.wrappedKey,
          to.scheme,
          to.destination ?? null,
          to.kmsKeyId,
          to.wrappedKey,
          to.nonce,
          to.ciphertext,
          to.tag,
          to.commitment,
          use.purpose,
          use.actor,
          new Date(use.usedAt),
        ]);
        return rowCount === 1;
      }),
    retire: (scope, { credentialId, version }, at, overlapMs = 0) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } =
          overlapMs > 0
            ? await client.query(retireLater, [credentialId, version, overlapMs])
            : await client.query(retireNow, [credentialId, version, new Date(at)]);
        return rowCount;
      }),
    setEnd: (scope, credentialId, at) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `update credential set ends_at = $3
           where organization_id = $1 and credential_id = $2 and version = (
             select max(version) from credential where organization_id = $1 and credential_id = $2
               and state in ('candidate', 'current') and (retired_at is null or retired_at > now()))`,
          [client.organizationId, credentialId, at === undefined ? null : new Date(at)],
        );
        return rowCount === 1;
      }),
    noteError: (scope, { credentialId, version }, error) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(setLastError, [
          credentialId,
          version,
          error === undefined ? null : new Date(error.at),
          error?.code ?? null,
        ]);
        return rowCount === 1;
      }),
  };
}

/** What is sealed or wrapped again gets another wrapped key. Counts change the row too, and not this version of it. */
type KnownRow = credentialModel & { readonly row_version: string };

interface KnownVersion {
  readonly row: UsableCredential;
  readonly rowVersion: string;
}

const mostKnown = 5_000;

/** The sealed rows that this process has read last. Whether they still are so is asked with each use. */
class KnownVersions {
  readonly #known = new Map<string, readonly KnownVersion[]>();

  keep(rows: readonly KnownRow[]): readonly UsableCredential[] {
    if (this.#known.size + rows.length > mostKnown) this.#known.clear();
    const read = rows.map((row): KnownVersion => ({ row: usableOf(row), rowVersion: row.row_version }));
    // Rows of one credential follow each other: the first of them begins its list again.
    for (const [at, one] of read.entries()) {
      const { credentialId } = one.row;
      const isFirst = read[at - 1]?.row.credentialId !== credentialId;
      this.#known.set(credentialId, [...(isFirst ? [] : (this.#known.get(credentialId) ?? [])), one]);
    }
    return read.map(({ row }) => row);
  }

  of({ organizationId }: TenantScope, credentialIds: readonly string[]): readonly KnownVersion[] {
    const found = credentialIds.flatMap((id) => this.#known.get(id) ?? []);
    return found.filter(({ row }) => row.organizationId === organizationId);
  }
}

/** The first of each state, and at most two of each credential. */
const usable = `
  select * from (
    select *, row_number() over (partition by credential_id order by place) as choice from (
      select distinct on (credential_id, state) *, state || encode(sha256(wrapped_key), 'base64') as row_version,
        case state when 'candidate' then 1 when 'current' then 2 else 3 end as place
      from credential
      where organization_id = scope.organization_id and credential_id = any ($1::uuid[])
        and state in ('candidate', 'current', 'fallback') and (retired_at is null or retired_at > now())
      order by credential_id, state, version desc) first) chosen
  where choice <= 2 order by credential_id, choice`;

/** Locked in order, because other processes count the same credentials. */
const addCounts = `
  with counted as materialized (
    select c.credential_id, c.version, more.uses, more.refusals, more.clears
    from credential c
    join unnest($2::uuid[], $3::int[], $4::int[], $5::int[], $6::bool[]) as more (credential_id, version, uses, refusals, clears)
      on more.credential_id = c.credential_id and more.version = c.version
    where c.organization_id = $1
    order by c.credential_id, c.version for no key update of c)
  update credential c set uses = c.uses + counted.uses, refusals = c.refusals + counted.refusals,
    last_error_at = case when counted.clears then null else c.last_error_at end,
    last_error_code = case when counted.clears then null else c.last_error_code end
  from counted
  where c.organization_id = $1 and c.credential_id = counted.credential_id and c.version = counted.version`;

type LiveVersion = Pick<credentialModel, 'version' | 'state' | 'overlap_ms' | 'retired_at'>;

/** Versions that are not retired, the newest first, held until the end of the transaction. */
async function liveVersions(client: TenantClient, credentialId: string): Promise<readonly LiveVersion[]> {
  const { rows } = await client.query<LiveVersion>(
    `select version, state, overlap_ms, retired_at from credential
     where organization_id = $1 and credential_id = $2 and (retired_at is null or retired_at > now())
     order by version desc for update`,
    [client.organizationId, credentialId],
  );
  return rows;
}

async function setState(
  { models, organizationId }: TenantSession,
  credentialId: string,
  version: number,
  state: VersionState,
  retiredAt: Date | null,
): Promise<void> {
  await models.credential.updateMany({
    where: { organization_id: organizationId, credential_id: credentialId, version },
    data: { state, retired_at: retiredAt },
  });
}

async function settle(
  client: TenantSession,
  { credentialId, version }: { readonly credentialId: string; readonly version: number },
  accepted: boolean,
  at: Instant,
): Promise<Settled> {
  const live = await liveVersions(client, credentialId);
  const row = live.find((one) => one.version === version);
  if (row?.state === 'candidate') {
    if (!accepted) {
      await setState(client, credentialId, version, 'refused', new Date(at));
      return 'refused';
    }
    const before = live.find(({ state }) => state === 'current');
    if (before !== undefined)
      await client.query(
        `update credential set state = 'fallback', retired_at = now() + $4 * interval '1 millisecond'
         where organization_id = $1 and credential_id = $2 and version = $3`,
        [client.organizationId, credentialId, before.version, row.overlap_ms],
      );
    await setState(client, credentialId, version, 'current', null);
    return 'accepted';
  }
  const fallback = live.find(({ state }) => state === 'fallback');
  if (accepted || row?.state !== 'current' || fallback === undefined) return 'ignored';
  await setState(client, credentialId, version, 'refused', new Date(at));
  await setState(client, credentialId, fallback.version, 'current', null);
  await raiseAlarm(
    client,
    {
      kind: 'credential_fell_back',
      subject: credentialId,
      detail: { refused: version, now: fallback.version },
    },
    at,
  );
  return 'fell_back';
}

/** If our clock is ahead of the database's, nothing stays usable for longer. */
const retireNow = `
  update credential set retired_at = least($3, now())
  where credential_id = $1 and version <= $2 and (retired_at is null or retired_at > now())`;

const retireLater = `
  update credential set retired_at = now() + $3 * interval '1 millisecond'
  where credential_id = $1 and version <= $2 and retired_at is null`;

const setLastError = `
  update credential set last_error_at = $3, last_error_code = $4
  where credential_id = $1 and version = $2 and (last_error_at is not null or $3::timestamptz is not null)`;

/** Columns of `credential c` without the secret. */
export const metadataColumns = `
  c.credential_id, c.version, c.organization_id, c.connection_id, c.seller, c.client_id, c.kind, c.scheme, c.kms_key_id,
  c.destination, c.created_at, c.rewrapped_at, c.retired_at, c.ends_at, c.last_error_at, c.last_error_code, c.state, c.uses, c.refusals,
  (select max(u.used_at) from credential_use u
   where u.organization_id = c.organization_id and u.credential_id = c.credential_id
     and u.credential_version = c.version) as last_used_at`;

const listed = `select ${metadataColumns} from credential c order by c.credential_id, c.version`;

/** The conditions are those of the partial index, which is empty after the first start with destinations. */
const unbound = `
  select distinct on (credential_id) * from credential
  where organization_id = $1 and scheme = '${unboundScheme}' and retired_at is null
    and kind in ('bearer', 'basic', 'webhook', 'callback')
  order by credential_id, version desc`;

/** One statement, so one transaction: the row that records the binding exists if and only if it happened. */
const bind = `
  with bound as (
    update credential set scheme = $5, destination = $6, kms_key_id = $7, wrapped_key = $8, nonce = $9,
           ciphertext = $10, tag = $11, commitment = $12
    where organization_id = $1 and credential_id = $2 and version = $3 and scheme = '${unboundScheme}'
      and wrapped_key = $4 and retired_at is null
      and not exists (select from credential_use u
                      where u.organization_id = $1 and u.credential_id = $2 and u.purpose = 'bind')
    returning organization_id, credential_id, version)
  insert into credential_use (organization_id, credential_id, credential_version, purpose, actor, used_at)
  select organization_id, credential_id, version, $13, $14, $15 from bound`;

interface RecordedUses {
  readonly uses: readonly CredentialUse[];
  /** Nothing is written unless the usable versions of these ids are exactly these rows. */
  readonly still?: { readonly credentialIds: readonly string[]; readonly rows: readonly KnownVersion[] };
  readonly flushes: boolean | undefined;
}

/**
 * Writes the audit rows of one lease in one statement, which is its own transaction on its own connection: they are
 * committed when this resolves, whatever happens to the work. Answers how many were written.
 *
 * The statement sets its tenant itself: every row takes its organization from the result of set_config, so the setting
 * is there before row-level security checks the first row.
 */
async function recordUses(
  store: Store,
  scope: TenantScope,
  { uses, still, flushes = true }: RecordedUses,
): Promise<number> {
  if (uses.length === 0) return 0;
  const { rowCount } = await run(store.pool, {
    name: `credential_use_insert${flushes ? '' : '_unflushed'}${still === undefined ? '' : '_known'}`,
    text: `
      with scope as materialized (
        select set_config('switchyard.organization_id', $1, true)::uuid as organization_id
        ${flushes ? '' : ", set_config('synchronous_commit', 'off', true)"}
      )${still === undefined ? '' : unchanged}
      insert into credential_use
        (organization_id, credential_id, credential_version, operation_id, purpose, actor, used_at)
      select scope.organization_id, use.credential_id, use.version, use.operation_id, use.purpose, use.actor, use.used_at
      from scope ${still === undefined ? '' : 'cross join unchanged '}cross join unnest($2::uuid[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
        as use (credential_id, version, operation_id, purpose, actor, used_at)`,
    values: [
      scope.organizationId,
      uses.map((use) => use.credentialId),
      uses.map((use) => use.credentialVersion),
      uses.map((use) => use.operationId ?? null),
      uses.map((use) => use.purpose),
      uses.map((use) => use.actor),
      uses.map((use) => new Date(use.usedAt)),
      ...(still === undefined
        ? []
        : [
            still.credentialIds,
            still.rows.map(({ row }) => row.credentialId),
            still.rows.map(({ row }) => row.version),
            still.rows.map(({ rowVersion }) => rowVersion),
          ]),
    ],
  });
  return rowCount;
}

/** One row if the usable versions of `$8` are those of `$9` to `$11`, else none. */
const unchanged = `, unchanged as materialized (
        select from (
          select count(*) as found, count(known.version) as same
          from scope cross join lateral (${usable.replace('$1', '$8')} offset 0) as row
          left join unnest($9::uuid[], $10::int[], $11::text[]) as known (credential_id, version, row_version)
            using (credential_id, version, row_version)) as counted
        where found = cardinality($9::uuid[]) and same = found)`;
