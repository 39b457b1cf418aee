import type { KeyFailure } from '@switchyard/signing';
import type { Clock, JsonObject, JsonValue } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { fetchBrandJson, fetchJwks, type Jwks } from './fetch-key-documents.js';
import { governanceKeySets } from './find-agent.js';

/** Documents that keys are found by, kept for five minutes: within the polling interval of revocations. */
export interface KeyDocuments {
  readonly brands: CachedFetch<JsonValue, KeyFailure>;
  readonly keySets: CachedFetch<Jwks, KeyFailure>;
  /** Keys of the governance agents that a brand.json names. */
  governanceKeys(brandUrl: string): Promise<ReadonlyMap<string, JsonObject>>;
}

const minute = 60_000;
const times = {
  good: 5 * minute,
  bad: minute / 2,
  cooldown: minute / 2,
  // One to five seconds, spread by the instant of the failure itself: many failures of one moment come apart by little.
  firstRetry: (failedAt: number): number => 1_000 + (failedAt % 4_001),
};

export function createKeyDocuments(egress: Egress, clock: Clock): KeyDocuments {
  const brands = new CachedFetch<JsonValue, KeyFailure>((url) => fetchBrandJson(egress, url), times, clock);
  const keySets = new CachedFetch<Jwks, KeyFailure>(
    (url, before) => fetchJwks(egress, url, before),
    times,
    clock,
  );
  return {
    brands,
    keySets,
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
