import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AskSeller, ConnectorAnswer, SellerConnector, SellerTarget } from '@switchyard/sellers';
import { startRestAdServer, type RestAdServer } from '@switchyard/testing';
import { Secret } from '@switchyard/values';
import { createSellerTransport } from './seller-transports.js';
import { plainEgress } from './testkit/plain-egress.js';

const token = 'a token of the network';
let seller: RestAdServer;
let isStopped = false;

beforeAll(async () => {
  seller = await startRestAdServer(token);
});
afterAll(() => seller.close());

const tools = { get_products: [] };
const connectorOf = (call: (ask: AskSeller) => Promise<ConnectorAnswer>): SellerConnector => ({
  kind: 'seller',
  protocol: 'desk',
  title: 'Desk',
  tools,
  call: (_call, ask) => call(ask),
});

const products = async (ask: AskSeller): Promise<ConnectorAnswer> => {
  const { body } = await ask({ method: 'GET', path: '/adProducts' });
  return { payload: { status: 'completed', products: body?.['adProducts'] ?? [] } };
};

async function called(
  call: (ask: AskSeller) => Promise<ConnectorAnswer>,
  { secret = token, tool = 'get_products', protocol = 'desk' } = {},
) {
  const transport = createSellerTransport({
    egress: plainEgress,
    connectors: [connectorOf(call)],
    isStopped: () => Promise.resolve(isStopped),
  });
  const target: SellerTarget = {
    organizationId: 'o',
    connectionId: 'c',
    agentUrl: seller.url,
    protocol,
    dialect: 'adcp',
    credential: { id: 'k', version: 1, scheme: 'bearer', secret: new Secret(Buffer.from(secret)) },
  };
  try {
    return await transport.call(target, { tool, args: {} }, new AbortController().signal);
  } finally {
    await transport.close();
  }
}

describe('a seller that is called by a connector', () => {
  it('is asked with our credential, which the connector never has', async () => {
    const network = await called(async (ask) => ({
      payload: (await ask({ method: 'GET', path: '' })).body ?? {},
    }));
    expect(network).toMatchObject({ ok: true, value: { payload: { displayName: 'Harbor Network' } } });
    const answer = await called(products);
    expect(answer).toMatchObject({ ok: true, value: { isError: false, payload: { status: 'completed' } } });
  });

  it('refuses our credential as every seller does, whatever its connector makes of it', async () => {
    const caught = (ask: AskSeller) => products(ask).catch(() => ({ payload: {} }));
    for (const call of [products, caught])
      expect(await called(call, { secret: 'another' })).toMatchObject({
        ok: false,
        error: { code: 'unauthorized', httpStatus: 401, delivered: 'no' },
      });
  });

  it('is not asked elsewhere, above its address, or with a credential of the connector', async () => {
    const before = seller.asked.length;
    for (const request of [
      { path: '//elsewhere.example/x' },
      { path: '/../../secret' },
      { path: '/%2e%2E/secret' },
      { path: '/x?y=1' },
      { path: '/x', headers: { authorization: 'Bearer other' } },
    ])
      expect(
        await called(async (ask) => {
          await ask({ method: 'GET', ...request });
          return { payload: {} };
        }),
      ).toMatchObject({ ok: false, error: { code: 'blocked', delivered: 'no' } });
    expect(seller.asked).toHaveLength(before);
  });

  it('gets nothing while an emergency stop holds', async () => {
    isStopped = true;
    const before = seller.asked.length;
    expect(await called(products)).toMatchObject({ ok: false, error: { code: 'stopped' } });
    isStopped = false;
    expect(seller.asked).toHaveLength(before);
  });

  it('may have acted where it answers with its own failure, or its connector throws after a request', async () => {
    seller.failWith(503);
    expect(await called(products)).toMatchObject({
      ok: false,
      error: { code: 'http_error', delivered: 'maybe' },
    });
    seller.failWith(undefined);
    const thrown = await called(async (ask) => {
      await ask({ method: 'GET', path: '/adProducts' });
      throw new Error('the words of a connector');
    });
    expect(thrown).toMatchObject({ ok: false, error: { code: 'malformed', delivered: 'maybe' } });
    expect(JSON.stringify(thrown)).not.toContain('words of a connector');
  });

  it('is refused a task that its connector does not translate, and a protocol that no connector has', async () => {
    expect(await called(products, { tool: 'sync_creatives' })).toMatchObject({
      ok: false,
      error: { refusal: 'unsupported_operation', delivered: 'no' },
    });
    expect(await called(products, { protocol: 'other' })).toMatchObject({
      ok: false,
      error: { code: 'no_connector', delivered: 'no' },
    });
  });

  it('ends a connector that asks without end', async () => {
    const endless = await called(async (ask) => {
      for (;;) await ask({ method: 'GET', path: '/adProducts' });
    });
    expect(endless).toMatchObject({ ok: false, error: { code: 'too_large' } });
  });
});
