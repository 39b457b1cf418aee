import type { VerifySealed } from '@switchyard/relay';
import type { SignerKey, SignerKeys } from '@switchyard/sellers';
import { peekSignature, verifySignature, type KeyFailure, type ReplayStore } from '@switchyard/signing';
import { err, ok, type Clock, type Result } from '@switchyard/values';

export interface BrandSignaturesParts {
  readonly keys: SignerKeys;
  readonly replays: ReplayStore;
  readonly clock: Clock;
}

/**
 * The verifier for one principal's sealed requests: its own registered keys and nobody else's, so that a token and a
 * signature of two parties never make one request.
 */
export function brandSignatures(parts: BrandSignaturesParts): (principalId: string) => VerifySealed {
  return (principalId) => async (message, profile) => {
    const peeked = peekSignature(message.headers);
    const found: Result<SignerKey, KeyFailure> =
      peeked === undefined ? err('key_unknown') : await parts.keys.find(peeked.keyid, principalId);
    return verifySignature(
      message,
      profile,
      {
        keys: {
          resolve: () =>
            Promise.resolve(
              found.ok ? ok({ jwk: found.value.jwk, agentUrl: found.value.signer.agentUrl }) : found,
            ),
          allowsRsaPss: () =>
            found.ok && found.value.signer.allowsRsaPss && found.value.jwk['alg'] === 'PS512',
        },
        replays: parts.replays,
        revocations: {
          status: (keyid) =>
            found.ok ? parts.keys.status(found.value.signer, keyid) : Promise.resolve('ok'),
        },
      },
      parts.clock.now(),
    );
  };
}
