import { type Instant, type JsonObject, Secret } from '@switchyard/values';
import { createHash, createPrivateKey, type KeyObject } from 'node:crypto';
import type { SignatureAlgorithm } from '../algorithm.js';

/**
 * The state of one of our own keys. `published`: in the key set, but it does not sign yet. `live`: signs. `retiring`:
 * its signatures may still be in transit. `retired`: removed from the key set permanently.
 */
export type PlatformKeyState = 'published' | 'live' | 'retiring' | 'retired';

/** Where the private key is: in our vault, or in a key service that signs for us and never exports it. */
export type KeyCustody =
  | { readonly kind: 'vault'; readonly credentialId: string }
  | { readonly kind: 'kms'; readonly keyId: string };

/**
 * A signing key of one principal, which signs its requests and webhooks and nobody else's, or the key of the organization
 * itself, which signs statements and heads of chains alone (docs/ledger.md#who-signed).
 */
export interface PlatformKey {
  /** Random: it does not reveal its principal. */
  readonly kid: string;
  readonly organizationId: string;
  /** Absent for the key of the organization itself. */
  readonly principalId?: string;
  /** True if it may have signed statements or heads of chains: it stays published after it is retired. */
  readonly signsProofs: boolean;
  readonly alg: SignatureAlgorithm;
  readonly custody: KeyCustody;
  /** Public members only. */
  readonly publicJwk: JsonObject;
  readonly state: PlatformKeyState;
  readonly createdAt: Instant;
  readonly liveAt?: Instant;
  readonly retiringAt?: Instant;
  readonly retiredAt?: Instant;
}

/** The tenant of keys. */
interface KeyScope {
  readonly organizationId: string;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface PlatformKeyStore {
  /** All keys of the tenant, including retired ones, oldest first. */
  list(scope: KeyScope): Promise<readonly PlatformKey[]>;
  /** The key of this principal that signs; without one, that of the organization itself. */
  live(scope: KeyScope, principalId: string | undefined): Promise<PlatformKey | undefined>;
  /** Returns false if its owner already has a key in that state, because another process inserted it. */
  insert(scope: KeyScope, key: PlatformKey): Promise<boolean>;
  /**
   * Makes the moves of one owner's keys in one transaction. Returns false if a key is no longer in the `from` state of its
   * move.
   */
  move(scope: KeyScope, moves: readonly KeyMove[], at: Instant): Promise<boolean>;
  /** The key set of this installation: keys of all tenants. Of retired keys only those that may have signed proofs. */
  published(): Promise<readonly PublishedKey[]>;
  /** Keys of all tenants that are in a key service, without retired ones. */
  remote(): Promise<readonly RemoteKey[]>;
}

/** A public key as this installation publishes it, with its owner. */
export interface PublishedKey {
  readonly publicJwk: JsonObject;
  /** Domain of the organization, which is a claim until it is proved. */
  readonly domain: string;
  readonly isDomainProved: boolean;
  readonly signsRequests: boolean;
  readonly signsProofs: boolean;
  readonly retiredAt?: Instant;
}

export interface KeyMove {
  readonly kid: string;
  readonly from: PlatformKeyState;
  readonly to: PlatformKeyState;
}

interface RemoteKey {
  readonly kid: string;
  readonly keyId: string;
  readonly publicJwk: JsonObject;
}

/** RFC 7638 thumbprint: equal for the same public key, whatever its kid and other members are. */
export function keyThumbprint(jwk: JsonObject): string {
  const required = Object.fromEntries(
    ['crv', 'e', 'kty', 'n', 'x', 'y'].flatMap((name) =>
      jwk[name] === undefined ? [] : [[name, jwk[name]]],
    ),
  );
  return createHash('sha256').update(JSON.stringify(required)).digest('base64url');
}

/** Returns the private key as the vault seals it: PKCS#8, DER. The caller must wipe it. */
export function privateHalf(privateKey: KeyObject): Secret {
  return new Secret(privateKey.export({ type: 'pkcs8', format: 'der' }));
}

/** Reads the result of `privateHalf`. Throws if the bytes are anything else. */
export function openPrivateHalf(secret: Secret): KeyObject {
  return secret.use((der) => createPrivateKey({ key: der, type: 'pkcs8', format: 'der' }));
}
