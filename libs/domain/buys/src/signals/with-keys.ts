import type { Finding } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { OfferKeys } from './offer-keys.js';

/** Replaces every signal in the targeting of a request's parts by the seller's own key. */
export function withKeys<Part extends { readonly targetingOverlay?: JsonObject }>(
  parts: readonly Part[],
  seller: Connection,
  offerKeys: OfferKeys,
): { readonly requests: readonly Part[]; readonly findings: readonly Finding[] } {
  const keyed = parts.map((part) => {
    if (part.targetingOverlay === undefined) return { part, findings: [] };
    const { targeting, findings } = offerKeys(part.targetingOverlay, seller);
    return { part: { ...part, targetingOverlay: targeting }, findings };
  });
  const received = new Map(keyed.flatMap(({ findings }) => findings).map((one) => [one.message, one]));
  return { requests: keyed.map(({ part }) => part), findings: [...received.values()] };
}
