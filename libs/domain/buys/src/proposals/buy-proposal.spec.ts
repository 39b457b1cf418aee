import { describe, expect, it } from '@jest/globals';
import { createMediaBuy as task, type CreateMediaBuyRequest } from '@switchyard/protocol';
import {
  crashingStore,
  openBuyingHarness,
  type BuyingHarness,
  type HarnessSeller,
} from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import type { Mutation } from '../model/caller.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { draftSealed } from '../run/draft-sealed.js';
import { applyObservation } from '../apply/apply-observation.js';
import { followLeg } from '../run/follow-leg.js';
import { translateError } from '../apply/translate-error.js';
import type { Offer, OfferedPrice } from '../model/offer.js';
import type { BuyPackage, Leg } from '../model/operation.js';
import { recordLateAnswer } from '../run/record-late-answer.js';
import type { Proposal } from '../model/proposal.js';

const fixed: OfferedPrice = {
  pricingOptionId: 'cpm',
  model: 'cpm',
  currency: 'USD',
  auction: false,
  fixedPrice: '10',
};
const offerOf = (productId: string, price: OfferedPrice = fixed): Offer => ({
  seller: 'acme',
  productId,
  name: productId,
  pricingOptions: [price],
  reportingFrequencies: ['daily'],
  offeredAt: 0,
});
const third = (productId: string) => ({ productId, pricingOptionId: 'cpm', percentage: '33.33' });
const plan: Proposal = {
  seller: 'acme',
  proposalId: 'plan:1',
  name: 'Balanced',
  isDraft: false,
  allocations: [third('ctv'), third('olv'), third('audio')],
  proposedAt: 0,
};
const total = { amount: 1000.01, currency: 'USD' };

interface Market {
  readonly seller?: Partial<HarnessSeller>;
  readonly proposal?: Partial<Proposal>;
  readonly offers?: readonly Offer[];
}

async function harnessWith({ seller = {}, proposal = {}, offers = [] }: Market = {}): Promise<BuyingHarness> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true, ...seller } });
  const connectionId = harness.connection('acme').id;
  const quoted = [offerOf('ctv'), offerOf('olv'), offerOf('audio'), ...offers];
  await harness.store.saveOffers(
    harness.scope,
    quoted.map((offer) => ({ connectionId, offer })),
  );
  await harness.store.saveProposals(harness.scope, [{ connectionId, proposal: { ...plan, ...proposal } }]);
  return harness;
}

function wanted(harness: BuyingHarness, more: JsonObject = {}): Mutation<CreateMediaBuyRequest> {
  const requested = harness.request(['acme']);
  const { packages: _none, ...rest } = requested.args;
  const args = { ...rest, proposal_id: 'acme:plan:1', total_budget: total, ...more };
  const read = must(task.readRequest(args, requested.profile, new Map()));
  return { ...requested, args, request: read };
}

const line = (product: string, budget: number, more: JsonObject = {}): JsonObject => ({
  product_id: `acme:${product}`,
  pricing_option_id: 'cpm',
  budget,
  ...more,
});

const made = (budgets: readonly (readonly [string, number])[]): JsonObject => ({
  media_buy_id: 'their-1',
  media_buy_status: 'active',
  confirmed_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
  packages: budgets.map(([product, budget], at) => ({
    package_id: `p${at}`,
    product_id: product,
    pricing_option_id: 'cpm',
    budget,
  })),
});
const shares = [
  ['ctv', 333.33],
  ['olv', 333.33],
  ['audio', 333.35],
] as const;

const faultsOf = async (harness: BuyingHarness, more: JsonObject = {}) => {
  const done = await createMediaBuy(harness.ports, wanted(harness, more));
  if (done.ok) throw new Error('It should be refused.');
  expect(harness.seller('acme').received.filter(({ tool }) => tool === 'create_media_buy')).toEqual([]);
  expect(harness.store.rowsOf(harness.scope).operations.size).toBe(0);
  return done.error.map(({ code, field }) => ({ code, field }));
};

