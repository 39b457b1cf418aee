import { readCreative, type Voice } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from '../operation.js';
import { placementsBrought } from './brought-by-leg.js';
import { creativeHash } from './creative-hash.js';
import type { CreativeDraft } from './creative-library.js';

/**
 * The creatives that packages bring with them, as the library keeps them, and at which sellers these legs put them. The
 * last of one id stands.
 */
export function inlineCreatives(
  packages: readonly { readonly creatives?: readonly JsonObject[] }[],
  from: Voice,
  legs: readonly Leg[],
): CreativeDraft | undefined {
  const inline = packages
    .flatMap(({ creatives }) => creatives ?? [])
    .map((value) => readCreative(value, from.form))
    .filter(({ creativeId }) => creativeId !== '');
  if (inline.length === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  const placements = placementsBrought(legs).filter((one) => byId.has(one.creativeId));
  return { creatives, placements, archived: [] };
}
