import { describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { type Connection } from '@switchyard/sellers';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { taskService } from '../main/testkit/task-service.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';

const product = {
  product_id: 'p',
  name: 'P',
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  reporting_capabilities: {},
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
};

/** Three sellers of one form: one declares no feature, one this one, and one says nothing of features. */
async function query(filters: JsonObject, form: Form = '3.1') {
  const harness = await openBuyingHarness({
    lacks: { isIdempotent: true },
    offers: { isIdempotent: true },
    silent: { isIdempotent: true },
  });
  const declared: Record<string, JsonObject> = {
    lacks: { features: { catalog_management: false }, execution: { targeting: {} } },
    offers: { features: { catalog_management: true }, execution: { targeting: { geo_regions: true } } },
    silent: {},
  };
  const connections = Object.entries(declared).map(([slug, block]): Connection => {
    harness.seller(slug).fate('get_products', { says: { products: [product] } });
    const connection = harness.connection(slug);
    const capabilities = { ...connection.capabilities, original: { media_buy: block } };
    return { ...connection, form, capabilities: capabilities as NonNullable<Connection['capabilities']> };
  });
  const ports = {
    ...marketPorts(harness),
    connections: { ...harness.ports.connections, list: () => Promise.resolve(connections) },
  };
  const { body } = await taskService({ ports } as unknown as HandlerDeps).call(
    harnessCall(harness, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'shoes',
      filters,
    }),
  );
  const received = Object.keys(declared).filter((slug) =>
    harness.seller(slug).received.some(({ tool }) => tool === 'get_products'),
  );
  const ext = body['ext'] as JsonObject;
  return { body: { ...body, ...(ext['switchyard'] as JsonObject) }, heard: received };
}

describe('products of sellers that support a feature', () => {
  it.each<[string, JsonObject, string]>([
    ['features', { required_features: { catalog_management: true } }, 'required_features.catalog_management'],
    [
      'targeting by place',
      { required_geo_targeting: [{ level: 'region' }] },
      'required_geo_targeting.region',
    ],
  ])('are requested from those that declare %s or do not mention it', async (_what, filters, lack) => {
    const { body, heard: received } = await query(filters);
    expect(received).toEqual(['offers', 'silent']);
    const products = body['products'] as readonly JsonObject[];
    expect(products.map((row) => row['product_id']).toSorted()).toEqual(['offers:p', 'silent:p']);
    const rows = body['sellers'] as readonly JsonObject[];
    expect(rows.find(({ seller }) => seller === 'lacks')).toMatchObject({
      status: 'skipped',
      code: 'FILTERED_OUT',
      reason: `Its capabilities do not include ${lack}.`,
    });
    expect(body['findings']).toContainEqual(
      expect.objectContaining({
        seller: 'silent',
        code: 'NOT_DECLARED',
        field: `filters.${lack.split('.')[0] ?? ''}`,
      }),
    );
    expect(body['findings']).not.toContainEqual(expect.objectContaining({ seller: 'offers' }));
  });

  it('are requested from everybody if the feature is not required', async () => {
    const { heard: received, body } = await query({ required_features: { catalog_management: false } });
    expect(received).toEqual(['lacks', 'offers', 'silent']);
    expect(JSON.stringify(body['findings'] ?? [])).not.toContain('NOT_DECLARED');
  });

  it('are filtered by the declaration of an older seller too, and what its release cannot express is reported', async () => {
    const { heard: received, body } = await query({ required_features: { catalog_management: true } }, '2.5');
    expect(received).toEqual(['offers', 'silent']);
    expect(body['findings']).toContainEqual(
      expect.objectContaining({ seller: 'silent', code: 'NOT_CARRIED', field: 'filters.required_features' }),
    );
    expect(JSON.stringify(body['findings'])).not.toContain('NOT_DECLARED');
  });
});
