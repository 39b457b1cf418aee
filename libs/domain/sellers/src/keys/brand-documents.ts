import type { KeyFailure } from '@switchyard/signing';
import { err, ok, type Clock, type JsonValue, type Result } from '@switchyard/values';
import type { Egress } from '../egress-port.js';
import { CachedFetch } from './cached-fetch.js';
import { fetchBrandJson } from './fetch-key-documents.js';
import { pointerOf } from './find-agent.js';

const minute = 60_000;
/** A trust input whose revocation is eventual (signing-webhooks 6.3), and which a buyer waits for. */
const times = { good: 24 * 60 * minute, bad: minute, cooldown: minute };
const patienceMs = 3_000;

/** What brands say of themselves at their own domains. */
export interface BrandDocuments {
  /** `fresh`: fetched again if the copy is older than a minute, for whoever misses something in it. */
  read(domain: string, wish?: 'fresh'): Promise<Result<JsonValue, KeyFailure>>;
}

/** Fetched through the one door out, kept for a day; one pointer to another document is followed, and no second one. */
export function createBrandDocuments(egress: Egress, clock: Clock): BrandDocuments {
  const cache = new CachedFetch<JsonValue, KeyFailure>(
    (url) => fetchBrandJson(egress, url, patienceMs),
    times,
    clock,
  );
  const get = async (url: string, wish?: 'fresh'): Promise<Result<JsonValue, KeyFailure>> => {
    const again = wish === 'fresh' ? await cache.refetch(url) : undefined;
    return again?.ok === true ? again : (await cache.get(url)).outcome;
  };
  return {
    read: async (domain, wish) => {
      if (!/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) return err('brand_json_unreachable');
      const first = await get(`https://${domain.toLowerCase()}/.well-known/brand.json`, wish);
      if (!first.ok) return first;
      const elsewhere = pointerOf(first.value);
      if (!elsewhere.ok || elsewhere.value === undefined) return elsewhere.ok ? first : elsewhere;
      if (!elsewhere.value.startsWith('https://')) return err('brand_json_malformed');
      const second = await get(elsewhere.value, wish);
      if (!second.ok) return second;
      const further = pointerOf(second.value);
      return further.ok && further.value === undefined ? ok(second.value) : err('brand_json_malformed');
    },
  };
}
