import { createHash } from 'node:crypto';
import { isPublishedTestKey } from '@switchyard/signing';
import { canonicalJson, defined, ok, type Result } from '@switchyard/values';
import { discoverKeySet } from './discover-key-set.js';
import type { DiscoveryFailure } from './discovery-failure.js';
import { findKeySet, type KeySetDeps } from './find-key-set.js';
import type { KeyedConnection } from './key-watch.js';
import type { PublisherPins } from './publisher-pins.js';

/** What a seller publishes about its keys, read from the documents that verifying its messages uses. */
export interface KeyInspection {
  readonly jwksUri: string;
  /** The brand.json that names them; absent for an address that an admin pinned. */
  readonly brandUrl?: string;
  /** At most 50, without those whose private half is published. */
  readonly kids: readonly string[];
  /** How many of them anybody can sign with. */
  readonly published: number;
  /** Kids that a publisher's pins refuse; undefined if no publisher pins keys of this agent. */
  readonly refusedByPins: readonly string[] | undefined;
  /** SHA-256 of the key set, in hex. */
  readonly sha256: string;
}

const mostKids = 50;

export async function inspectKeys(
  deps: KeySetDeps & { readonly pins: PublisherPins; readonly trustsTestKeys: boolean },
  connection: KeyedConnection,
): Promise<Result<KeyInspection, DiscoveryFailure>> {
  const found =
    connection.pinnedJwksUri === undefined ? await discoverKeySet(deps.documents, connection) : undefined;
  if (found?.ok === false) return found;
  const jwksUri = await findKeySet(deps, connection);
  if (!jwksUri.ok) return jwksUri;
  const { outcome } = await deps.documents.keySets.get(jwksUri.value);
  if (!outcome.ok) return outcome;
  const all = [...outcome.value];
  const own = all.filter(([, jwk]) => deps.trustsTestKeys || !isPublishedTestKey(jwk));
  const kids = own.slice(0, mostKids).map(([kid]) => kid);
  const publishers = connection.capabilities?.publisherDomains ?? [];
  const judged = await Promise.all(
    kids.map(async (kid) => ({ kid, pin: await deps.pins.find(publishers, connection.agentUrl, kid) })),
  );
  // A kid that is neither pinned nor refused has no publisher that pins.
  const isPinned = judged.some(({ pin }) => !pin.ok || pin.value !== undefined);
  return ok({
    jwksUri: jwksUri.value,
    ...defined({ brandUrl: found?.value.brandUrl }),
    kids,
    published: all.length - own.length,
    refusedByPins: isPinned ? judged.flatMap(({ kid, pin }) => (pin.ok ? [] : [kid])) : undefined,
    sha256: createHash('sha256')
      .update(canonicalJson(all.map(([, jwk]) => jwk)))
      .digest('hex'),
  });
}
