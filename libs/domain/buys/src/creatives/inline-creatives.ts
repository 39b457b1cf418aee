import { readCreative, type CreateMediaBuyRequest } from '@switchyard/protocol';
import type { Voice } from '@switchyard/protocol';
import { creativeHash } from './creative-hash.js';
import type { CreativeDraft } from './creative-library.js';

/** The creatives that a buy brings with its packages, as the library keeps them. The last of one id stands. */
export function inlineCreatives(
  request: Pick<CreateMediaBuyRequest, 'packages'>,
  from: Voice,
): CreativeDraft | undefined {
  const inline = request.packages
    .flatMap(({ creatives }) => creatives ?? [])
    .map((value) => readCreative(value, from.form))
    .filter(({ creativeId }) => creativeId !== '');
  if (inline.length === 0) return undefined;
  const byId = new Map(inline.map((creative) => [creative.creativeId, creative]));
  const creatives = [...byId.values()].map((creative) => ({ creative, bodyHash: creativeHash(creative) }));
  return { creatives, placements: [], archived: [] };
}
