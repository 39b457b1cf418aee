import type { JsonObject, Result } from '@switchyard/values';
import type { AdminFailure } from './admin.js';
import type { PrincipalCaller } from '../task-call.js';

/*
 * The views below leave the house as they stand, so their members carry the names of the wire.
 */

/** One of our own keys. The private half is nowhere near it. */
export interface KeyView {
  readonly kid: string;
  readonly principal: string;
  readonly state: 'published' | 'live' | 'retiring' | 'retired';
  readonly alg: string;
  /** The key service's own name of the key, where one holds it. */
  readonly kms_key_id?: string;
  readonly created_at: string;
  readonly live_at?: string;
  readonly retiring_at?: string;
  readonly retired_at?: string;
  /** When a published key will sign. */
  readonly live_from?: string;
}

/** An agent that signs as a principal. */
export interface SignerView {
  readonly signer_id: string;
  readonly principal: string;
  readonly agent_url: string;
  /** Registered, or of one whose keys are discovered the set that was found first. */
  readonly jwks_uri?: string;
  /** Of one whose keys are discovered: the protocol that its agent is asked over. */
  readonly discovered_over?: 'mcp' | 'a2a';
  /** Kids of a key set that was handed in. */
  readonly kids?: readonly string[];
  readonly dialect: 'ads' | 'adcp';
  readonly allows_rsa_pss: boolean;
  readonly created_at: string;
}

export interface SignerDraft {
  readonly agentUrl: string;
  readonly jwksUri?: string;
  readonly jwks?: JsonObject;
  /** Without keys and without an address of them: the agent is asked over this protocol, and what it says leads there. */
  readonly protocol?: 'mcp' | 'a2a';
  readonly dialect: 'ads' | 'adcp';
  /** Whether `rsa-pss-sha512` is taken from it (docs/protocol/signing.md#algorithms). */
  readonly allowsRsaPss?: boolean;
}

/** Who we are to others, and who others are to us: our keys, and the agents that sign as our principals. */
export interface IdentityAdmin {
  /** The public halves of every key that somebody may still have to verify with. */
  publishedKeys(): Promise<readonly JsonObject[]>;
  listKeys(caller: PrincipalCaller): Promise<readonly KeyView[]>;
  /** The next key of a principal, the caller's own unless another is named. */
  rotateKey(
    caller: PrincipalCaller,
    query: { readonly principal?: string; readonly kmsKeyId?: string },
  ): Promise<Result<KeyView, AdminFailure>>;
  listSigners(caller: PrincipalCaller): Promise<readonly SignerView[]>;
  addSigner(
    caller: PrincipalCaller,
    principal: string,
    draft: SignerDraft,
  ): Promise<Result<SignerView, AdminFailure>>;
  removeSigner(caller: PrincipalCaller, signerId: string): Promise<Result<object, AdminFailure>>;
}
