import { dialects, type Dialect } from '@switchyard/protocol';
import type { SignerKey, SignerKeys } from '@switchyard/sellers';
import {
  peekSignature,
  requestProfile,
  verifySignature,
  type KeyFailure,
  type ReplayStore,
  type RevocationSource,
} from '@switchyard/signing';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import type { RequestSignatures } from '../application/request-signatures.js';

export interface RequestSignaturesParts {
  readonly keys: SignerKeys;
  readonly replays: ReplayStore;
  readonly revocations: RevocationSource;
  readonly clock: Clock;
}

/**
 * Verifies requests by the keys of registered signers, in the dialect of the key (ruling 1): the key is looked up
 * first, because one verifier accepts one tag.
 */
export function createRequestSignatures(parts: RequestSignaturesParts): RequestSignatures {
  return {
    verify: async (message, claimed) => {
      const peeked = peekSignature(message.headers);
      const found: Result<SignerKey, KeyFailure> =
        peeked === undefined ? err('key_unknown') : await parts.keys.find(peeked.keyid, claimed);
      const dialect = found.ok ? dialectOf(found.value) : dialectOfTag(peeked?.tag);
      const names = dialects[dialect];
      const profile = requestProfile({
        requestTag: names.requestTag,
        webhookTag: names.webhookTag,
        useMember: names.keyUseMember,
      });
      const verdict = await verifySignature(
        message,
        profile,
        {
          keys: {
            resolve: () =>
              Promise.resolve(
                found.ok ? ok({ jwk: found.value.jwk, agentUrl: found.value.signer.agentUrl }) : found,
              ),
            allowsRsaPss: () => found.ok && allowsRsaPss(found.value),
          },
          replays: parts.replays,
          revocations: parts.revocations,
        },
        parts.clock.now(),
      );
      if (!verdict.ok) return err(verdict.code);
      if (!found.ok) throw new Error('A request verified without a key.');
      const { keyid, agentUrl } = verdict.signer;
      const { principal } = found.value.signer;
      return ok({
        principal: {
          kind: 'principal',
          organizationId: principal.organizationId,
          principalId: principal.id,
          name: principal.name,
          principalKind: principal.kind,
          permissions: principal.permissions,
          transitional: principal.transitional,
          legacy: principal.legacy,
        },
        signedBy: { keyid, agentUrl, dialect },
      });
    },
  };
}

/** Of a key that is marked for both dialects, its registration tells. */
function dialectOf({ jwk, signer }: SignerKey): Dialect {
  const marked = (['ads', 'adcp'] as const).filter((one) => jwk[dialects[one].keyUseMember] !== undefined);
  const [only] = marked;
  return only !== undefined && marked.length === 1 ? only : signer.dialect;
}

/** An unknown key is refused in the dialect that its signer speaks, so that the code says what is wrong. */
function dialectOfTag(tag: string | undefined): Dialect {
  return tag === dialects.adcp.requestTag ? 'adcp' : 'ads';
}

/** RSA is for signers whose own key set was handed to us with such a key in it (ruling 26). */
function allowsRsaPss({ signer, jwk }: SignerKey): boolean {
  return signer.keys.kind === 'document' && jwk['alg'] === 'PS512';
}
