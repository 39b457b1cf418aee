import { readCreative, type Voice } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { creativeHash } from './creative-hash.js';
import type { CreativeDraft } from './creative-library.js';

/** The creatives that packages bring with them, as the library keeps them. The last of one id stands. */
export function inlineCreatives(
  packages: readonly { readonly creatives?: readonly JsonObject[] }[],
  from: Voice,
): CreativeDraft | undefined {
  const inline = packages
    .flatMap(({ creatives }) => creatives ?? [])
    .map((value) => readCreative(value, from.form))
    .filter(({ creativeId }) => creativeId !== '');
  if (inline.length === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  return { creatives, placements: [], archived: [] };
}
