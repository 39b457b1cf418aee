import type { SignerKey, SignerKeyFailure, SignerKeys } from '@switchyard/sellers';
import { signatureCode, type NotVerified, type VerifierPorts } from '@switchyard/signing';
import { err, ok, type Result } from '@switchyard/values';

/** The one key found for a message in the form of the verifier, or why none was found. */
export function onlyKey(
  found: Result<SignerKey, SignerKeyFailure>,
  keys: Pick<SignerKeys, 'status'>,
): Pick<VerifierPorts, 'keys' | 'revocations'> {
  return {
    keys: {
      resolve: () =>
        Promise.resolve(
          found.ok
            ? ok({ jwk: found.value.jwk, agentUrl: found.value.signer.agentUrl })
            : err(found.error.code),
        ),
      explain: () => Promise.resolve(found.ok ? undefined : found.error.why),
      allowsRsaPss: () => found.ok && allowsRsaPss(found.value),
    },
    revocations: {
      status: (keyid) => (found.ok ? keys.status(found.value.signer, keyid) : Promise.resolve('ok')),
    },
  };
}

/**
 * RSA is for signers whose registration allows it, and for keys that are marked for it
 * (docs/protocol/signing.md#algorithms).
 */
export function allowsRsaPss({ signer, jwk }: SignerKey): boolean {
  return signer.allowsRsaPss && jwk['alg'] === 'PS512';
}

/** The caller gets the answer for an unknown key; the steps show the operator the reason. */
export function noLongerRegistered(steps: NotVerified['steps']): NotVerified {
  const seen = 'the signer was removed, or its principal switched off, since its keys were listed';
  return {
    ok: false,
    code: signatureCode('request', 'key_unknown'),
    fault: 'key_unknown',
    unavailable: false,
    steps: [...steps, { step: '7', name: 'signer is still registered', ok: false, seen }],
  };
}
