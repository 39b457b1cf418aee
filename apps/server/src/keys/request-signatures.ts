import { dialects, type Dialect } from '@switchyard/protocol';
import type { SignerKey, SignerKeyFailure, SignerKeys } from '@switchyard/sellers';
import {
  keyThumbprint,
  memoryReplayStore,
  peekSignature,
  requestProfile,
  verifySignature,
  type NotVerified,
  type ReceivedMessage,
  type ReplayStore,
} from '@switchyard/signing';
import type { SignerDirectory } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { principalCaller } from '../platform/caller/principal-caller.js';
import { allowsRsaPss, noLongerRegistered, onlyKey } from './registered-key.js';
import type { ClaimedBy, RequestSignatures } from '../platform/caller/request-signatures.js';
import type { RefusalLog } from './record-refusals.js';
import type { KeyAlarms } from './key-alarms.js';

interface RequestSignaturesDeps {
  readonly keys: SignerKeys;
  /** Read after the message has verified, because the list that gave the key may be a few seconds old. */
  readonly signers: Pick<SignerDirectory, 'find' | 'prove'>;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  readonly alarms: Pick<KeyAlarms, 'sighted' | 'rateAbused'>;
  readonly refusals: Pick<RefusalLog, 'note'>;
}

/**
 * Verifies requests by the keys of registered signers, in the dialect of the key
 * (docs/protocol/requests-and-versions.md#dialects): the key is looked up first, because one verifier accepts one tag.
 */
export function createRequestSignatures(deps: RequestSignaturesDeps): RequestSignatures {
  return {
    verify: async (message, claimed) => {
      const peeked = peekSignature(message.headers);
      const found: Result<SignerKey, SignerKeyFailure> =
        peeked === undefined
          ? err({ code: 'key_unknown' })
          : await deps.keys.find(peeked.keyid, claimed?.principalId, (key) =>
              verifies(message, key, deps.clock.now()),
            );
      const dialect = found.ok ? dialectOf(found.value) : dialectOfTag(peeked?.tag);
      const profile = profileOf(dialect);
      const verdict = await verifySignature(
        message,
        profile,
        { ...onlyKey(found, deps.keys), replays: deps.replays },
        deps.clock.now(),
      );
      if (!verdict.ok) {
        notify(deps, message, verdict, {
          keyid: peeked?.keyid,
          signer: found.ok ? found.value : undefined,
          claimed,
        });
        return err(verdict.code);
      }
      if (!found.ok) throw new Error('A request verified without a key.');
      const { keyid, agentUrl } = verdict.signer;
      const { organizationId } = found.value.signer.principal;
      // A signer that was removed, disabled or changed a moment ago is refused in this request already.
      const signer = await deps.signers.find({ organizationId }, found.value.signer.id);
      if (signer === undefined) {
        const gone = noLongerRegistered(verdict.steps);
        notify(deps, message, gone, { keyid, signer: found.value, claimed });
        return err(gone.code);
      }
      // A caller that signs and sends our token holds both: from now on the key alone identifies this organization.
      const thumbprint = keyThumbprint(found.value.jwk);
      if (claimed?.byToken === true && signer.provedKeys?.includes(thumbprint) !== true)
        await deps.signers.prove({ organizationId }, signer.id, thumbprint);
      deps.alarms.sighted(organizationId, { surface: 'request', agentUrl, keyid });
      return ok({
        principal: principalCaller(signer.principal),
        signedBy: { keyid, agentUrl, dialect },
      });
    },
  };
}

function profileOf(dialect: Dialect) {
  const { requestTag, webhookTag, keyUseMember } = dialects[dialect];
  return requestProfile({ requestTag, webhookTag, useMember: keyUseMember });
}

/** Whether this key signed the message, to choose between keys: claims no nonce and reads no revocation list. */
async function verifies(message: ReceivedMessage, key: SignerKey, at: Instant): Promise<boolean> {
  const verdict = await verifySignature(
    message,
    profileOf(dialectOf(key)),
    {
      keys: {
        resolve: () => Promise.resolve(ok({ jwk: key.jwk, agentUrl: key.signer.agentUrl })),
        allowsRsaPss: () => allowsRsaPss(key),
      },
      replays: memoryReplayStore(1, () => at),
      revocations: { status: () => Promise.resolve('ok' as const) },
    },
    at,
  );
  return verdict.ok;
}

interface KnownOfIt {
  readonly keyid: string | undefined;
  /** By the key that the message names, without proof of possession. */
  readonly signer: SignerKey | undefined;
  /** By a valid token. */
  readonly claimed: ClaimedBy | undefined;
}

/**
 * Records the reason for the tenant concerned: that of the token's holder, else that of the named key's registration. A
 * stranger who names somebody's key stays a stranger.
 */
function notify(
  { alarms, refusals }: RequestSignaturesDeps,
  { method, url }: ReceivedMessage,
  { code, fault, steps, signer: proved }: NotVerified,
  { keyid, signer, claimed }: KnownOfIt,
): void {
  const organizationId = claimed?.organizationId ?? signer?.signer.principal.organizationId;
  if (fault === 'rate_abuse' && signer !== undefined && keyid !== undefined) {
    alarms.rateAbused(signer.signer.principal.organizationId, keyid, signer.signer.agentUrl);
  }
  const principalName = claimed?.name ?? signer?.signer.principal.name;
  refusals.note({
    code,
    method,
    url,
    steps,
    isStranger: claimed === undefined && proved === undefined,
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(keyid === undefined ? {} : { keyid }),
    ...(signer === undefined ? {} : { agentUrl: signer.signer.agentUrl }),
    ...(principalName === undefined ? {} : { principalName }),
  });
}

/** The registration decides for a key that is marked for both dialects. */
function dialectOf({ jwk, signer }: SignerKey): Dialect {
  const marked = (['ads', 'adcp'] as const).filter(
    (dialect) => jwk[dialects[dialect].keyUseMember] !== undefined,
  );
  const [only] = marked;
  return only !== undefined && marked.length === 1 ? only : signer.dialect;
}

/** An unknown key is refused in its signer's dialect, so that the signer understands the error code. */
function dialectOfTag(tag: string | undefined): Dialect {
  return tag === dialects.adcp.requestTag ? 'adcp' : 'ads';
}