describe('a proposal bought from a seller that accepts proposals', () => {
  it('is one leg with the seller’s own id and the total, each part with its share to the cent', async () => {
    const harness = await harnessWith();
    harness.seller('acme').fate('create_media_buy', { says: made(shares) });
    const done = must(await createMediaBuy(harness.ports, wanted(harness)));
    const { args } = harness.seller('acme').received[0]!;
    expect(args).toMatchObject({ proposal_id: 'plan:1', total_budget: total });
    expect(args).not.toHaveProperty('packages');
    const { state } = done;
    expect(state.legs.map(({ status, errors }) => [status, errors])).toEqual([['completed', []]]);
    expect(state.packages.map((item) => [item.productId, item.budgetMicros, item.sellerPackageId])).toEqual([
      ['ctv', 333_330_000n, 'p0'],
      ['olv', 333_330_000n, 'p1'],
      ['audio', 333_350_000n, 'p2'],
    ]);
    expect(state.buy?.currency).toBe('USD');
    expect(state.legs[0]?.findings.map(({ code }) => code)).not.toContain('PROPOSAL_AS_PACKAGES');
  });

  it('is counted as its seller made it: with its rounding, an additional package, and an omitted one', async () => {
    const harness = await harnessWith();
    const received = [...shares.slice(0, 1), ['olv', 600], ['podcast', 66.68]] as const;
    harness.seller('acme').fate('create_media_buy', { says: made(received) });
    const done = must(await createMediaBuy(harness.ports, wanted(harness)));
    const record = await harness.store.mediaBuy(harness.scope, done.state.buy!.id);
    const live = record!.packages.filter(({ canceledAt }) => canceledAt === undefined);
    expect(live.map((item) => [item.productId, item.budgetMicros])).toEqual([
      ['ctv', 333_330_000n],
      ['olv', 600_000_000n],
      ['audio', 66_680_000n],
    ]);
  });

  it('sends the buyer’s overrides, and nothing that the buyer did not write', async () => {
    const harness = await harnessWith();
    const packages = [line('olv', 333.33, { context: { line: 1 }, bid_price: 12 })];
    const done = await createMediaBuy(harness.ports, wanted(harness, { packages }));
    if (!done.ok) throw new Error(JSON.stringify(done.error));
    const { args } = harness.seller('acme').received[0]!;
    expect(args['packages']).toMatchObject([{ product_id: 'olv', budget: 333.33, context: { line: 1 } }]);
    expect(args['packages']).toHaveLength(1);
  });

  it('needs no bid of the buyer if the seller’s own plan has a product on auction', async () => {
    const auction = offerOf('ctv', { ...fixed, auction: true, floorPrice: '3' });
    const harness = await harnessWith({ offers: [auction] });
    harness.seller('acme').fate('create_media_buy', { says: made(shares) });
    expect((await createMediaBuy(harness.ports, wanted(harness))).ok).toBe(true);
  });

  it('continues after a crash with the same bytes under the same key, and is bought once', async () => {
    const harness = await harnessWith();
    const dying = crashingStore(harness.store, 'change');
    const requested = wanted(harness);
    void createMediaBuy({ ...harness.ports, store: dying.store }, requested);
    await dying.died;
    harness.clock.advance(60_000);
    const [leg] = await harness.store.dueLegs(harness.scope, harness.clock.now(), 1);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, leg!.id, run);
    const [one, again] = harness.seller('acme').received;
    expect(again?.args).toEqual(one?.args);
    expect(harness.seller('acme').buys).toHaveLength(1);
    const replay = await createMediaBuy(harness.ports, requested);
    expect(replay.ok && [replay.value.replayed, replay.value.state.operation.status]).toEqual([
      true,
      'completed',
    ]);
  });

  it('needs the acceptance of its insertion order if one is required, and of no other order', async () => {
    const harness = await harnessWith({
      proposal: { insertionOrder: { ioId: 'io-1', requiresSignature: true } },
    });
    const signed = { io_id: 'io-1', accepted_at: '2026-01-01T00:00:00Z', signatory: 'Ann' };
    expect(await faultsOf(harness)).toEqual([{ code: 'IO_REQUIRED', field: 'io_acceptance' }]);
    expect(await faultsOf(harness, { io_acceptance: { ...signed, io_id: 'io-2' } })).toEqual([
      { code: 'INVALID_REQUEST', field: 'io_acceptance.io_id' },
    ]);
    await createMediaBuy(harness.ports, wanted(harness, { io_acceptance: signed }));
    expect(harness.seller('acme').received[0]?.args['io_acceptance']).toEqual(signed);
  });
});

