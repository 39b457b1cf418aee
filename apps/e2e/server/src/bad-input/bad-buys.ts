import { buyRequest, type Catalogue, type Json } from '../harness/buy-request.js';

/** Valid values for requests, from products of the market. */
export interface Goods {
  readonly catalogue: Catalogue;
  readonly part: (more?: Json) => Json;
  readonly buy: (more?: Json) => Json;
  readonly budget: (value: unknown) => Json;
  /** A budget in a spelling that `JSON.stringify` does not write. */
  readonly budgetText: (text: string) => string;
}

export function goodsOf(catalogue: Catalogue): Goods {
  const part: Goods['part'] = (more = {}) => catalogue.packageOf('prompt', more);
  const budget: Goods['budget'] = (value) => buyRequest([part({ budget: value })]);
  return {
    catalogue,
    part,
    buy: (more = {}) => buyRequest([part()], more),
    budget,
    budgetText: (text) => JSON.stringify(budget(77_777)).replace('77777', text),
  };
}

interface BadBuy {
  readonly what: string;
  /** The arguments: an object, or a text that is sent unchanged. */
  readonly args: (goods: Goods) => string | Json;
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

/** A text in refused values that must be in no answer. */
export const canary = 'canary-9f2c71d0aa';
const money = 'packages[0].budget';

/** Media buys with one fault each, and the expected error. */
export const badBuys: readonly BadBuy[] = [
  { what: 'text that is no JSON', args: () => '{"packages": [', status: 400, code: 'INVALID_REQUEST' },
  {
    what: 'a duplicate key',
    args: ({ buy }) => JSON.stringify(buy()).replace('"start_time"', '"brand":{},"start_time"'),
    status: 400,
    code: 'INVALID_REQUEST',
  },
  {
    what: 'a duplicate key deep inside, spelled differently',
    args: ({ budget }) => JSON.stringify(budget(1)).replace('"budget":1', '"budget":1,"b\\u0075dget":2'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'packages[0]',
  },
  { what: 'a list in place of the arguments', args: () => '[]', status: 400, code: 'INVALID_REQUEST' },
  {
    what: 'packages that are a text',
    args: ({ buy }) => buy({ packages: 'two, please' }),
    status: 422,
    code: 'VALIDATION_ERROR',
    field: 'packages',
  },
  {
    what: 'no packages',
    args: ({ buy }) => buy({ packages: [] }),
    status: 422,
    code: 'VALIDATION_ERROR',
    field: 'packages',
  },
  {
    what: 'a budget that is a text',
    args: ({ budget }) => budget('1000'),
    status: 422,
    code: 'VALIDATION_ERROR',
    field: money,
  },
  {
    what: 'a brand that is a number',
    args: ({ buy }) => buy({ brand: 7 }),
    status: 422,
    code: 'VALIDATION_ERROR',
    field: 'brand',
  },
  {
    what: 'no idempotency key',
    args: ({ buy }) => buy({ idempotency_key: undefined }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'idempotency_key',
  },
  {
    what: 'a seller that nobody knows',
    args: ({ part }) => buyRequest([part({ product_id: 'nobody:display_news' })]),
    status: 404,
    code: 'PRODUCT_NOT_FOUND',
    field: 'packages[0].product_id',
  },
  {
    what: 'a product id without its seller',
    args: ({ part }) => buyRequest([part({ product_id: 'display_news' })]),
    status: 404,
    code: 'PRODUCT_NOT_FOUND',
    field: 'packages[0].product_id',
  },
  {
    what: 'a product that the seller does not have',
    args: ({ part }) => buyRequest([part(), part({ product_id: 'prompt:moon_billboard' })]),
    status: 404,
    code: 'PRODUCT_NOT_FOUND',
    field: 'packages[1].product_id',
  },
  {
    what: 'a price that the product does not have',
    args: ({ part }) => buyRequest([part({ pricing_option_id: 'for_friends' })]),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'packages[0].pricing_option_id',
  },
  {
    what: 'two currencies in one buy',
    args: ({ catalogue, part }) => buyRequest([part(), catalogue.packageOf('slow')]),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'packages[1].pricing_option_id',
  },
  {
    what: 'an auction without a bid',
    args: ({ catalogue }) => buyRequest([catalogue.packageOf('auction', { bid_price: undefined })]),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'packages[0].bid_price',
  },
  {
    what: 'a bid below the floor',
    args: ({ catalogue }) => buyRequest([catalogue.packageOf('auction', { bid_price: 0.01 })]),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'packages[0].bid_price',
  },
  {
    what: 'a budget of 0',
    args: ({ budget }) => budget(0),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget of -0',
    args: ({ budgetText }) => budgetText('-0'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a negative budget',
    args: ({ budget }) => budget(-100),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget of 1e400',
    args: ({ budgetText }) => budgetText('1e400'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget of 1e-400',
    args: ({ budgetText }) => budgetText('1e-400'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget of 0.1 + 0.2',
    args: ({ budget }) => budget(0.1 + 0.2),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget of half a cent',
    args: ({ budget }) => budget(10.005),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget whose last digit a double drops',
    args: ({ budgetText }) => budgetText('1000.00000000000000001'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'a budget larger than all money',
    args: ({ budget }) => budget(1e21),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'an end before its start',
    args: ({ buy }) => buy({ start_time: '2031-02-02T00:00:00Z', end_time: '2031-02-01T00:00:00Z' }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'end_time',
  },
  {
    what: 'an end in the past',
    args: ({ buy }) => buy({ end_time: '2020-01-01T00:00:00Z' }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'end_time',
  },
  {
    what: 'an end that is no time',
    args: ({ buy }) => buy({ end_time: 'soon' }),
    status: 422,
    code: 'VALIDATION_ERROR',
    field: 'end_time',
  },
  {
    what: 'a brand of a new account, and no budget for it',
    args: ({ part }) =>
      buyRequest([part({ budget: 0 })], {
        account: { brand: { domain: 'new.example' }, operator: 'new.example' },
      }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: money,
  },
  {
    what: 'an account that was never issued',
    args: ({ buy }) => buy({ account: { account_id: 'acc_somebody' } }),
    status: 404,
    code: 'ACCOUNT_NOT_FOUND',
    field: 'account.account_id',
  },
  {
    what: 'a callback without an operation_id',
    args: ({ buy }) => buy({ push_notification_config: { url: 'https://buyer.example/hook' } }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'push_notification_config.operation_id',
  },
  {
    what: 'a callback to the address of a cloud’s own secrets',
    args: ({ buy }) =>
      buy({ push_notification_config: { url: 'https://169.254.169.254/', operation_id: 'op-1' } }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'push_notification_config.url',
  },
  {
    what: 'a release that nobody speaks',
    args: ({ buy }) => buy({ adcp_version: '9.9' }),
    status: 400,
    code: 'VERSION_UNSUPPORTED',
    field: 'adcp_version',
  },
  ...(
    [
      ['at the top', { api_key: canary }, 'api_key'],
      [
        'in the context',
        { context: { creds: [{ client_secret: canary }] } },
        'context.creds[0].client_secret',
      ],
      ['in ext', { ext: { vendor: { Authorization: `Bearer ${canary}` } } }, 'ext.vendor.Authorization'],
      ['as a signing key', { ext: { jwks: { keys: [{ d: canary }] } } }, 'ext.jwks'],
      ['nested in lists', { ext: { a: [[[{ password: canary }]]] } }, 'ext.a[0][0][0].password'],
    ] as const
  ).map(([where, more, field]): BadBuy => {
    return {
      what: `a credential ${where}`,
      args: ({ buy }) => buy(more),
      status: 400,
      code: 'CREDENTIAL_IN_ARGS',
      field,
    };
  }),
  {
    what: 'a credential in a package',
    args: ({ part }) => buyRequest([part({ context: { access_token: canary } })]),
    status: 400,
    code: 'CREDENTIAL_IN_ARGS',
    field: 'packages[0].context.access_token',
  },
  {
    what: 'U+0000 in a text',
    args: ({ buy }) => buy({ context: { note: ['fine', 'a\0b'] } }),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'context.note[1]',
  },
  {
    what: 'U+0000 in a key',
    args: ({ buy }) => buy({ ext: { 'a\0b': 1 } }),
    status: 400,
    code: 'INVALID_REQUEST',
  },
  {
    what: 'half of a surrogate pair',
    args: ({ buy }) => JSON.stringify(buy({ context: { note: 'X' } })).replace('"X"', '"\\ud800"'),
    status: 400,
    code: 'INVALID_REQUEST',
    field: 'context.note',
  },
  {
    what: 'nesting without end',
    args: () => `{"context":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
    status: 400,
    code: 'INVALID_REQUEST',
  },
  {
    what: 'a body of 5 MB',
    args: ({ buy }) => buy({ ext: { filler: 'x'.repeat(5_000_000) } }),
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
];
