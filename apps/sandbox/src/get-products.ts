import type { Agent, Caller } from './agent.js';
import { matching, type CatalogueProduct } from './catalogue.js';
import { objectOf, textOf, textsOf, type JsonObject } from './json.js';
import { done, refuse, type Outcome } from './outcome.js';
import { showProduct } from './show-product.js';

/** The products that fit the brief. Anybody sees the standard ones, without prices. */
export function getProducts(agent: Agent, args: JsonObject, caller: Caller): Outcome {
  const brief = textOf(args['brief']);
  const mode = textOf(args['buying_mode']);
  if (agent.personality.form !== 'service') {
    if (mode !== 'brief' && mode !== 'wholesale') {
      return refuse('INVALID_REQUEST', 'buying_mode is brief or wholesale', 'buying_mode');
    }
    if (mode === 'brief' && brief === undefined)
      return refuse('INVALID_REQUEST', 'a brief is required', 'brief');
    if (mode === 'wholesale' && brief !== undefined) {
      return refuse('INVALID_REQUEST', 'wholesale takes no brief', 'brief');
    }
  }
  const filters = objectOf(args['filters']) ?? {};
  const offered = agent.products.filter(
    (product) => (caller === 'known' || !product.custom) && passes(product, filters),
  );
  const products = matching(offered, brief).map((product) => showProduct(agent, product, caller));
  if (agent.personality.form !== '3.1') return done({ products });
  return done({ products, cache_scope: caller === 'known' ? 'account' : 'public' });
}

function passes(product: CatalogueProduct, filters: JsonObject): boolean {
  const channels = textsOf(filters['channels']);
  if (channels && !channels.includes(product.channel)) return false;
  const delivery = textOf(filters['delivery_type']);
  if (delivery !== undefined && (delivery === 'guaranteed') !== product.guaranteed) return false;
  const types = textsOf(filters['format_types']);
  return !types || types.some((type) => product.formatIds.some((id) => id.startsWith(type)));
}
