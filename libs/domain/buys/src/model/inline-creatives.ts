import { readCreative, type Creative, type WireProfile } from '@switchyard/protocol';
import { type JsonObject, canonicalJson } from '@switchyard/values';
import { createHash } from 'node:crypto';
import type { Leg } from './operation.js';
import { placementsBrought } from './creatives-of-leg.js';
import type { CreativeDraft } from './creative-library.js';

interface Bringing {
  readonly creatives?: readonly JsonObject[];
  readonly fromLibrary?: readonly Creative[];
}

/**
 * The creatives that packages contain, as the library stores them, and the sellers that these legs send them
 * to. Of two with one id the last counts. Those from the library stay unchanged in it.
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
  const known = new Set(
    packages.flatMap(({ fromLibrary = [] }) => fromLibrary.map((creative) => creative.creativeId)),
  );
  if (inline.length + known.size === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  const placements = placementsBrought(legs).filter(({ creativeId: id }) => byId.has(id) || known.has(id));
  return { creatives, placements, archived: [] };
}

/** SHA-256 (hex) of a creative as its buyer wrote it. Equal hashes mean equal creatives. */
export function creativeHash({ original }: Pick<Creative, 'original'>): string {
  return createHash('sha256').update(canonicalJson(original.value), 'utf8').digest('hex');
}
