import { randomBytes } from 'node:crypto';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose';
import type { OAuthKeyRecord, OAuthStore } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, Secret, type Clock, type Instant } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';

/** The keys that the authorization server uses. */
export interface OpenKeys {
  /** With private halves; the first one signs. `version` is the text of its kids in order. */
  readonly jwks: { readonly keys: JWK[] };
  readonly version: string;
  /** Keys for the cookies of requests in progress, newest first. */
  readonly cookieKeys: string[];
}

/** Signing keys of access tokens, shared by every process of the instance through the database and the vault. */
export interface OAuthKeys {
  /** Read again every few minutes; makes the first key if there is none, and the next one when it is due. */
  current(): Promise<OpenKeys>;
  /** The public halves, to verify tokens. */
  readonly resolve: JWTVerifyGetKey;
}

const keyTimes = {
  /** How long a key signs until the next one is made. */
  signsMs: 90 * 86_400_000,
  /** How long a new key is published before it signs: longer than the interval of reads. */
  waitMs: 15 * 60_000,
  /** How long a key stays after its last signature: longer than any token is valid. */
  keepMs: 3_600_000,
  /** The interval in which a process reads the keys. */
  refreshMs: 5 * 60_000,
};

interface OAuthKeysDeps {
  readonly store: Pick<OAuthStore, 'keys' | 'addKey' | 'removeKeys'>;
  readonly vault: Pick<Vault, 'put' | 'withSecret' | 'revoke'>;
  /** The organization whose vault has the private halves: the one that runs the instance. */
  readonly custodian: TenantScope;
  readonly clock: Clock;
}

interface PrivateParts {
  readonly jwk: JWK;
  readonly cookieKey: string;
}

export function createOAuthKeys(deps: OAuthKeysDeps): OAuthKeys {
  const { store, clock } = deps;
  const opened = new Map<string, PrivateParts>();
  let known: { readonly at: Instant; readonly open: OpenKeys } | undefined;
  let refreshing: Promise<OpenKeys> | undefined;

  const refresh = async (): Promise<OpenKeys> => {
    const now = clock.now();
    let records = await store.keys();
    const [newest] = records;
    if (newest === undefined) {
      // Two concurrent first starts use the same day, and the database accepts one of them.
      await makeKey(deps, Math.floor(now / 86_400_000) * 86_400_000);
      records = await store.keys();
    } else if (newest.signsFrom + keyTimes.signsMs <= now) {
      await makeKey(deps, nextHour(now + keyTimes.waitMs));
      records = await store.keys();
    }
    const { live, ended } = sorted(records, now);
    for (const key of live) if (!opened.has(key.kid)) opened.set(key.kid, await open(deps, key));
    for (const key of ended) {
      await store.removeKeys([key.kid]);
      await deps.vault.revoke({ organizationId: key.custodian }, key.credentialId);
      opened.delete(key.kid);
    }
    const parts = live.flatMap(({ kid }) => opened.get(kid) ?? []);
    const made: OpenKeys = {
      jwks: { keys: parts.map(({ jwk }) => jwk) },
      version: live.map(({ kid }) => kid).join(' '),
      cookieKeys: parts.map(({ cookieKey }) => cookieKey),
    };
    known = { at: now, open: made };
    return made;
  };
  const current = (): Promise<OpenKeys> => {
    if (known !== undefined && clock.now() - known.at < keyTimes.refreshMs)
      return Promise.resolve(known.open);
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  return {
    current,
    resolve: async (header, token) => {
      const { jwks } = await current();
      return createLocalJWKSet({ keys: jwks.keys.map(publicHalf) })(header, token);
    },
  };
}

const nextHour = (at: Instant): Instant => Math.ceil(at / 3_600_000) * 3_600_000;

function publicHalf({ d: _private, ...jwk }: JWK): JWK {
  return jwk;
}

/** The current keys, the one that signs first, and the keys to remove. Records come newest first. */
function sorted(
  records: readonly OAuthKeyRecord[],
  now: Instant,
): { readonly live: readonly OAuthKeyRecord[]; readonly ended: readonly OAuthKeyRecord[] } {
  const toCome = records.filter(({ signsFrom }) => signsFrom > now);
  const [signs, ...before] = records.filter(({ signsFrom }) => signsFrom <= now);
  if (signs === undefined) return { live: toCome, ended: [] };
  const isOver = signs.signsFrom + keyTimes.keepMs <= now;
  return { live: [signs, ...toCome, ...(isOver ? [] : before)], ended: isOver ? before : [] };
}

async function makeKey(deps: OAuthKeysDeps, signsFrom: Instant): Promise<string> {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const bare = await exportJWK(pair.privateKey);
  const kid = await calculateJwkThumbprint(bare);
  const jwk: JWK = { ...bare, kid, alg: 'ES256', use: 'sig' };
  const parts: PrivateParts = { jwk, cookieKey: randomBytes(32).toString('base64url') };
  const secret = new Secret(Buffer.from(JSON.stringify(parts)));
  const sealed = await deps.vault.put(deps.custodian, { kind: 'signing', secret });
  secret.wipe();
  if (!sealed.ok) throw new Error('The vault did not seal the signing key of the authorization server.');
  const { credentialId } = sealed.value;
  const isFirst = await deps.store.addKey({
    kid,
    credentialId,
    custodian: deps.custodian.organizationId,
    publicJwk: publicHalf(jwk),
    createdAt: deps.clock.now(),
    signsFrom,
  });
  // Another process made the key at the same moment: that one is used.
  if (!isFirst) await deps.vault.revoke(deps.custodian, credentialId);
  return kid;
}

async function open(deps: OAuthKeysDeps, key: OAuthKeyRecord): Promise<PrivateParts> {
  const request = { credentialId: key.credentialId, kind: 'signing' } as const;
  const reason = { purpose: 'access_tokens', actor: 'authorization server' };
  const read = await deps.vault.withSecret({ organizationId: key.custodian }, request, reason, (secret) =>
    Promise.resolve(secret.useText((text) => JSON.parse(text) as unknown)),
  );
  if (!read.ok || !isJsonObject(read.value))
    throw new Error('The vault did not open the signing key of the authorization server.');
  return read.value as unknown as PrivateParts;
}
