import { readCreative, type Creative, type WireProfile } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { placementsBrought } from './brought-by-leg.js';
import { creativeHash } from './creative-hash.js';
import type { CreativeDraft } from './creative-library.js';

interface Bringing {
  readonly creatives?: readonly JsonObject[];
  readonly fromLibrary?: readonly Creative[];
}

/**
 * The creatives that packages bring with them, as the library keeps them, and at which sellers these legs put them. The
 * last of one id stands. Those that come from the library are in it as they are.
 */
export function inlineCreatives(
  packages: readonly Bringing[],
  from: WireProfile,
  legs: readonly Leg[],
): CreativeDraft | undefined {
  const inline = packages
    .flatMap(({ creatives }) => creatives ?? [])
    .map((value) => readCreative(value, from.form))
    .filter(({ creativeId }) => creativeId !== '');
  const known = new Set(packages.flatMap(({ fromLibrary = [] }) => fromLibrary.map((one) => one.creativeId)));
  if (inline.length + known.size === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  const placements = placementsBrought(legs).filter(({ creativeId: id }) => byId.has(id) || known.has(id));
  return { creatives, placements, archived: [] };
}
