import type { Product } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

export const original = { form: '3.1' as const, value: {} };

/** A live connection to a seller in memory. */
export const connectionOf = (slug: string, more: Partial<Connection> = {}): Connection => ({
  id: `id-${slug}`,
  organizationId: 'acme',
  slug,
  name: slug,
  agentUrl: `https://${slug}.example/mcp`,
  protocol: 'mcp',
  dialect: 'ads',
  configuredForm: 'service',
  form: 'service',
  kinds: ['sales'],
  state: 'live',
  credentialId: `credential-${slug}`,
  legacyWebhooks: false,
  isSandbox: false,
  ...more,
});

/** A product without prices, filters or formats. */
export const product = (productId: string, more: Partial<Product> = {}): Product => ({
  productId,
  name: productId,
  description: '',
  deliveryType: 'guaranteed',
  channels: [],
  formatIds: [],
  publisherProperties: [],
  pricingOptions: [],
  reportingFrequencies: [],
  isCustom: false,
  original,
  ...more,
});
