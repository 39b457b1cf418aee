import type { Clock, JsonObject, JsonValue, Result } from '@switchyard/values';
import type { Capabilities } from '@switchyard/protocol';
import type { Egress } from '../egress-port.js';
import { createQueriedCapabilities, type QueryCapabilities } from './key-capabilities.js';
import { CachedFetch } from './cached-fetch.js';
import type { DiscoveryFailure } from './discovery-failure.js';
import { fetchBrandJson, fetchJwks, type Jwks } from './fetch-key-documents.js';
import { governanceKeySets } from './find-agent.js';
import type { KeyedConnection } from './key-watch.js';

/** Documents for key discovery, cached for five minutes, which is within the polling interval of revocations. */
export interface KeyDocuments {
  readonly brands: CachedFetch<JsonValue, DiscoveryFailure>;
  readonly keySets: CachedFetch<Jwks, DiscoveryFailure>;
  /**
   * Queries an agent whose capabilities are not known yet. Undefined if it declares nothing, or if no query function is
   * configured.
   */
  capabilitiesOf(connection: KeyedConnection): Promise<Result<Capabilities | undefined, DiscoveryFailure>>;
  /** Keys of the governance agents that a brand.json lists. */
  governanceKeys(brandUrl: string): Promise<ReadonlyMap<string, JsonObject>>;
}

const minute = 60_000;
/** Cache times of all documents for key discovery. */
const documentTimes = {
  good: 5 * minute,
  bad: minute / 2,
  cooldown: minute / 2,
  // One to five seconds, derived from the time of the failure: failures at almost the same time retry at different
  // times.
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
