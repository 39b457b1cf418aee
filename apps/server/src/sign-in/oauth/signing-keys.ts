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

/** The keys as the authorization server works with them. */
export interface OpenKeys {
  /** With private halves; the first one signs. Its kids and their order, as one text, are `version`. */
  readonly jwks: { readonly keys: JWK[] };
  readonly version: string;
  /** What signs cookies of requests under way, the newest first. */
  readonly cookieKeys: string[];
}

/** Signing keys of access tokens, shared by every process of the instance through the database and the vault. */
export interface OAuthKeys {
  /** Looked for again every few minutes; the first one is made when there is none, the next when it is due. */
  current(): Promise<OpenKeys>;
  /** For verifying: the public halves. */
  readonly resolve: JWTVerifyGetKey;
}

export interface KeyTimes {
  /** How long a key signs until the next one is made. */
  readonly signsMs: number;
  /** How long a new key is published before it signs: longer than a process goes without looking. */
  readonly waitMs: number;
  /** How long a key that has signed last stays: longer than any token lives. */
  readonly keepMs: number;
  /** How long a process goes without looking. */
  readonly lookMs: number;
}

export const keyTimes: KeyTimes = {
  signsMs: 90 * 86_400_000,
  waitMs: 15 * 60_000,
  keepMs: 3_600_000,
  lookMs: 5 * 60_000,
};

export interface OAuthKeysDeps {
  readonly store: Pick<OAuthStore, 'keys' | 'addKey' | 'removeKeys'>;
  readonly vault: Pick<Vault, 'put' | 'withSecret' | 'revoke'>;
  /** Whose vault has the private halves: the organization that runs the instance. */
  readonly custodian: TenantScope;
  readonly clock: Clock;
  readonly times?: KeyTimes;
}

interface PrivateParts {
  readonly jwk: JWK;
  readonly cookieKey: string;
}

export function createOAuthKeys(deps: OAuthKeysDeps): OAuthKeys {
  const { store, clock, times = keyTimes } = deps;
  const opened = new Map<string, PrivateParts>();
  let known: { readonly at: Instant; readonly open: OpenKeys } | undefined;
  let looking: Promise<OpenKeys> | undefined;

  const look = async (): Promise<OpenKeys> => {
    const now = clock.now();
    let records = await store.keys();
    const [newest] = records;
    if (newest === undefined) {
      // Of two first starts at once both come to the same day, and the database takes one of them.
      await makeKey(deps, Math.floor(now / 86_400_000) * 86_400_000);
      records = await store.keys();
    } else if (newest.signsFrom + times.signsMs <= now) {
      await makeKey(deps, nextHour(now + times.waitMs));
      records = await store.keys();
    }
    const { live, ended } = sorted(records, now, times);
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
    if (known !== undefined && clock.now() - known.at < times.lookMs) return Promise.resolve(known.open);
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
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

/** Which keys there are, the one that signs first, and which nobody needs any more. Records come newest first. */
function sorted(
  records: readonly OAuthKeyRecord[],
  now: Instant,
  times: KeyTimes,
): { readonly live: readonly OAuthKeyRecord[]; readonly ended: readonly OAuthKeyRecord[] } {
  const toCome = records.filter(({ signsFrom }) => signsFrom > now);
  const [signs, ...before] = records.filter(({ signsFrom }) => signsFrom <= now);
  if (signs === undefined) return { live: toCome, ended: [] };
  const isOver = signs.signsFrom + times.keepMs <= now;
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
  // Another process has made it in the same moment: that one counts.
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
