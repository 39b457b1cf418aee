import type {
  KeyCustody,
  PlatformKey,
  PlatformKeyState,
  PlatformKeyStore,
  PublishedKey,
  SignatureAlgorithm,
} from '@switchyard/signing';
import { isJsonObject, type Instant, type JsonObject } from '@switchyard/values';
import { run } from '../core/tenant-transaction.js';
import { isDuplicate, unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import type { signing_keyModel } from '../generated/models.js';

/** Our own signing keys. A unique index per owner and state prevents two live keys. */
export function platformKeyStore(store: Store): PlatformKeyStore {
  return {
    // Read again whenever somebody asks for our published keys: no call of Prisma.
    list: (scope) =>
      store.inTenant(scope, async (client) => {
        const text = 'select * from signing_key order by created_at, kid';
        return (await client.query<signing_keyModel>(text)).rows.map(keyOf);
      }),
    live: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        const { organizationId } = client;
        const { rows } = await client.query<signing_keyModel>(
          principalId === undefined
            ? {
                name: 'signing_key_own_live',
                text: `select * from signing_key where organization_id = $1 and principal_id is null and state = 'live'`,
                values: [organizationId],
              }
            : {
                name: 'signing_key_live',
                text: `select * from signing_key
                       where organization_id = $1 and principal_id = $2 and state = 'live'`,
                values: [organizationId, principalId],
              },
        );
        return rows.map(keyOf)[0];
      }),
    insert: (scope, key) =>
      unlessDuplicate(() =>
        store.inTenantModels(scope, ({ signing_key }) => signing_key.create({ data: rowOf(key) })),
      ),
    move: async (scope, moves, at) => {
      try {
        await store.inTenantModels(scope, async ({ signing_key }) => {
          for (const { kid, from, to } of moves) {
            const data = { state: to, [columnOf[to]]: new Date(at) };
            const { count } = await signing_key.updateMany({ where: { kid, state: from }, data });
            if (count !== 1) throw new Outrun();
          }
        });
        return true;
      } catch (error) {
        if (error instanceof Outrun || isDuplicate(error)) return false;
        throw error;
      }
    },
    published: async () => {
      const { rows } = await run<{ public_jwk: unknown }>(
        store.pool,
        'select * from published_signing_keys()',
      );
      return rows.map((row) => ({ ...readPublished(row), publicJwk: jwkOf(row.public_jwk) }));
    },
    remote: async () => {
      const { rows } = await run<{ kid: string; kms_key_id: string; public_jwk: unknown }>(
        store.pool,
        'select * from remote_signing_keys()',
      );
      return rows.map((row) => ({
        kid: row.kid,
        keyId: row.kms_key_id,
        publicJwk: jwkOf(row.public_jwk),
      }));
    },
  };
}

/** Another process moved the key first. */
class Outrun extends Error {}

const columnOf: Readonly<Record<PlatformKeyState, string>> = {
  published: 'created_at',
  live: 'live_at',
  retiring: 'retiring_at',
  retired: 'retired_at',
};

const algorithmOf: Readonly<Record<string, SignatureAlgorithm>> = {
  EdDSA: 'ed25519',
  ES256: 'ecdsa-p256-sha256',
  PS512: 'rsa-pss-sha512',
};

const readKey = rowReader<Omit<PlatformKey, 'alg' | 'custody' | 'publicJwk'>>()(
  'kid, organization_id, principal_id, signs_proofs, state, created_at, live_at, retiring_at, retired_at',
);

const readPublished = rowReader<Omit<PublishedKey, 'publicJwk'>>()(
  'domain, is_domain_proved, signs_requests, signs_proofs, retired_at',
);

/** A key from its row. */
export function keyOf(row: signing_keyModel): PlatformKey {
  const publicJwk = jwkOf(row.public_jwk);
  const { alg: name } = publicJwk;
  const alg = typeof name === 'string' ? algorithmOf[name] : undefined;
  if (alg === undefined) throw new Error(`The key ${row.kid} is not readable.`);
  return {
    ...readKey(row),
    alg,
    custody: custodyOf(row),
    publicJwk,
  };
}

function custodyOf(row: signing_keyModel): KeyCustody {
  if (row.kms_key_id !== null) return { kind: 'kms', keyId: row.kms_key_id };
  if (row.credential_id !== null) return { kind: 'vault', credentialId: row.credential_id };
  throw new Error(`The key ${row.kid} has no private half.`);
}

function rowOf(key: PlatformKey) {
  const { custody } = key;
  const dateOf = (at: Instant | undefined): Date | null => (at === undefined ? null : new Date(at));
  return {
    kid: key.kid,
    organization_id: key.organizationId,
    principal_id: key.principalId ?? null,
    credential_id: custody.kind === 'vault' ? custody.credentialId : null,
    kms_key_id: custody.kind === 'kms' ? custody.keyId : null,
    public_jwk: key.publicJwk as object,
    state: key.state,
    signs_proofs: key.signsProofs,
    created_at: new Date(key.createdAt),
    live_at: dateOf(key.liveAt),
    retiring_at: dateOf(key.retiringAt),
    retired_at: dateOf(key.retiredAt),
  };
}

function jwkOf(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw new Error('A stored key is not an object.');
  return value;
}
