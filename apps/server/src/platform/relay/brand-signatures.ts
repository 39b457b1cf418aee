import type { VerifySealed } from '@switchyard/relay';
import type { SignerKey, SignerKeyFailure, SignerKeys } from '@switchyard/sellers';
import type { SignerDirectory } from '@switchyard/tenancy';
import { peekSignature, signatureCode, verifySignature, type ReplayStore } from '@switchyard/signing';
import { err, ok, type Clock, type Result } from '@switchyard/values';

export interface BrandSignaturesParts {
  readonly keys: SignerKeys;
  /** Asked once the message has verified: the keys come from a list that is a few seconds old. */
  readonly signers: Pick<SignerDirectory, 'find'>;
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
    const found: Result<SignerKey, SignerKeyFailure> =
      peeked === undefined ? err({ code: 'key_unknown' }) : await parts.keys.find(peeked.keyid, principalId);
    const verdict = await verifySignature(
      message,
      profile,
      {
        keys: {
          resolve: () =>
            Promise.resolve(
              found.ok
                ? ok({ jwk: found.value.jwk, agentUrl: found.value.signer.agentUrl })
                : err(found.error.code),
            ),
          explain: () => Promise.resolve(found.ok ? undefined : found.error.why),
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
    if (!verdict.ok || !found.ok) return verdict;
    const { organizationId } = found.value.signer.principal;
    // A key that was taken back a moment ago signs nothing any more.
    const signer = await parts.signers.find({ organizationId }, found.value.signer.id);
    if (signer !== undefined) return verdict;
    const seen = 'the signer was removed since its keys were listed';
    return {
      ok: false,
      code: signatureCode('request', 'key_unknown'),
      fault: 'key_unknown',
      unavailable: false,
      steps: [...verdict.steps, { step: '7', name: 'signer is still registered', ok: false, seen }],
    };
  };
}
