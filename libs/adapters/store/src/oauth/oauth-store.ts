import { createHash } from 'node:crypto';
import { readPermissions, withFewerPermissions, type Principal, type TenantScope } from '@switchyard/tenancy';
import type { Instant, JsonObject } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { storableValue } from '../core/storable.js';
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
  const { oauth_artifact, oauth_key } = store.models;
  const findArtifact = async (
    of: { readonly model: string } & ({ readonly id: string } | { readonly uid: string }),
    at: Instant,
  ): Promise<StoredArtifact | undefined> => {
    const found = await oauth_artifact.findFirst({ where: { ...of, expires_at: { gt: new Date(at) } } });
    return found === null ? undefined : artifactOf(found);
  };
  return {
    upsert: async (artifact, at) => {
      const { model, payload, grantId, uid, account, clientId, expiresAt } = artifact;
      const key = { model, id: hashOf(artifact.id) };
      const set = {
        payload: storableValue(payload),
        ...{ grant_id: grantId ?? null, uid: uid ?? null, account: account ?? null },
        expires_at: new Date(expiresAt),
      };
      await oauth_artifact.upsert({
        where: { model_id: key },
        create: { ...key, ...set, created_at: new Date(at) },
        update: set,
      });
      if (model === 'Grant' && clientId !== undefined)
        await run(
          store.pool,
          `update oauth_artifact set expires_at = greatest(expires_at, $2) where model = 'Client' and id = $1`,
          [hashOf(clientId), new Date(expiresAt)],
        );
    },
    find: (model, id, at) => findArtifact({ model, id: hashOf(id) }, at),
    findByUid: (model, uid, at) => findArtifact({ model, uid }, at),
    consume: async (model, id, at) => {
      const where = { model, id: hashOf(id), consumed_at: null };
      return (await oauth_artifact.updateMany({ where, data: { consumed_at: new Date(at) } })).count > 0;
    },
    destroy: async (model, id) => {
      await oauth_artifact.deleteMany({ where: { model, id: hashOf(id) } });
    },
    revokeGrant: async (grantId) => {
      await oauth_artifact.deleteMany({ where: { grant_id: grantId } });
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
      const account = `${organizationId}:${principalId}`;
      const { count } = await oauth_artifact.deleteMany({
        where: { model: 'Grant', id, OR: [{ account }, { account: { startsWith: `${account}:` } }] },
      });
      return count > 0;
    },
    openerOf: (scope, sessionId) =>
      store.inTenantModels(scope, async ({ principal_token }) => {
        const token = await principal_token.findFirst({ where: { id: sessionId } });
        return token?.opened_by ?? undefined;
      }),
    keys: async () => {
      return (await oauth_key.findMany({ orderBy: { signs_from: 'desc' }, take: keysAtMost })).map(keyOf);
    },
    addKey: async (key) => {
      const { kid, custodian, credentialId, publicJwk } = key;
      const data = { kid, custodian, credential_id: credentialId, public_jwk: storableValue(publicJwk) };
      const { count } = await oauth_key.createMany({
        data: { ...data, created_at: new Date(key.createdAt), signs_from: new Date(key.signsFrom) },
        skipDuplicates: true,
      });
      return count > 0;
    },
    removeKeys: async (kids) => {
      await oauth_key.deleteMany({ where: { kid: { in: [...kids] } } });
    },
  };
}