describe('a proposal bought from a seller that accepts no proposal ids', () => {
  const parts = (args: JsonObject) =>
    (args['packages'] as JsonObject[]).map((item) => [item['product_id'], item['budget']]);

  it('is sent as the packages of its allocations, and says so', async () => {
    const harness = await harnessWith({ seller: { form: 'service' } });
    const done = must(await createMediaBuy(harness.ports, wanted(harness)));
    const { args } = harness.seller('acme').received[0]!;
    expect(parts(args)).toEqual(shares);
    for (const name of ['proposal_id', 'total_budget', 'io_acceptance'])
      expect(args).not.toHaveProperty(name);
    expect(done.findings.map(({ code, field }) => [code, field])).toContainEqual([
      'PROPOSAL_AS_PACKAGES',
      'proposal_id',
    ]);
    expect(done.state.packages.map(({ sellerPackageId }) => sellerPackageId)).toEqual([
      'their-1-p1',
      'their-1-p2',
      'their-1-p3',
    ]);
  });

  it('reports that an acceptance of an order has no member beside packages', async () => {
    const harness = await harnessWith({
      seller: { form: 'service' },
      proposal: { insertionOrder: { ioId: 'io-1', requiresSignature: false } },
    });
    const io_acceptance = { io_id: 'io-1', accepted_at: '2026-01-02T00:00:00Z', signatory: 'J. Doe' };
    const done = must(await createMediaBuy(harness.ports, wanted(harness, { io_acceptance })));
    expect(harness.seller('acme').received[0]!.args).not.toHaveProperty('io_acceptance');
    expect(done.findings.map(({ code, field }) => [code, field])).toContainEqual([
      'NOT_CARRIED',
      'io_acceptance',
    ]);
  });

  it('is recognized by the arguments of the seller’s tool', async () => {
    const boughtWith = async (names: readonly string[]) => {
      const harness = await harnessWith({ seller: { form: '3.1' } });
      const connection = { ...harness.connection('acme'), tools: { create_media_buy: names } };
      const connections = { ...harness.ports.connections, list: () => Promise.resolve([connection]) };
      await createMediaBuy({ ...harness.ports, connections }, wanted(harness));
      const { args } = harness.seller('acme').received[0]!;
      return ['proposal_id', 'packages'].filter((name) => name in args);
    };
    const common = ['idempotency_key', 'account', 'brand', 'start_time', 'end_time', 'packages'];
    expect(await boughtWith(common)).toEqual(['packages']);
    expect(await boughtWith([...common, 'proposal_id'])).toEqual(['packages']);
    expect(await boughtWith([...common, 'proposal_id', 'total_budget'])).toEqual(['proposal_id']);
  });

  it('has no package for a share of zero', async () => {
    const allocations = [
      { ...third('ctv'), percentage: '100' },
      { ...third('olv'), percentage: '0' },
    ];
    const harness = await harnessWith({ seller: { form: 'service' }, proposal: { allocations } });
    const done = must(await createMediaBuy(harness.ports, wanted(harness)));
    expect(parts(harness.seller('acme').received[0]!.args)).toEqual([['ctv', 1000.01]]);
    expect(done.state.packages).toHaveLength(1);
  });

  it('has each part at its own time if the seller’s form allows it', async () => {
    const timed = { ...third('olv'), startTime: '2026-06-01T00:00:00Z', endTime: '2026-07-01T00:00:00Z' };
    const allocations = [third('ctv'), timed, third('audio')];
    const harness = await harnessWith({ seller: { form: '3.0' }, proposal: { allocations } });
    const known = harness.connection('acme');
    const original = { media_buy: { supports_proposals: false } };
    const connection = { ...known, capabilities: { ...known.capabilities!, original } };
    const connections = { ...harness.ports.connections, list: () => Promise.resolve([connection]) };
    const done = await createMediaBuy({ ...harness.ports, connections }, wanted(harness));
    if (!done.ok) throw new Error(JSON.stringify(done.error));
    const [, second] = harness.seller('acme').received[0]!.args['packages'] as JsonObject[];
    expect(second).toMatchObject({ start_time: timed.startTime, end_time: timed.endTime });
  });

  it.each<[string, Partial<Proposal>]>([
    [
      'runs its parts at their own times',
      { allocations: [{ ...third('ctv'), percentage: '100', startTime: 'x' }] },
    ],
    ['wants a signature', { insertionOrder: { ioId: 'io-1', requiresSignature: true } }],
  ])('is refused if the plan %s', async (_why, proposal) => {
    const harness = await harnessWith({ seller: { form: 'service' }, proposal });
    const io = { io_id: 'io-1', accepted_at: '2026-01-01T00:00:00Z', signatory: 'Ann' };
    expect(await faultsOf(harness, { io_acceptance: io })).toEqual([
      { code: 'UNSUPPORTED_FEATURE', field: 'proposal_id' },
    ]);
  });

  it('needs a bid for a product on auction, in a package of the buyer’s', async () => {
    const auction = offerOf('ctv', { ...fixed, auction: true, floorPrice: '3' });
    const harness = await harnessWith({ seller: { form: 'service' }, offers: [auction] });
    expect(await faultsOf(harness)).toEqual([{ code: 'INVALID_REQUEST', field: 'packages' }]);
    const packages = [line('ctv', 333.33, { bid_price: 4 })];
    const done = await createMediaBuy(harness.ports, wanted(harness, { packages }));
    expect(done.ok && parts(harness.seller('acme').received[0]!.args).map(([product]) => product)).toEqual([
      'ctv',
      'olv',
      'audio',
    ]);
  });
});

