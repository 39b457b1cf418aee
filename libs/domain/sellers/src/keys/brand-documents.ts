import { err, type Clock, type JsonValue, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { outageOf, type DiscoveryFailure } from './discovery-failure.js';
import { fetchBrandJson } from './fetch-key-documents.js';
import { malformed, pointerOf } from './find-agent.js';

const minute = 60_000;
/**
 * Revocation of these documents may take effect late (docs/protocol/accounts.md#operators-of-a-brand). Buyers wait for
 * them.
 */
const times = { good: 24 * 60 * minute, bad: minute, cooldown: minute };
const timeoutMs = 3_000;
const pointsFurther = 'one document may speak for another, and no third one';

/** Reads the `brand.json` of brands at their own domains. */
export interface BrandDocuments {
  /** `fresh`: fetches again, at most once a minute, for a caller that misses an entry in the document. */
  read(domain: string, freshness?: 'fresh'): Promise<Result<JsonValue, DiscoveryFailure>>;
}

/** Fetches through egress, caches for a day, and follows one pointer to another document; a second one is an error. */
export function createBrandDocuments(egress: Egress, clock: Clock): BrandDocuments {
  const cache = new CachedFetch<JsonValue, DiscoveryFailure>(
    (url) => fetchBrandJson(egress, clock, url, timeoutMs),
    times,
    clock,
  );
  const get = async (url: string, freshness?: 'fresh'): Promise<Result<JsonValue, DiscoveryFailure>> => {
    const again = freshness === 'fresh' ? await cache.refetch(url) : undefined;
    return again?.ok === true ? again : (await cache.get(url)).outcome;
  };
  return {
    read: async (domain, freshness) => {
      if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) {
        const details = { brand_json_url: 'not a domain', ...outageOf({}, clock.now()) };
        return err({ code: 'brand_json_unreachable', details });
      }
      const url = `https://${domain.toLowerCase()}/.well-known/brand.json`;
      const first = await get(url, freshness);
      if (!first.ok) return first;
      const elsewhere = pointerOf(first.value);
      if (!elsewhere.ok) return err(malformed(url, elsewhere.error));
      if (elsewhere.value === undefined) return first;
      if (!elsewhere.value.startsWith('https://'))
        return err(malformed(url, 'it points to no https address'));
      const second = await get(elsewhere.value, freshness);
      if (!second.ok) return second;
      const further = pointerOf(second.value);
      if (!further.ok) return err(malformed(elsewhere.value, further.error));
      return further.value === undefined ? second : err(malformed(elsewhere.value, pointsFurther));
    },
  };
}
