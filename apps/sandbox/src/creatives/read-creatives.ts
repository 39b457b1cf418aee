import type { Agent } from '../agent/agent.js';
import type { CatalogueProduct } from '../buys/catalogue.js';
import { creativeAgentUrl, productTakes } from './formats.js';
import { isObject, listOf, textOf, type Json, type JsonObject } from '../json.js';
import { refusal, type Refusal } from '../agent/outcome.js';

type Read = { readonly ids: readonly string[] } | { readonly errors: readonly Refusal[] };

/**
 * The creatives of a package. The `service` form needs exactly one of ids and inline creatives; a 3.x package may have
 * none, and its buy then waits for them. An id is accepted unchecked: its library is not part of this market.
 */
export function readCreatives(agent: Agent, value: JsonObject, at: string, product: CatalogueProduct): Read {
  const inline = listOf(value['creatives']);
  const service = agent.personality.form === 'service';
  const idsField = service ? 'creative_ids' : 'creative_assignments';
  const ids = listOf(value[idsField]);
  if (service && (ids === undefined) === (inline === undefined)) {
    const message = 'exactly one of creative_ids and creatives is required';
    return { errors: [refusal('INVALID_REQUEST', message, `${at}.creative_ids`)] };
  }
  const assigned = (ids ?? []).map((item) => (isObject(item) ? textOf(item['creative_id']) : textOf(item)));
  if (assigned.includes(undefined)) {
    return { errors: [refusal('INVALID_REQUEST', 'a creative needs an id', `${at}.${idsField}`)] };
  }
  const found = assigned.filter((id): id is string => id !== undefined);
  for (const [index, creative] of (inline ?? []).entries()) {
    const read = readCreative(agent, creative, `${at}.creatives[${String(index)}]`, product);
    if (typeof read !== 'string') return read;
    found.push(read);
  }
  if (service && found.length === 0) {
    return { errors: [refusal('INVALID_REQUEST', 'a package needs a creative', `${at}.creatives`)] };
  }
  return { ids: found };
}

function readCreative(
  agent: Agent,
  creative: Json,
  at: string,
  product: CatalogueProduct,
): string | { readonly errors: readonly Refusal[] } {
  const id = isObject(creative) ? textOf(creative['creative_id']) : undefined;
  if (!isObject(creative) || id === undefined) {
    return { errors: [refusal('INVALID_REQUEST', 'a creative needs a creative_id', `${at}.creative_id`)] };
  }
  const format = creative['format_id'];
  if (!isObject(format) || !productTakes(agent, product, format)) {
    const advice = `Use one of ${product.formatIds.join(', ')} of ${creativeAgentUrl}.`;
    return {
      errors: [
        refusal('CREATIVE_REJECTED', 'the product does not take this format', `${at}.format_id`, advice),
      ],
    };
  }
  if (!isObject(creative['assets'])) {
    return { errors: [refusal('CREATIVE_REJECTED', 'a creative needs its assets', `${at}.assets`)] };
  }
  return id;
}
