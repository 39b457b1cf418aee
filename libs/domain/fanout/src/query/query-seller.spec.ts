import { describe, expect, it } from '@jest/globals';
import { getProducts, type GetProductsAnswer, type GetProductsRequest } from '@switchyard/protocol';
import type { Connection, SellerTransport } from '@switchyard/sellers';
import { ok, type JsonObject } from '@switchyard/values';
import { querySeller, type SellerQuestion } from './query-seller.js';

const connection: Connection = {
  id: 'id-acme',
  organizationId: 'agency',
  slug: 'acme',
  name: 'Acme',
  agentUrl: 'https://acme.example/mcp',
  protocol: 'mcp',
  dialect: 'ads',
  configuredForm: '3.1',
  form: '3.1',
  kinds: ['sales'],
  state: 'live',
  legacyWebhooks: false,
  isSandbox: false,
};

const product = (id: string): JsonObject => ({
  product_id: id,
  name: id,
  description: 'A product.',
  pricing_options: [{ pricing_option_id: 'p', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display' }],
});

const pages: readonly JsonObject[] = [
  { products: [product('one')], pagination: { has_more: true, cursor: 'b' }, told_on_all: 1 },
  { products: [product('two')], pagination: { has_more: true, cursor: 'c' }, told_on_all: 2 },
  { products: [product('three'), {}], pagination: { has_more: false }, told_on_all: 3, told_at_last: 4 },
];

function asking(answers: readonly JsonObject[]): SellerQuestion<GetProductsRequest, GetProductsAnswer> {
  const left = [...answers];
  const transport: SellerTransport = {
    call: () => Promise.resolve(ok({ payload: left.shift() ?? {}, isError: false })),
    listTools: () => Promise.resolve(ok({})),
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return {
    spec: getProducts,
    connection,
    tool: 'get_products',
    projected: { args: { brief: 'Coffee' }, findings: [] },
    transport,
    count: ({ products }) => products.length,
    signal: new AbortController().signal,
    mayRead: () => true,
    pages: {
      cursorOf: ({ page }) => page?.cursor,
      join: (sofar, next) => ({ ...sofar, products: [...sofar.products, ...next.products] }),
      signal: () => new AbortController().signal,
    },
  };
}

describe('an answer in several pages', () => {
  it('reports unknown members of every page, each once', async () => {
    const { value, items } = await querySeller(asking(pages));
    expect(items).toBe(3);
    expect(value?.payloads).toHaveLength(3);
    expect(value?.findings.map(({ field }) => field)).toEqual(['told_on_all', 'told_at_last']);
  });

  it('reports items set aside on every page, and counts them in the row', async () => {
    const { value, reason } = await querySeller(asking(pages));
    expect(value?.setAside).toHaveLength(1);
    expect(reason).toBe('3 items; left out as invalid: 1.');
  });
});

describe('a request to all sellers of a release', () => {
  it('is searched for credentials once; what is added for one seller is searched as well', async () => {
    const answers = () => asking([{ products: [] }]);
    const searched = { brief: 'Coffee' };
    const added = { ...searched, ext: { api_key: 'of ours' } };
    const held = await querySeller({ ...answers(), projected: { args: added, findings: [], searched } });
    expect(held.code).toBe('CREDENTIAL_IN_ARGS');
    const sent = await querySeller({ ...answers(), projected: { args: searched, findings: [], searched } });
    expect(sent.status).toBe('answered');
  });
});
