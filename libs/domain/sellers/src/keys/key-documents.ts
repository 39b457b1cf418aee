import type { Clock, JsonObject, JsonValue, Result } from '@switchyard/values';
import type { Capabilities } from '@switchyard/protocol';
import type { Egress } from '../egress-port.js';
import { createQueriedCapabilities, type QueryCapabilities } from './key-capabilities.js';
import { CachedFetch } from './cached-fetch.js';
import type { DiscoveryFailure } from './discovery-failure.js';
import { fetchBrandJson, fetchJwks, type Jwks } from './fetch-key-documents.js';
import { governanceKeySets } from './find-agent.js';
import type { KeyedConnection } from './key-watch.js';

/** Documents that keys are found by, kept for five minutes: within the polling interval of revocations. */
export interface KeyDocuments {
  readonly brands: CachedFetch<JsonValue, DiscoveryFailure>;
  readonly keySets: CachedFetch<Jwks, DiscoveryFailure>;
  /**
   * What an agent says of itself, of which nothing is known yet; undefined for one that says nothing, and where there
   * is nobody to ask it.
   */
  capabilitiesOf(connection: KeyedConnection): Promise<Result<Capabilities | undefined, DiscoveryFailure>>;
  /** Keys of the governance agents that a brand.json names. */
  governanceKeys(brandUrl: string): Promise<ReadonlyMap<string, JsonObject>>;
}

const minute = 60_000;
/** How long anything is kept that keys are found by, and how soon it is asked for again. */
export const documentTimes = {
  good: 5 * minute,
  bad: minute / 2,
  cooldown: minute / 2,
  // One to five seconds, spread by the instant of the failure itself: many failures of one moment come apart by little.
  firstRetry: (failedAt: number): number => 1_000 + (failedAt % 4_001),
};

export function createKeyDocuments(
  egress: Egress,
  clock: Clock,
  queryCapabilities?: QueryCapabilities,
): KeyDocuments {
  const brands = new CachedFetch<JsonValue, DiscoveryFailure>(
    (url) => fetchBrandJson(egress, clock, url),
    documentTimes,
    clock,
  );
  const keySets = new CachedFetch<Jwks, DiscoveryFailure>(
    (url, before) => fetchJwks(egress, clock, url, before),
    documentTimes,
    clock,
  );
  return {
    brands,
    keySets,
    capabilitiesOf: createQueriedCapabilities(queryCapabilities, documentTimes, clock),
    governanceKeys: async (brandUrl) => {
      const { outcome } = await brands.get(brandUrl);
      const found = new Map<string, JsonObject>();
      for (const address of outcome.ok ? governanceKeySets(outcome.value) : []) {
        const keys = (await keySets.get(address)).outcome;
        for (const [kid, jwk] of keys.ok ? keys.value : []) if (!found.has(kid)) found.set(kid, jwk);
      }
      return found;
    },
  };
}
