import type { Buffer } from 'node:buffer';
import { createPublicKey } from 'node:crypto';
import { dialects } from '@switchyard/protocol';
import type { PrincipalSigner } from '@switchyard/sellers';
import {
  generateSigningKey,
  planRotation,
  proofPurpose,
  privateHalf,
  publicJwk,
  signMessage,
  type KeyInUse,
  type KeyService,
  type PlatformKey,
  type PlatformKeyStore,
  type PublishedKey,
  type RotationTimes,
  type SigningFailure,
} from '@switchyard/signing';
import type { IsStopped, TenantScope } from '@switchyard/tenancy';
import { err, ok, type Clock, type JsonObject, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import { keyInUse, type KeyUse } from './key-in-use.js';

interface PlatformKeysDeps {
  readonly store: PlatformKeyStore;
  readonly vault: Pick<Vault, 'put' | 'withSecret' | 'revoke'>;
  readonly service: KeyService;
  readonly clock: Clock;
  readonly isStopped: IsStopped;
  readonly randomBytes: (size: number) => Buffer;
  readonly times: RotationTimes;
  /** Key ids of the key service that a principal may be given; if absent, none. */
  readonly kmsKeys?: readonly string[];
}

interface RotationFailure {
  readonly code: 'CONFLICT' | 'UNAVAILABLE' | 'INVALID_REQUEST';
  readonly message: string;
}

/** Our own signing keys: one live key for each principal and one for the organization itself, made at the first use. */
export interface PlatformKeys {
  /** Opens no key before the first signature; then once, with one audit row, for any number of signatures. */
  readonly signerFor: (scope: TenantScope, principalId: string, use: KeyUse) => PrincipalSigner;
  /**
   * Signs a statement or a head with the live key of the organization itself: a raw signature over the bytes, Ed25519 or
   * ECDSA P-256 as `r || s`.
   */
  signDocument(
    scope: TenantScope,
    use: KeyUse,
    bytesFor: (kid: string, alg: 'EdDSA' | 'ES256') => Buffer,
  ): Promise<Result<SignedDocument, SigningFailure>>;
  /** The principal's live key, made if there is none. */
  ensure(scope: TenantScope, principalId: string): Promise<Result<PlatformKey, SigningFailure>>;
  list(scope: TenantScope): Promise<readonly PlatformKey[]>;
  /**
   * Publishes the next key of a principal, or of the organization itself. It signs once others can know it; `kmsKeyId`
   * names a key of the service.
   */
  rotate(
    scope: TenantScope,
    principalId: string | undefined,
    kmsKeyId?: string,
  ): Promise<Result<PlatformKey, RotationFailure>>;
  /** Activates published keys and ends retiring ones that are due. Answers how many keys changed. */
  advance(scope: TenantScope): Promise<number>;
  /** The contents of this installation's key sets. */
  published(): Promise<readonly PublishedKey[]>;
  /** Kids whose key in the key service differs from the published one. */
  mismatches(): Promise<readonly string[]>;
}

/** A signed document, with its signature and the public half of the key. */
interface SignedDocument {
  readonly bytes: Buffer;
  readonly signature: Buffer;
  readonly publicJwk: JsonObject;
}

/** How long a signature is valid, in seconds; receivers accept at most 300. */
const validity = 300;
const useMembers = [dialects.ads.keyUseMember, dialects.adcp.keyUseMember];

export function createPlatformKeys(deps: PlatformKeysDeps): PlatformKeys {
  const { store, clock } = deps;
  return {
    signerFor: (scope, principalId, use) => principalSigner(deps, scope, principalId, use),
    signDocument: (scope, use, bytesFor) => signDocument(deps, scope, use, bytesFor),
    ensure: (scope, principalId) => ensureLive(deps, scope, principalId),
    list: (scope) => store.list(scope),
    rotate: async (scope, principalId, kmsKeyId) => {
      // That this process may use a key does not allow every caller to name it.
      if (kmsKeyId !== undefined && deps.kmsKeys?.includes(kmsKeyId) !== true) {
        const message =
          'This KMS key is not one of SWITCHYARD_KMS_KEY_IDS. Ask whoever runs this instance to list it.';
        return err({ code: 'INVALID_REQUEST', message });
      }
      const made = await makeKey(deps, scope, { principalId, state: 'published', kmsKeyId });
      if (!made.ok) {
        const code = kmsKeyId === undefined ? 'UNAVAILABLE' : 'INVALID_REQUEST';
        return err({ code, message: made.error.message });
      }
      if (await store.insert(scope, made.value)) return ok(made.value);
      await discard(deps, scope, made.value);
      return err({
        code: 'CONFLICT',
        message: 'The next key of this owner is published already and waits for its turn.',
      });
    },
    advance: (scope) => advance(deps, scope, clock.now()),
    published: () => store.published(),
    mismatches: () => mismatches(deps),
  };
}

async function signDocument(
  deps: PlatformKeysDeps,
  scope: TenantScope,
  use: KeyUse,
  bytesFor: (kid: string, alg: 'EdDSA' | 'ES256') => Buffer,
): Promise<Result<SignedDocument, SigningFailure>> {
  const live = await ensureLive(deps, scope, undefined);
  if (!live.ok) return live;
  if (await isKeyStopped(deps, scope, live.value.kid)) return err(stopped);
  const key = await keyInUse(deps, scope, live.value, use);
  if (!key.ok) return key;
  const bytes = bytesFor(live.value.kid, live.value.alg === 'ed25519' ? 'EdDSA' : 'ES256');
  const signed = await key.value.sign(bytes);
  if (!signed.ok) return signed;
  return ok({ bytes, signature: signed.value, publicJwk: live.value.publicJwk });
}

function principalSigner(
  deps: PlatformKeysDeps,
  scope: TenantScope,
  principalId: string,
  use: KeyUse,
): PrincipalSigner {
  let opening: Promise<Result<KeyInUse, SigningFailure>> | undefined;
  const open = async (): Promise<Result<KeyInUse, SigningFailure>> => {
    const key = await ensureLive(deps, scope, principalId);
    return key.ok ? keyInUse(deps, scope, key.value, use) : key;
  };
  return {
    principalId,
    sign: async (message, terms) => {
      opening ??= open().catch(() => err(unavailable('The keys cannot be read now.')));
      const key = await opening;
      if (!key.ok) {
        opening = undefined;
        return key;
      }
      if (await isKeyStopped(deps, scope, key.value.keyid)) return err(stopped);
      return signMessage(message, key.value, {
        ...terms,
        validity,
        created: Math.floor(deps.clock.now() / 1000),
        nonce: deps.randomBytes(18).toString('base64url'),
      });
    },
  };
}

/** If the check for a stop fails, the key counts as stopped. */
function isKeyStopped({ isStopped }: PlatformKeysDeps, scope: TenantScope, kid: string): Promise<boolean> {
  return isStopped(scope.organizationId, 'key', kid).catch(() => true);
}

const stopped: SigningFailure = { code: 'key_stopped', message: 'An emergency stop holds the key.' };

async function ensureLive(
  deps: PlatformKeysDeps,
  scope: TenantScope,
  principalId: string | undefined,
): Promise<Result<PlatformKey, SigningFailure>> {
  const known = await deps.store.live(scope, principalId);
  if (known !== undefined) return ok(known);
  const made = await makeKey(deps, scope, { principalId, state: 'live' });
  if (!made.ok) return made;
  if (await deps.store.insert(scope, made.value)) return made;
  // Another process made a key at the same moment: that key is used.
  await discard(deps, scope, made.value);
  const live = await deps.store.live(scope, principalId);
  return live === undefined ? err(unavailable('The key was made by another process and is gone.')) : ok(live);
}

interface KeyToMake {
  /** Absent for the key of the organization itself. */
  readonly principalId: string | undefined;
  readonly state: 'live' | 'published';
  readonly kmsKeyId?: string | undefined;
}

/** A key that is not stored yet, except its private half. A first key is live at once: there is no older one. */
async function makeKey(
  deps: PlatformKeysDeps,
  scope: TenantScope,
  { principalId, state, kmsKeyId }: KeyToMake,
): Promise<Result<PlatformKey, SigningFailure>> {
  const kid = deps.randomBytes(18).toString('base64url');
  const at = deps.clock.now();
  const purpose = principalId === undefined ? proofPurpose : 'request-signing';
  const common = {
    kid,
    ...(principalId !== undefined && { principalId }),
    signsProofs: principalId === undefined,
    state,
    organizationId: scope.organizationId,
    createdAt: at,
    ...(state === 'live' ? { liveAt: at } : {}),
  };
  if (kmsKeyId !== undefined) {
    const found = await deps.service.publicKey(kmsKeyId);
    if (!found.ok) return found;
    const alg = 'ecdsa-p256-sha256';
    const jwk = publicJwk({ kid, alg, publicKey: found.value.publicKey }, useMembers, purpose);
    return ok({ ...common, alg, publicJwk: jwk, custody: { kind: 'kms', keyId: found.value.keyId } });
  }
  const pair = generateSigningKey(kid);
  const secret = privateHalf(pair.privateKey);
  const sealed = await deps.vault.put(scope, { kind: 'signing', secret });
  secret.wipe();
  if (!sealed.ok) return err(unavailable('The vault could not seal a new signing key.'));
  const { credentialId } = sealed.value;
  const jwk = publicJwk(pair, useMembers, purpose);
  return ok({ ...common, alg: pair.alg, publicJwk: jwk, custody: { kind: 'vault', credentialId } });
}

async function advance(deps: PlatformKeysDeps, scope: TenantScope, at: number): Promise<number> {
  const all = await deps.store.list(scope);
  let moved = 0;
  for (const principalId of new Set(all.map((key) => key.principalId))) {
    const keys = all.filter((key) => key.principalId === principalId);
    const moves = planRotation(keys, deps.times, at);
    if (moves.length === 0 || !(await deps.store.move(scope, moves, at))) continue;
    moved += moves.length;
    const ended = new Set(moves.filter(({ to }) => to === 'retired').map(({ kid }) => kid));
    for (const key of keys) if (ended.has(key.kid)) await discard(deps, scope, key);
  }
  return moved;
}

/** Revokes the private half of a key that no longer signs, so that nobody can open it. */
async function discard(
  { vault }: PlatformKeysDeps,
  scope: TenantScope,
  { custody }: PlatformKey,
): Promise<void> {
  if (custody.kind === 'vault') await vault.revoke(scope, custody.credentialId);
}

async function mismatches({ store, service }: PlatformKeysDeps): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { kid, keyId, publicJwk: jwk } of await store.remote()) {
    const found = await service.publicKey(keyId);
    // A service that does not answer now does not make the key doubtful.
    if (!found.ok) continue;
    const published = createPublicKey({ key: jwk as Record<string, string>, format: 'jwk' });
    if (!published.equals(found.value.publicKey)) wrong.push(kid);
  }
  return wrong;
}

function unavailable(message: string): SigningFailure {
  return { code: 'key_unavailable', message };
}
