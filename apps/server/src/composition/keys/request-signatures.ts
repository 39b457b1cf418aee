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
import { principalCaller } from '../../tasks/caller/principal-caller.js';
import { allowsRsaPss, noLongerRegistered, onlyKey } from '../../tasks/caller/registered-key.js';
import type { ClaimedBy, RequestSignatures } from '../../tasks/caller/request-signatures.js';
import type { RefusalLog } from '../webhooks/keep-refusals.js';
import type { KeyAlarms } from './key-alarms.js';

export interface RequestSignaturesDeps {
  readonly keys: SignerKeys;
  /** Asked once the message has verified: the keys come from a list that is a few seconds old. */
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
        tell(deps, message, verdict, {
          keyid: peeked?.keyid,
          signer: found.ok ? found.value : undefined,
          claimed,
        });
        return err(verdict.code);
      }
      if (!found.ok) throw new Error('A request verified without a key.');
      const { keyid, agentUrl } = verdict.signer;
      const { organizationId } = found.value.signer.principal;
      // Removed, switched off or given other permissions a moment ago: that holds for this very request.
      const signer = await deps.signers.find({ organizationId }, found.value.signer.id);
      if (signer === undefined) {
        const gone = noLongerRegistered(verdict.steps);
        tell(deps, message, gone, { keyid, signer: found.value, claimed });
        return err(gone.code);
      }
      // Who signs beside a token of ours holds both: from now on the key tells of this organization by itself.
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

/** Whether a message is of this key, for choosing one: nothing is claimed and no list is asked. */
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
  /** By the key that it names: nobody has proved that he holds it. */
  readonly signer: SignerKey | undefined;
  /** By a token that holds. */
  readonly claimed: ClaimedBy | undefined;
}

/**
 * Keeps why, for the tenant whose it is: of the token's holder, else of whoever the named key is registered for. That
 * a stranger names somebody's key does not make him known: he counts among strangers.
 */
function tell(
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
