import type { JsonObject } from '../../../api/client.js';
import { isObject, objectsIn, textAt, textsIn } from '../../../api/task.js';
import { clean } from '../../../parts/name.js';
import type { Line } from './basket.js';

/** One price of one product, as a row of the comparison. */
export interface Offer extends Line {
  readonly description: string;
  /** Countries, and names of the signals that it can be aimed with, as its seller says. */
  readonly audience: string;
  readonly channels: readonly string[];
  /** Codes of ISO 3166-1; empty where its seller names none. */
  readonly countries: readonly string[];
  readonly delivery: string;
  readonly publishers: readonly string[];
  readonly model: string;
  /** Why its seller offers it for this brief; empty where the seller says nothing. */
  readonly reason: string;
}

/** The same for the same price of the same product. */
export const keyOf = ({ productId, pricingOptionId }: Offer): string => `${productId} ${pricingOptionId}`;

/** Every price of every product of an answer. Missing members are empty text. */
export function offersIn(answer: JsonObject): readonly Offer[] {
  return objectsIn(answer['products']).flatMap((product) =>
    objectsIn(product['pricing_options']).map((option) => {
      const fixed = textAt(option['fixed_price']) || textAt(option['rate']);
      const floor = textAt(option['floor_price']);
      const isAuction = fixed === '';
      return {
        productId: textAt(product['product_id']),
        // Stored in the basket and used in sentences, so without characters that change the text direction.
        name: clean(textAt(product['name'])),
        description: clean(textAt(product['description']), 2_000),
        audience: [
          ...textsIn(product['countries']),
          ...objectsIn(product['signal_targeting_options']).map((signalTargetingOption) =>
            textAt(signalTargetingOption['name']),
          ),
        ]
          .filter((text) => text !== '')
          .join(', '),
        reason: clean(textAt(product['brief_relevance']), 300),
        seller: sellerOf(product),
        channels: textsIn(product['channels']),
        countries: textsIn(product['countries']),
        delivery: textAt(product['delivery_type']),
        publishers: objectsIn(product['publisher_properties']).map((property) =>
          textAt(property['publisher_domain']),
        ),
        formats: objectsIn(product['format_ids']).map((id) => textAt(id['id'])),
        pricingOptionId: textAt(option['pricing_option_id']),
        model: textAt(option['pricing_model']),
        price: isAuction ? floor : fixed,
        isAuction,
        currency: textAt(option['currency']),
        minimum: textAt(option['min_spend_per_package']),
        budget: '',
        bid: '',
      };
    }),
  );
}

/** Our ids begin with the seller's slug; `ext.switchyard` names it as well. */
export function sellerOf(row: JsonObject): string {
  const ext = isObject(row['ext']) ? row['ext']['switchyard'] : undefined;
  const named = isObject(ext) ? textAt(ext['seller']) : textAt(row['seller']);
  return named || (textAt(row['product_id'] ?? row['proposal_id']).split(':')[0] ?? '');
}

/** The publishers that more than one seller offers: products on the same publisher are the same supply. */
export function sharedSupply(offers: readonly Offer[]): ReadonlySet<string> {
  const sellersOf = new Map<string, Set<string>>();
  for (const { publishers, seller } of offers)
    for (const domain of publishers) {
      if (domain === '' || domain.endsWith('.invalid')) continue;
      sellersOf.set(domain, (sellersOf.get(domain) ?? new Set()).add(seller));
    }
  return new Set([...sellersOf].filter(([, sellers]) => sellers.size > 1).map(([domain]) => domain));
}