describe('a proposal that cannot be bought', () => {
  const past = Date.parse('2020-01-01T00:00:00Z');
  const missing = [{ code: 'PROPOSAL_NOT_FOUND', field: 'proposal_id' }];

  it('is not found with the same error, whether it does not exist or is another organization’s', async () => {
    const harness = await harnessWith();
    const stranger = await harnessWith();
    const connectionId = stranger.connection('acme').id;
    const theirs = { ...plan, proposalId: 'theirs' };
    await harness.store.saveProposals(stranger.scope, [{ connectionId, proposal: theirs }]);
    const refusals = [];
    for (const id of ['acme:theirs', 'acme:nobodys', 'nobody:plan', 'plan'])
      refusals.push(await createMediaBuy(harness.ports, wanted(harness, { proposal_id: id })));
    const [first, ...rest] = refusals;
    expect(first?.ok === false && first.error.map(({ code, field }) => ({ code, field }))).toEqual(missing);
    for (const one of rest) expect(one).toEqual(first);
  });

  it.each<[string, Market, JsonObject, string, string]>([
    ['is over', { proposal: { expiresAt: past } }, {}, 'PROPOSAL_EXPIRED', 'proposal_id'],
    ['is a draft', { proposal: { isDraft: true } }, {}, 'PROPOSAL_NOT_COMMITTED', 'proposal_id'],
    [
      'shares no whole',
      { proposal: { allocations: [third('ctv')] } },
      {},
      'UNSUPPORTED_FEATURE',
      'proposal_id',
    ],
    ['shares nothing', { proposal: { allocations: [] } }, {}, 'UNSUPPORTED_FEATURE', 'proposal_id'],
    [
      'has a total in another currency',
      {},
      { total_budget: { amount: 1000, currency: 'EUR' } },
      'INVALID_REQUEST',
      'total_budget.currency',
    ],
    [
      'has a total finer than its currency',
      {},
      { total_budget: { amount: 1000.001, currency: 'USD' } },
      'INVALID_REQUEST',
      'total_budget.amount',
    ],
    [
      'has a product that is not offered',
      { proposal: { allocations: [{ ...third('unheard'), percentage: '100' }] } },
      {},
      'PRODUCT_NOT_FOUND',
      'proposal_id',
    ],
    [
      'leaves a product less than it costs at least',
      { offers: [offerOf('ctv', { ...fixed, minSpendPerPackage: '400' })] },
      {},
      'BUDGET_TOO_LOW',
      'total_budget.amount',
    ],
    [
      'is overridden for a product that is not in it',
      {},
      { packages: [line('news', 10)] },
      'INVALID_REQUEST',
      'packages[0].product_id',
    ],
    [
      'is overridden twice for one allocation',
      {},
      { packages: [line('ctv', 333.33), line('ctv', 1)] },
      'INVALID_REQUEST',
      'packages[1].product_id',
    ],
    ['has overrides that change its sum', {}, { packages: [line('ctv', 10)] }, 'INVALID_REQUEST', 'packages'],
    [
      'is to end in the past',
      {},
      { end_time: '2020-01-01T00:00:00Z', start_time: 'asap' },
      'INVALID_REQUEST',
      'end_time',
    ],
  ])('because it %s', async (_why, market, more, code, field) => {
    expect(await faultsOf(await harnessWith(market), more)).toContainEqual({ code, field });
  });

  it('because its seller is not live', async () => {
    const harness = await harnessWith();
    const paused = { ...harness.connection('acme'), state: 'disabled' as const };
    const connections = { ...harness.ports.connections, list: () => Promise.resolve([paused]) };
    const done = await createMediaBuy({ ...harness.ports, connections }, wanted(harness));
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['PRODUCT_UNAVAILABLE']);
  });
});

