import type { VerifySealed } from '@switchyard/relay';
import type { SignerKey, SignerKeyFailure, SignerKeys } from '@switchyard/sellers';
import type { SignerDirectory } from '@switchyard/tenancy';
import { peekSignature, verifySignature, type ReplayStore } from '@switchyard/signing';
import { noLongerRegistered, onlyKey } from '../tasks/caller/registered-key.js';
import { err, type Clock, type Instant, type Result } from '@switchyard/values';

/** A memory of nonces into which others write as well. */
export interface SharedReplayStore extends ReplayStore {
  /** True where the key is so far from its cap that somebody else may claim for it uncounted; counts that claim. */
  leaves(key: string): Promise<boolean>;
}

export interface BrandSignaturesDeps {
  readonly keys: SignerKeys;
  /** Asked once the message has verified: the keys come from a list that is a few seconds old. */
  readonly signers: Pick<SignerDirectory, 'find'>;
  readonly replays: SharedReplayStore;
  readonly clock: Clock;
}

/** A nonce that is still to be claimed, and whose signature it is of: both are asked of the database in one step. */
export interface ClaimedNonce {
  readonly signerId: string;
  readonly key: string;
  readonly nonce: string;
  readonly expiresAt: Instant;
}

/** With `claims`, a verdict holds only once what it was told has been claimed, and the signer found to be there. */
export type BrandVerifier = (principalId: string, claims?: (claimed: ClaimedNonce) => void) => VerifySealed;

/**
 * The verifier for one principal's sealed requests: its own registered keys and nobody else's, so that a token and a
 * signature of two parties never make one request.
 */
export function brandSignatures(deps: BrandSignaturesDeps): BrandVerifier {
  return (principalId, claims) => async (message, profile) => {
    const peeked = peekSignature(message.headers);
    const found: Result<SignerKey, SignerKeyFailure> =
      peeked === undefined ? err({ code: 'key_unknown' }) : await deps.keys.find(peeked.keyid, principalId);
    const verdict = await verifySignature(
      message,
      profile,
      {
        ...onlyKey(found, deps.keys),
        replays: claims !== undefined && found.ok ? deferred(deps, found.value, claims) : deps.replays,
      },
      deps.clock.now(),
    );
    if (!verdict.ok || !found.ok || claims !== undefined) return verdict;
    const { organizationId } = found.value.signer.principal;
    // A key that was taken back a moment ago signs nothing any more.
    const signer = await deps.signers.find({ organizationId }, found.value.signer.id);
    return signer === undefined ? noLongerRegistered(verdict.steps) : verdict;
  };
}

/** Leaves the claim to whoever is told of it, far from the cap; near it every claim counts for itself. */
function deferred(
  { replays }: BrandSignaturesDeps,
  { signer }: SignerKey,
  claims: (claimed: ClaimedNonce) => void,
): ReplayStore {
  return {
    isFull: (key) => replays.isFull(key),
    claim: async (key, nonce, expiresAt) => {
      if (!(await replays.leaves(key))) return 'full';
      claims({ signerId: signer.id, key, nonce, expiresAt });
      return 'claimed';
    },
  };
}
