import { describe, expect, it } from '@jest/globals';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import { openBuyingDesk } from '@switchyard/testing';
import type { HandlerParts } from '../handler.js';
import type { Caller } from '../task-call.js';
import { createTaskService } from '../task-service.js';

const product = {
  product_id: 'fresh',
  name: 'P',
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
};

describe('what a seller shows anybody', () => {
  it.each([
    ['is no offer that could be bought', true],
    ['is one where it was asked with credentials', false],
  ])('%s', async (_what, isPublic) => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    desk.seller('acme').fate('get_products', { says: { products: [product] } });
    const { organizationId } = desk.scope;
    const principal: Caller = {
      kind: 'principal',
      organizationId,
      principalId: desk.principalId,
      name: 'buyer',
      principalKind: 'buyer',
      permissions: permissionTable,
      transitional: true,
      legacy: true,
    };
    const kept: string[] = [];
    const saveOffers: typeof desk.ports.store.saveOffers = (_scope, quotes) => {
      kept.push(...quotes.map(({ offer }) => offer.productId));
      return Promise.resolve();
    };
    const ports = {
      ...desk.ports,
      store: { ...desk.ports.store, saveOffers },
      breakers: new BreakerBoard(defaultBreakerPolicy),
      bulkhead: new Bulkhead(8),
    };
    const { body } = await createTaskService({ ports } as unknown as HandlerParts).call({
      door: 'mcp',
      task: 'get_products',
      args: { adcp_version: '3.1', buying_mode: 'brief', brief: 'shoes' },
      exact: new Map(),
      caller: isPublic ? { kind: 'public', organizationId } : principal,
      signal: new AbortController().signal,
    });
    expect(body['products']).toMatchObject([{ product_id: 'acme:fresh' }]);
    expect(body['cache_scope']).toBe(isPublic ? 'public' : 'account');
    expect(kept).toEqual(isPublic ? [] : ['fresh']);
  });
});