describe('a seller’s recommended total', () => {
  it('is reported, and no limit', async () => {
    const harness = await harnessWith({ proposal: { guidance: { min: '5000', currency: 'USD' } } });
    const done = await createMediaBuy(harness.ports, wanted(harness));
    expect(done.ok && done.value.findings.map(({ code }) => code)).toEqual(['OUTSIDE_BUDGET_GUIDANCE']);
  });
});

describe('a seller’s refusal of a proposal', () => {
  const placesOf = async (seller: Partial<HarnessSeller>, packages: JsonObject[]) => {
    const harness = await harnessWith({ seller });
    const errors = [0, 1].map((at) => ({
      code: 'BUDGET_TOO_LOW',
      message: 'More.',
      field: `packages[${at}].budget`,
    }));
    harness.seller('acme').fate('create_media_buy', { says: { errors } });
    const { state } = must(
      await createMediaBuy(harness.ports, wanted(harness, packages.length === 0 ? {} : { packages })),
    );
    const [leg] = state.legs;
    return leg!.errors
      .map((error) => translateError(state, leg!, error))
      .map(({ field, details }, at) => {
        if (field === undefined) expect(details?.['seller_field']).toBe(`packages[${at}].budget`);
        return field;
      });
  };

  it.each(['service', '3.1'] as const)(
    'is reported at the buyer’s own package, and at no other, for a seller of %s',
    async (form) => {
      const override = line('olv', 333.33, { context: { line: 1 } });
      expect(await placesOf({ form }, [override])).toEqual(['packages[0].budget', undefined]);
      expect(await placesOf({ form }, [])).toEqual([undefined, undefined]);
    },
  );
});

describe('the quote for the products of a proposal', () => {
  const policy = { cancellation_fee: { type: 'none' } };
  const counted = { billing_measurement: { vendor: { domain: 'counts.example' } } };
  const offers = [
    { ...offerOf('ctv'), cancellationPolicy: policy, defaultTerms: { measurement_terms: counted } },
  ];
  const quotedOf = (packages: readonly BuyPackage[]) =>
    packages.map(({ productId, terms }) => [productId, terms?.quoted]);

  it.each(['service', '3.1'] as const)(
    'is stored with the packages, whether their seller of %s makes them itself or not',
    async (form) => {
      const harness = await harnessWith({ seller: { form }, offers });
      const done = must(await createMediaBuy(harness.ports, wanted(harness)));
      expect(quotedOf(done.state.packages)).toEqual([
        ['ctv', { cancellation_policy: policy, measurement_terms: counted }],
        ['olv', {}],
        ['audio', {}],
      ]);
    },
  );

  it('is stored for a sealed purchase if the seller had quoted the product to us', async () => {
    const harness = await harnessWith();
    const { args } = wanted(harness);
    const { proposal_id: _none, total_budget: _no, ...rest } = args;
    const bare = (product: string) => ({ product_id: product, pricing_option_id: 'cpm', budget: 5 });
    const draft = draftSealed(harness.ports.ids, {
      scope: harness.scope,
      principalId: harness.principalId,
      connection: harness.connection('acme'),
      task: task.name,
      args: { ...rest, adcp_version: '3.1', packages: [bare('ctv'), bare('unheard')] },
      exact: new Map(),
      offers: new Map(offers.map((offer) => ['acme:ctv', offer])),
      buyer: { brandDomain: 'brand.example', operator: 'agency.example' },
      registrations: () => [],
      findings: [],
      at: 7,
      dueAt: 8,
    });
    expect(quotedOf(draft.packages)).toEqual([
      ['ctv', { cancellation_policy: policy, measurement_terms: counted }],
      ['unheard', undefined],
    ]);
  });
});

