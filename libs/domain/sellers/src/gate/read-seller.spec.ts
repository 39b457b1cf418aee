import { describe, expect, it } from '@jest/globals';
import { ok, type JsonObject } from '@switchyard/values';
import type { Connection } from '../connection.js';
import type { GateContext } from './gate-context.js';
import { readSeller } from './read-seller.js';

const product: JsonObject = {
  product_id: 'p',
  name: 'P',
  description: '',
  delivery_type: 'guaranteed',
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'f' }],
  pricing_options: [{ pricing_option_id: 'x', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 }],
  reporting_capabilities: {},
};

/** The read of a seller that answers so, and what it was asked. */
async function read(of: Partial<Connection>, answer: (args: JsonObject) => JsonObject) {
  const asked: JsonObject[] = [];
  let connection = { dialect: 'adcp', form: '3.1', tools: { get_products: [] }, ...of } as Connection;
  const context = {
    connection: () => connection,
    target: () => Promise.resolve({ agentUrl: 'https://seller.example/mcp', protocol: 'mcp' }),
    inTime: (work: (signal: AbortSignal) => unknown) => work(new AbortController().signal),
    ownDomain: () => Promise.resolve('agency.example'),
    wantAccount: () => {
      connection = { ...connection, wantsAccount: true };
      return Promise.resolve();
    },
    transport: {
      call: (_target: unknown, { args }: { readonly args: JsonObject }) => {
        asked.push(args);
        return Promise.resolve(ok({ payload: answer(args), isError: false }));
      },
    },
  } as unknown as GateContext;
  const { state, code, words } = await readSeller(context);
  return { result: [state, code], words, asked, wantsAccount: connection.wantsAccount };
}

describe('the read of a seller', () => {
  const account = { accountId: 'ours' };

  it('names no account for products, unless the seller refuses them without, which is remembered', async () => {
    const open = await read({ kinds: ['sales'], account }, () => ({ products: [product] }));
    expect([open.result, open.asked.map(({ account: named }) => named)]).toEqual([
      ['passed', 'offers'],
      [undefined],
    ]);
    const closed = await read({ kinds: ['sales'], account }, ({ account: named }) =>
      named === undefined
        ? { errors: [{ code: 'ACCOUNT_REQUIRED', message: 'Whose prices?' }] }
        : { products: [product] },
    );
    expect(closed).toMatchObject({ result: ['passed', 'offers'], wantsAccount: true });
    expect(closed.asked.map(({ account: named }) => named)).toEqual([undefined, { account_id: 'ours' }]);
  });

  it('says what came where the seller wants more, and gives no reason', async () => {
    const { result, words } = await read({ kinds: ['sales'] }, () => ({ status: 'input-required' }));
    expect([...result, words]).toEqual([
      'failed',
      'seller_refused',
      'It refused the test question. It answered input-required, without a reason.',
    ]);
  });

  it('names a place for signals where the form requires one', async () => {
    const signals = { kinds: ['signals'], tools: { get_signals: [] } } as const;
    const older = await read({ ...signals, dialect: 'ads', form: 'service' }, () => ({ signals: [] }));
    expect(older.asked).toMatchObject([
      { deliver_to: { deployments: [{ type: 'agent', agent_url: 'https://agency.example' }] } },
    ]);
    const newer = await read(signals, () => ({ signals: [] }));
    expect(newer.asked).toEqual([expect.not.objectContaining({ destinations: expect.anything() })]);
  });
});
