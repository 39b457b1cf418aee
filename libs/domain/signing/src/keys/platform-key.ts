import type { Instant, JsonObject } from '@switchyard/values';
import type { SignatureAlgorithm } from '../algorithm.js';

/**
 * Where one of our own keys is in its life. `published`: others may learn it, nothing is signed with it yet. `live`:
 * the one that signs. `retiring`: what it signed may still be on its way. `retired`: gone from the key set for good.
 */
export type PlatformKeyState = 'published' | 'live' | 'retiring' | 'retired';

/** Who holds the private half: our vault, or a key service that signs for us and never lets it out. */
export type KeyCustody =
  | { readonly kind: 'vault'; readonly credentialId: string }
  | { readonly kind: 'kms'; readonly keyId: string };

/** One signing key of one principal. It signs for nobody else, so a kid never stands for two of them. */
export interface PlatformKey {
  /** Random and opaque: it says nothing of whose it is. */
  readonly kid: string;
  readonly organizationId: string;
  readonly principalId: string;
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

/** A tenant, as far as keys are concerned. */
export interface KeyScope {
  readonly organizationId: string;
}

/** The port that `adapters/store` implements. Methods reject when the database cannot be reached. */
export interface PlatformKeyStore {
  /** Every key of the tenant, the retired ones too, oldest first. */
  list(scope: KeyScope): Promise<readonly PlatformKey[]>;
  live(scope: KeyScope, principalId: string): Promise<PlatformKey | undefined>;
  /** False when the principal has a key in that state already: another process was faster. */
  insert(scope: KeyScope, key: PlatformKey): Promise<boolean>;
  /**
   * Carries out moves of one principal together or not at all. False when a key was no longer in the state that a
   * move starts from.
   */
  move(scope: KeyScope, moves: readonly KeyMove[], at: Instant): Promise<boolean>;
  /** What the key set of this installation holds: of every tenant, without the retired ones. */
  published(): Promise<readonly JsonObject[]>;
  /** Keys of every tenant whose private half a key service holds, without the retired ones. */
  remote(): Promise<readonly RemoteKey[]>;
}

export interface KeyMove {
  readonly kid: string;
  readonly from: PlatformKeyState;
  readonly to: PlatformKeyState;
}

export interface RemoteKey {
  readonly kid: string;
  readonly keyId: string;
  readonly publicJwk: JsonObject;
}
