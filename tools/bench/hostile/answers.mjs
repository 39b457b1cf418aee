/** A seller's answer to `get_products`: a short catalogue, or a message that tries to block its reader. */

/** A product of a benchmark seller. */
export const productOf = (id, more = {}) => ({
  product_id: id,
  name: `Product ${id}`,
  description: 'A product of the farm.',
  publisher_properties: [{ publisher_domain: 'farm.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display_300x250' }],
  delivery_type: 'non_guaranteed',
  channels: ['display'],
  pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5.5 }],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 60,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
  },
  ...more,
});
const products = (count, more) => Array.from({ length: count }, (_, at) => productOf(`p${at}`, more?.(at)));
const members = (count, name = 'm') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, at]));
const nested = (levels) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** The text of the answer to `get_products`, by its kind. */
const kinds = {
  short: () => JSON.stringify({ status: 'completed', products: products(2) }),
  deep: () => `{"status":"completed","products":[],"ext":${nested(2_000)}}`,
  'many members': () => JSON.stringify({ status: 'completed', products: products(2), ext: members(400_000) }),
  'members at the cap': () =>
    JSON.stringify({
      status: 'completed',
      products: products(1_000, (at) => ({ ext: members(120, `m${at}_`) })),
    }),
  'strange members': () =>
    JSON.stringify({ status: 'completed', products: products(2), ext: members(19_000) }),
  'large items': () =>
    JSON.stringify({
      status: 'completed',
      products: products(8, (at) => ({ ext: members(19_000, `m${at}_`) })),
    }),
  'many products': () => JSON.stringify({ status: 'completed', products: products(12_000) }),
  'products at the cap': () => JSON.stringify({ status: 'completed', products: products(5_000) }),
  'a thousand products': () => JSON.stringify({ status: 'completed', products: products(1_000) }),
  'odd products': () =>
    JSON.stringify({ status: 'completed', products: Array.from({ length: 5_000 }, () => ({ odd: true })) }),
  'long texts': () =>
    JSON.stringify({
      status: 'completed',
      products: products(100, () => ({ description: 'x'.repeat(38_000) })),
    }),
  proposals: () =>
    JSON.stringify({
      status: 'completed',
      products: products(2),
      proposals: Array.from({ length: 1_500 }, (_, at) => ({
        proposal_id: `q${at}`,
        name: 'q',
        allocations: [],
      })),
    }),
};
const texts = new Map();
/** The text of that kind of answer, made once. */
export const textOf = (kind) => {
  if (!texts.has(kind)) texts.set(kind, kinds[kind]());
  return texts.get(kind);
};
