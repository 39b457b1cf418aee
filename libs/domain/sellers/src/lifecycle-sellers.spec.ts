import { describe, expect, it } from '@jest/globals';
import { withStandIns } from '@switchyard/protocol';
import { ok, type JsonObject } from '@switchyard/values';
import { withLifecycleSellers } from './lifecycle-sellers.js';
import type { SellerCall, SellerTarget, SellerTransport } from './transport.js';

const compact = { list_products: [], buy_products: [], control_media_buy: [], get_media_buys: [] };
const older = { get_products: [], create_media_buy: [], list_products: [] };
const option = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
const purchase = {
  idempotency_key: 'a key that its seller remembers',
  packages: [{ product_id: 'p', pricing_option_id: 'cpm', budget: 10, creatives: [{ creative_id: 'c' }] }],
  start_time: 'asap',
  end_time: '2090-01-01T00:00:00Z',
};

/** A transport to one seller, whose list has another version each time that it is read. */
function seller(buys: () => JsonObject, tools: NonNullable<SellerTarget['tools']> = withStandIns(compact)) {
  const calls: SellerCall[] = [];
  let version = 0;
  const payloadOf = (tool: string): JsonObject => {
    if (tool !== 'list_products') return buys();
    version += 1;
    const products = [{ product_id: 'p', pricing_options: [option] }];
    return { outcome: 'listed', products, feed_version: `feed ${version}`, cache_scope: 'account' };
  };
  const inner: SellerTransport = {
    call: (_target, call) => {
      calls.push(call);
      return Promise.resolve(ok({ payload: payloadOf(call.tool), isError: false }));
    },
    listTools: () => Promise.resolve(ok(compact)),
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const target: SellerTarget = {
    ...{ organizationId: 'o', connectionId: 'c', agentUrl: 'https://seller.example', protocol: 'mcp' },
    dialect: 'adcp',
    tools,
  };
  const made = () => withLifecycleSellers(inner, () => 'a uuid');
  const send = (transport: SellerTransport, tool: string, args: JsonObject) =>
    transport.call(target, { tool, args }, new AbortController().signal);
  return { calls, made, send, target };
}

const bought: JsonObject = {
  status: 'completed',
  media_buy_id: 'm',
  revision: 1,
  purchase_bindings: [{ purchase_index: 0, product_id: 'p', package_id: 'q' }],
};

describe('a transport to sellers of lifecycle tasks', () => {
  it('lists the older tasks that these stand for, and leaves the tools of other sellers as they are', async () => {
    const { made, target } = seller(() => bought);
    const listed = await made().listTools(target, new AbortController().signal);
    expect(listed.ok && Object.keys(listed.value)).toEqual([
      ...Object.keys(compact),
      'get_products',
      'create_media_buy',
      'update_media_buy',
    ]);
    expect(withStandIns(older)).toBe(older);
    const other = seller(() => bought, older);
    await other.send(other.made(), 'create_media_buy', purchase);
    expect(other.calls).toEqual([{ tool: 'create_media_buy', args: purchase }]);
  });

  it('sends a repeated purchase as the first time, although the list has another version by then', async () => {
    const { calls, made, send } = seller(() => bought);
    const transport = made();
    const first = await send(transport, 'create_media_buy', purchase);
    const second = await send(transport, 'create_media_buy', purchase);
    const [one, two] = calls.filter(({ tool }) => tool === 'buy_products').map(({ args }) => args);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ feed_version: 'feed 1', idempotency_key: purchase.idempotency_key });
    expect(second).toEqual(first);
    expect(first.ok && first.value.payload).toMatchObject({
      packages: [{ package_id: 'q', product_id: 'p' }],
      warnings: [{ code: 'UNSUPPORTED_FEATURE', field: 'packages[0].creatives' }],
    });
  });

  it('does not know the outcome where a restarted process makes the purchase anew and its key is taken', async () => {
    const taken = { status: 'failed', errors: [{ code: 'IDEMPOTENCY_CONFLICT', message: 'Taken.' }] };
    const says: JsonObject[] = [bought, taken];
    const { made, send } = seller(() => says.shift() ?? taken);
    expect((await send(made(), 'create_media_buy', purchase)).ok).toBe(true);
    const restarted = made();
    for (let tries = 0; tries < 2; tries += 1) {
      const again = await send(restarted, 'create_media_buy', purchase);
      expect(again).toMatchObject({ ok: false, error: { delivered: 'maybe' } });
    }
  });

  it('buys nothing at a price that the seller no longer lists', async () => {
    const { calls, made, send } = seller(() => bought);
    const [part] = purchase.packages;
    const gone = { ...purchase, packages: [{ ...part, pricing_option_id: 'old' }] };
    const answer = await send(made(), 'create_media_buy', gone);
    expect(answer.ok && answer.value.payload).toMatchObject({
      errors: [{ field: 'packages[0].pricing_option_id' }],
    });
    expect(calls.map(({ tool }) => tool)).toEqual(['list_products']);
  });
});