describe('a package that a sealed update adds', () => {
  it('is stored with its bid, context and targeting, like one of a purchase', async () => {
    const harness = await harnessWith();
    const bought = await createMediaBuy(harness.ports, wanted(harness));
    expect(bought.ok).toBe(true);
    const [record] = await harness.store.mediaBuys(harness.scope, { limit: 1 });
    const [sellerBuy] = record?.sellerBuys ?? [];
    const draft = draftSealed(harness.ports.ids, {
      scope: harness.scope,
      principalId: harness.principalId,
      connection: harness.connection('acme'),
      task: 'update_media_buy',
      args: {
        adcp_version: '3.1',
        media_buy_id: 'theirs',
        idempotency_key: 'key-of-the-brand-1',
        new_packages: [
          {
            product_id: 'ctv',
            pricing_option_id: 'cpm',
            budget: 5,
            bid_price: 2.5,
            context: { line: 'a' },
            targeting_overlay: { geo_countries: ['US'] },
          },
        ],
      },
      exact: new Map(),
      offers: new Map(),
      changes: { record: record!, sellerBuy: sellerBuy! },
      buyer: { brandDomain: 'brand.example', operator: 'agency.example' },
      registrations: () => [],
      findings: [],
      at: 7,
      dueAt: 8,
    });
    expect(draft.packages).toMatchObject([
      { productId: 'ctv', budgetMicros: 5_000_000n, bidMicros: 2_500_000n, context: { line: 'a' } },
    ]);
    expect(draft.packages[0]?.targeting).toBeDefined();
  });
});

describe('a sealed purchase of a proposal', () => {
  it('is a buy in the currency of its total, whose packages its seller will name', async () => {
    const harness = await harnessWith();
    const { args } = wanted(harness, { proposal_id: 'plan:1', packages: [line('ctv', 1)] });
    const draft = draftSealed(harness.ports.ids, {
      scope: harness.scope,
      principalId: harness.principalId,
      connection: harness.connection('acme'),
      task: task.name,
      args: { ...args, adcp_version: '3.1', total_budget: { amount: 5, currency: 'EUR' } },
      exact: new Map(),
      offers: new Map(),
      buyer: { brandDomain: 'brand.example', operator: 'agency.example' },
      registrations: () => [],
      findings: [],
      at: 7,
      dueAt: 8,
    });
    expect([draft.buy?.currency, draft.packages]).toEqual(['EUR', []]);
    const [leg] = draft.legs;
    const payload = made([['ctv', 5]]);
    const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
    const state = applyObservation(draft, leg!.id, {
      source: 'inline',
      at: 9,
      reply,
    });
    expect(state.packages.map((item) => [item.productId, item.budgetMicros, item.currency])).toEqual([
      ['ctv', 5_000_000n, 'EUR'],
    ]);
  });
});

describe('proposals in a later answer', () => {
  it('are stored before the answer, so that they can be bought', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const allocations = [{ product_id: 'ctv', allocation_percentage: 100 }];
    const payload: JsonObject = {
      products: [],
      proposals: [{ proposal_id: 'late', name: 'Late', allocations }],
    };
    const leg = {
      task: 'get_products',
      seller: 'acme',
      connectionId: harness.connection('acme').id,
      profile: { dialect: 'adcp', form: '3.1' },
      createdAt: 1,
    } as unknown as Leg;
    const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
    await recordLateAnswer(harness.ports, harness.scope, leg, { source: 'webhook', at: 9, reply });
    const stored = await harness.store.proposals(harness.scope, ['acme:late']);
    expect(stored.get('acme:late')?.allocations).toEqual([{ productId: 'ctv', percentage: '100' }]);
  });
});
