import { createHash } from 'node:crypto';
import { readPermissions, withFewerPermissions, type Principal, type TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import type { oauth_artifactModel } from '../generated/models.js';
import { principalOf, rolesOf, type HolderRow } from '../tenancy/principal-row.js';

/** One object of the authorization server, with its keys. */
interface OAuthArtifact {
  readonly model: string;
  /** For codes and refresh tokens this is the secret itself. Only its hash is stored. */
  readonly id: string;
  /** Without the secret. */
  readonly payload: JsonObject;
  readonly grantId?: string;
  readonly uid?: string;
  /** The person, and the client that it was made for. */
  readonly account?: string;
  readonly clientId?: string;
  readonly expiresAt: Instant;
}

interface StoredArtifact {
  readonly payload: JsonObject;
  readonly consumedAt?: Instant;
}

/** A signing key of access tokens; the private half is in the vault. */
export interface OAuthKeyRecord {
  readonly kid: string;
  /** UUID of the organization whose vault holds the private half. */
  readonly custodian: string;
  readonly credentialId: string;
  readonly publicJwk: JsonObject;
  readonly createdAt: Instant;
  readonly signsFrom: Instant;
}

/** A person's grant to a program. */
interface ProgramGrant {
  readonly id: string;
  readonly clientId: string;
  /** The name that the program gave itself; it is not verified. */
  readonly clientName?: string;
  /** Scopes by the URL of the resource. */
  readonly resources: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

const grantsAtMost = 200;

/** Objects of the authorization server (RFC 6749, RFC 7591). They belong to no tenant. */
export interface OAuthStore {
  /** Stores or replaces. A grant keeps the registration of its client while it is valid. */
  upsert(artifact: OAuthArtifact, at: Instant): Promise<void>;
  find(model: string, id: string, at: Instant): Promise<StoredArtifact | undefined>;
  findByUid(model: string, uid: string, at: Instant): Promise<StoredArtifact | undefined>;
  /** True for the first of several concurrent callers. */
  consume(model: string, id: string, at: Instant): Promise<boolean>;
  destroy(model: string, id: string): Promise<void>;
  revokeGrant(grantId: string): Promise<void>;
  /** Removes expired objects, a few hundred at most. Returns how many. */
  sweep(at: Instant): Promise<number>;
  /**
   * An active person with the current grants. With `tokenId`, limited to what that token of theirs permits, and
   * undefined once it has expired or was revoked.
   */
  person(
    scope: TenantScope,
    principalId: string,
    at: Instant,
    tokenId?: string,
  ): Promise<Principal | undefined>;
  /** A person's grants to programs, newest first. Their `id` is no secret. */
  grantsOf(scope: TenantScope, principalId: string, at: Instant): Promise<readonly ProgramGrant[]>;
  /** Revokes a person's grant to a program. False if it does not exist. */
  endGrantOf(scope: TenantScope, principalId: string, id: string): Promise<boolean>;
  /** The token that opened a session; undefined if it was a sign-in link. */
  openerOf(scope: TenantScope, sessionId: string): Promise<string | undefined>;
  /** The newest keys first, including those that will sign later. */
  keys(): Promise<readonly OAuthKeyRecord[]>;
  /** False if another process has stored a key for the same instant. */
  addKey(key: OAuthKeyRecord): Promise<boolean>;
  /** Removes keys that no longer sign tokens. */
  removeKeys(kids: readonly string[]): Promise<void>;
}

type GrantRow = Pick<oauth_artifactModel, 'id' | 'created_at' | 'expires_at'> & {
  readonly payload: JsonObject;
  readonly client_name: string | null;
};

const sweptAtOnce = 500;
const keysAtMost = 16;

const hashOf = (id: string): string => createHash('sha256').update(id).digest('base64url');

const artifactOf = rowReader<StoredArtifact>()('payload, consumed_at');
const keyOf = rowReader<OAuthKeyRecord>()(
  'kid, custodian, credential_id, public_jwk, created_at, signs_from',
);

export function oauthStore(store: Store): OAuthStore {
  const findArtifact = async (
    text: string,
    values: readonly unknown[],
  ): Promise<StoredArtifact | undefined> => {
    return (await run<Row>(store.pool, text, values)).rows.map(artifactOf)[0];
  };
  return {
    upsert: async (artifact, at) => {
      const { model, payload, grantId, uid, account, clientId, expiresAt } = artifact;
      await run(
        store.pool,
        `insert into oauth_artifact (model, id, payload, grant_id, uid, account, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
           uid = excluded.uid, account = excluded.account, expires_at = excluded.expires_at`,
        [
          model,
          hashOf(artifact.id),
          JSON.stringify(payload),
          grantId ?? null,
          uid ?? null,
          account ?? null,
          new Date(at),
          new Date(expiresAt),
        ],
      );
      if (model === 'Grant' && clientId !== undefined)
        await run(
          store.pool,
          `update oauth_artifact set expires_at = greatest(expires_at, $2) where model = 'Client' and id = $1`,
          [hashOf(clientId), new Date(expiresAt)],
        );
    },
    find: (model, id, at) =>
      findArtifact(
        'select payload, consumed_at from oauth_artifact where model = $1 and id = $2 and expires_at > $3',
        [model, hashOf(id), new Date(at)],
      ),
    findByUid: (model, uid, at) =>
      findArtifact(
        'select payload, consumed_at from oauth_artifact where model = $1 and uid = $2 and expires_at > $3',
        [model, uid, new Date(at)],
      ),
    consume: async (model, id, at) => {
      const { rowCount } = await run(
        store.pool,
        'update oauth_artifact set consumed_at = $3 where model = $1 and id = $2 and consumed_at is null',
        [model, hashOf(id), new Date(at)],
      );
      return rowCount > 0;
    },
    destroy: async (model, id) => {
      await run(store.pool, 'delete from oauth_artifact where model = $1 and id = $2', [model, hashOf(id)]);
    },
    revokeGrant: async (grantId) => {
      await run(store.pool, 'delete from oauth_artifact where grant_id = $1', [grantId]);
    },
    sweep: async (at) => {
      const { rowCount } = await run(
        store.pool,
        `delete from oauth_artifact where (model, id) in (
           select model, id from oauth_artifact where expires_at <= $1 order by expires_at
           limit $2 for update skip locked)`,
        [new Date(at), sweptAtOnce],
      );
      return rowCount;
    },
    person: (scope, principalId, at, tokenId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<HolderRow & { readonly held: unknown }>(
          `select p.*, t.permissions as held, ${rolesOf} from principal p
           left join principal_token t on t.id = $3::uuid and t.principal_id = p.id
           where p.id = $1 and p.kind = 'person' and (p.disabled_at is null or p.disabled_at > $2)
             and ($3::uuid is null or (t.revoked_at is null and t.expires_at > $2))`,
          [principalId, new Date(at), tokenId ?? null],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        const person = principalOf(row);
        return row.held === null ? person : withFewerPermissions(person, readPermissions(row.held));
      }),
    grantsOf: async ({ organizationId }, principalId, at) => {
      const { rows } = await run<GrantRow>(
        store.pool,
        `select g.id, g.payload, g.created_at, g.expires_at, c.payload ->> 'client_name' as client_name
         from oauth_artifact g
         left join oauth_artifact c on c.model = 'Client' and c.id = translate(
           encode(sha256(convert_to(g.payload ->> 'clientId', 'UTF8')), 'base64'), '+/=', '-_')
         where g.model = 'Grant' and (g.account = $1 or g.account like $1 || ':%') and g.expires_at > $2
         order by g.created_at desc, g.id limit $3`,
        [`${organizationId}:${principalId}`, new Date(at), grantsAtMost],
      );
      return rows.map((row) => ({
        id: row.id,
        clientId: row.payload['clientId'] as string,
        ...(row.client_name !== null && { clientName: row.client_name }),
        resources: (row.payload['resources'] ?? {}) as Record<string, string>,
        createdAt: row.created_at.getTime(),
        expiresAt: row.expires_at.getTime(),
      }));
    },
    endGrantOf: async ({ organizationId }, principalId, id) => {
      // Tokens of a grant are valid while its row exists.
      const { rowCount } = await run(
        store.pool,
        `delete from oauth_artifact where model = 'Grant' and id = $1 and (account = $2 or account like $2 || ':%')`,
        [id, `${organizationId}:${principalId}`],
      );
      return rowCount > 0;
    },
    openerOf: (scope, sessionId) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const token = await principal_token.findFirst({ where: { id: sessionId } });
        return token?.opened_by ?? undefined;
      }),
    keys: async () => {
      const { rows } = await run<Row>(
        store.pool,
        `select kid, custodian, credential_id, public_jwk, created_at, signs_from from oauth_key
         order by signs_from desc limit $1`,
        [keysAtMost],
      );
      return rows.map(keyOf);
    },
    addKey: async (key) => {
      const { rowCount } = await run(
        store.pool,
        `insert into oauth_key (kid, custodian, credential_id, public_jwk, created_at, signs_from)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [
          key.kid,
          key.custodian,
          key.credentialId,
          JSON.stringify(key.publicJwk),
          new Date(key.createdAt),
          new Date(key.signsFrom),
        ],
      );
      return rowCount > 0;
    },
    removeKeys: async (kids) => {
      await run(store.pool, 'delete from oauth_key where kid = any ($1::text[])', [kids]);
    },
  };
}
