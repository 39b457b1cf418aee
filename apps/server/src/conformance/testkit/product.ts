import type { JsonObject } from '@switchyard/values';

/** A product of 3.x with the members that its schema requires. */
export function product(id: string): JsonObject {
  return {
    product_id: id,
    name: id,
    description: 'A product of the suite',
    publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
    channels: ['display'],
    format_ids: [{ agent_url: 'https://creative.example', id: 'display_300x250' }],
    delivery_type: 'guaranteed',
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  };
}
