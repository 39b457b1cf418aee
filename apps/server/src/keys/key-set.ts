import type { PublishedKey } from '@switchyard/signing';
import { isoOf, type JsonObject } from '@switchyard/values';

/** `current`: keys whose signatures may be new. `retired`: keys that only documents of the past are verified with. */
export type KeySetState = 'current' | 'retired';

/**
 * The keys of this installation as they are published, each with its owner in the member `switchyard`
 * (docs/ledger.md#who-signed). An organization is named by its domain, and only if it has proved it: a domain that it
 * only claims may be another's. `isLocal`: the set is for this machine alone, so a claim misleads nobody.
 */
export function keySet(
  keys: readonly PublishedKey[],
  state: KeySetState,
  isLocal: boolean,
): readonly JsonObject[] {
  return keys
    .filter(({ retiredAt }) => (retiredAt === undefined) === (state === 'current'))
    .map((key) => memberOf(key, isLocal));
}

function memberOf(key: PublishedKey, isLocal: boolean): JsonObject {
  const { publicJwk, domain, isDomainProved, signsRequests, signsProofs, retiredAt } = key;
  const owner = {
    ...((isDomainProved || isLocal) && { organization: domain }),
    signs: [...(signsRequests ? ['requests'] : []), ...(signsProofs ? ['proofs'] : [])],
  };
  if (retiredAt === undefined) return { ...publicJwk, switchyard: owner };
  // Without its use no verifier of requests takes a retired key, wherever it finds the set.
  const { use: _use, key_ops: _operations, ads_use: formerUse, adcp_use: _other, ...rest } = publicJwk;
  return {
    ...rest,
    switchyard: { ...owner, former_use: formerUse ?? null, retired_at: isoOf(retiredAt) },
  };
}
