import type { VerifySealed } from '@switchyard/relay';
import type { SignerKey, SignerKeyFailure, SignerKeys } from '@switchyard/sellers';
import type { SignerDirectory } from '@switchyard/tenancy';
import {
  peekSignature,
  verifySignature,
  type ReplayStore,
  type SharedReplayStore,
  type UnclaimedNonce,
} from '@switchyard/signing';
import { noLongerRegistered, onlyKey } from '../../keys/index.js';
import { err, type Clock, type Result } from '@switchyard/values';

interface BrandSignaturesDeps {
  readonly keys: SignerKeys;
  /** Read after the message has verified, because the list that gave the key may be a few seconds old. */
  readonly signers: Pick<SignerDirectory, 'find'>;
  readonly replays: SharedReplayStore;
  readonly clock: Clock;
}

/** A nonce still to claim, and its signer: the database checks both in one step. */
export interface ClaimedNonce extends UnclaimedNonce {
  readonly signerId: string;
}

/** With `claims`, a verdict is valid only once the reported nonce is claimed and the signer still exists. */
export type BrandVerifier = (principalId: string, claims?: (claimed: ClaimedNonce) => void) => VerifySealed;

/**
 * The verifier for one principal's sealed requests: by its own registered keys alone, so that a token and a signature
 * of two parties never make one request.
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
    // A key that was removed a moment ago is no longer valid.
    const signer = await deps.signers.find({ organizationId }, found.value.signer.id);
    return signer === undefined ? noLongerRegistered(verdict.steps) : verdict;
  };
}

/** Far from the cap, leaves the claim to the caller of `claims`; near it, claims each nonce itself. */
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
