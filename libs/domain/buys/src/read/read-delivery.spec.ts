import { describe, expect, it } from '@jest/globals';
import {
  getMediaBuyDelivery as task,
  type Form,
  type GetMediaBuyDeliveryRequest,
  type TaskError,
} from '@switchyard/protocol';
import {
  openBuyingHarness,
  withoutPauses,
  type BuyingHarness,
  type HarnessSeller,
} from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import type { ReadPorts } from '../model/read-request.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { LastFigure } from '../model/last-figures.js';
import { readDelivery, type DeliveryRead } from './read-delivery.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

const minute = 60_000;

async function openHarness(...forms: readonly Form[]): Promise<{ harness: BuyingHarness; id: string }> {
  const slugs = ['acme', 'bravo'].slice(0, forms.length);
  const sellers = slugs.map((slug, at): [string, HarnessSeller] => [
    slug,
    { isIdempotent: true, form: forms[at] ?? '3.1' },
  ]);
  const opened = await openBuyingHarness(Object.fromEntries(sellers));
  return { harness: opened, id: await buy(opened, slugs) };
}

async function buy(at: BuyingHarness, slugs: readonly string[], more: JsonObject = {}): Promise<string> {
  const made = must(await createMediaBuy(at.ports, at.request(slugs, more)));
  return made.state.buy?.id ?? '';
}

const period = { start: '2026-01-01T00:00:00Z', end: '2026-01-03T00:00:00Z' };
const day = (on: number, spend: number): JsonObject => ({
  window_start: `2026-01-0${on}T00:00:00Z`,
  window_end: `2026-01-0${on + 1}T00:00:00Z`,
  totals: { impressions: spend * 100, spend },
});
const says = (totals: JsonObject, more: JsonObject = {}, id = 'their-1') => ({
  says: {
    reporting_period: period,
    currency: 'USD',
    media_buy_deliveries: [{ media_buy_id: id, status: 'active', totals, by_package: [], ...more }],
  },
});

/** A seller that is down: it does not hear the first question, nor the same once more. */
const gone = ['drop', 'drop'] as const;

interface Wishes {
  readonly request?: GetMediaBuyDeliveryRequest;
  readonly figures?: readonly LastFigure[];
  readonly granularities?: Readonly<Record<string, readonly string[]>>;
}

/** Asks as the buyer does; figures are what the ledger holds. */
async function read(
  at: BuyingHarness,
  { request = {}, figures, granularities }: Wishes,
): Promise<DeliveryRead> {
  const listed = await at.ports.connections.list(at.scope);
  const ports: ReadPorts = {
    ...readPortsOf(at.ports),
    clock: withoutPauses(at.clock),
    connections: {
      ...at.ports.connections,
      list: () =>
        Promise.resolve(
          listed.map((connection) =>
            connection.capabilities === undefined
              ? connection
              : {
                  ...connection,
                  capabilities: {
                    ...connection.capabilities,
                    windowedPullGranularities: granularities?.[connection.slug] ?? [],
                  },
                },
          ),
        ),
    },
    ...(figures === undefined ? {} : { figures: { deliveredBy: () => Promise.resolve(figures) } }),
  };
  return readDelivery(ports, readRequestOf(at), request);
}

const codes = (errors: readonly TaskError[]) => errors.map(({ code }) => code);
const fate = (
  at: BuyingHarness,
  slug: string,
  ...fates: Parameters<ReturnType<BuyingHarness['seller']>['fate']>[1][]
) => at.seller(slug).fate('get_media_buy_delivery', ...fates);

describe('a package that a delivery report shows as paused', () => {
  const row = (paused: boolean | undefined, status = 'active', id = 'their-1') =>
    says(
      { spend: 1, impressions: 1 },
      {
        status,
        by_package: [
          { package_id: `${id}-p1`, spend: 1, impressions: 1, ...(paused === undefined ? {} : { paused }) },
        ],
      },
      id,
    );
  const stored = async (at: BuyingHarness, id: string) => {
    const record = await at.store.mediaBuy(at.scope, id);
    const changes = await at.store.changesOf(at.scope, id, 10);
    return {
      paused: record?.packages.map((item) => item.paused === true),
      revision: record?.buy.revision,
      seller: changes.filter(({ actor }) => actor === 'seller').map(({ detail }) => detail),
    };
  };

  it.each(['2.5', '3.0', '3.1'] as const)(
    'is paused by its seller, in %s: stored, with a change record',
    async (form) => {
      const { harness: at, id } = await openHarness(form, '3.1');
      at.clock.advance(1_000);
      fate(at, 'acme', row(true), row(true), row(undefined), row(false));
      const reported = await read(at, {});
      expect(reported.report.deliveries[0]?.byPackage).toMatchObject([
        { packageId: 'acme:their-1-p1', paused: true },
      ]);
      const once = { paused: [true, false], revision: 2, seller: [{ paused: true }] };
      expect(await stored(at, id)).toEqual(once);
      // Said again, or not at all, it is no news.
      await read(at, {});
      await read(at, {});
      expect(await stored(at, id)).toEqual(once);
      await read(at, {});
      expect(await stored(at, id)).toMatchObject({ paused: [false, false], revision: 3 });
    },
  );

  it('is not changed if the whole buy at the seller is paused or over', async () => {
    const { harness: at, id } = await openHarness('3.1', '3.1');
    at.clock.advance(1_000);
    fate(at, 'acme', row(true, 'paused'));
    await read(at, {});
    const untouched = { paused: [false, false], revision: 1, seller: [] };
    expect(await stored(at, id)).toEqual(untouched);
  });

  it('is not changed while an update of ours is unfinished', async () => {
    const { harness: at, id } = await openHarness('3.1', '3.1');
    at.seller('acme').fate('update_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
    const change = { media_buy_id: id, packages: [{ package_id: 'acme:their-1-p1', paused: true }] };
    await updateMediaBuy(at.ports, at.change(change));
    at.clock.advance(1_000);
    fate(at, 'acme', row(true));
    await read(at, {});
    expect(await stored(at, id)).toMatchObject({ paused: [false, false], seller: [] });
  });
});

describe('a seller that answers with more rows than requested', () => {
  const row = (id: string, more: JsonObject = {}): JsonObject => ({
    media_buy_id: id,
    status: 'active',
    totals: { spend: 1, impressions: 1 },
    by_package: [],
    ...more,
  });
  const others = [
    row('anothers', {
      pacing_of_anothers: 1,
      by_package: [{ package_id: 'anothers-p', secret_of_anothers: 1 }],
    }),
    { totals_of_anothers: { spend: 9 } },
  ];

  it('is ignored in those: they are in no finding, count or sum', async () => {
    const { harness: at } = await openHarness('3.1');
    const answer = (...rows: readonly JsonObject[]) => ({
      says: {
        reporting_period: period,
        currency: 'USD',
        aggregated_totals: { spend: 10, only_of_anothers: 1 },
        media_buy_deliveries: [...rows],
      },
    });
    fate(at, 'acme', answer(...others, row('their-1', { pacing_of_ours: 1 })));
    const reported = await read(at, {});
    expect(reported.findings.map(({ field }) => field)).toEqual(['media_buy_deliveries[].pacing_of_ours']);
    expect(reported.rows).toMatchObject([{ status: 'answered', reason: '1 item.', items: 1 }]);
    expect(reported.report.deliveries).toHaveLength(1);
    // As if they had never been there.
    fate(at, 'acme', answer(...others), answer());
    const [crowded, empty] = [await read(at, {}), await read(at, {})];
    const plain = ({ rows, ...rest }: DeliveryRead) => [
      rest.findings.filter(({ field }) => field?.includes('anothers')),
      rest.report.deliveries,
      rest.errors,
      rows.map(({ items }) => items),
    ];
    expect(plain(crowded)).toEqual(plain(empty));
    expect(JSON.stringify([crowded.findings, crowded.rows])).not.toContain('anothers');
  });
});

describe('attribution windows of sellers', () => {
  const window = (days: number): JsonObject => ({
    post_click: { interval: days, unit: 'days' },
    model: 'last_touch',
  });
  const counted = (days: number) => {
    const { says: answer } = says({ spend: 1, impressions: 1 });
    return { says: { ...answer, attribution_window: window(days) } };
  };

  it('R42: are one window if they agree, and a finding for each seller if they do not', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    for (const slug of ['acme', 'bravo']) fate(at, slug, counted(7), counted(slug === 'acme' ? 7 : 30));
    const agreed = await read(at, {});
    expect([agreed.report.attributionWindow, agreed.findings]).toEqual([window(7), []]);
    const apart = await read(at, {});
    expect(apart.report).not.toHaveProperty('attributionWindow');
    expect(apart.findings.map(({ seller, code }) => `${seller} ${code}`)).toEqual([
      'acme ATTRIBUTION_DIFFERS',
      'bravo ATTRIBUTION_DIFFERS',
    ]);
  });
});

describe('delivery of many buys', () => {
  it('is requested from a seller in batches of 100, and all of it is shown', async () => {
    const { harness: at, id } = await openHarness('3.1');
    const others: string[] = [];
    for (let made = 0; made < 120; made += 1)
      others.push(await buy(at, ['acme'], { idempotency_key: `one-of-many-buys-${made}` }));
    const listed = await at.ports.store.mediaBuys(at.scope, { principalId: at.principalId, limit: 200 });
    const ids = listed.flatMap(({ sellerBuys }) =>
      sellerBuys.flatMap((sellerBuy) => sellerBuy.sellerMediaBuyId ?? []),
    );
    const rows = (some: readonly string[]): JsonObject => ({
      reporting_period: period,
      currency: 'USD',
      media_buy_deliveries: some.map((one) => ({
        media_buy_id: one,
        status: 'active',
        totals: { spend: 1, impressions: 1 },
        by_package: [],
      })),
    });
    fate(at, 'acme', { says: rows(ids.slice(0, 100)) }, { says: rows(ids.slice(100)) });
    const { report, errors } = await read(at, {});
    const requested = at.seller('acme').received.filter(({ tool }) => tool === 'get_media_buy_delivery');
    expect(requested.map(({ args }) => (args['media_buy_ids'] as unknown[]).length)).toEqual([100, 21]);
    expect(report.deliveries.filter(({ totalsMissing }) => totalsMissing !== true)).toHaveLength(121);
    expect(report.deliveries.map(({ mediaBuyId }) => mediaBuyId).toSorted()).toEqual(
      [id, ...others].toSorted(),
    );
    expect(errors).toEqual([]);
  });
});

describe('delivery over two sellers', () => {
  it('adds up spend and counts that both report, and leaves out what one of them does not', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1.1, impressions: 100, clicks: 3 }));
    fate(at, 'bravo', says({ spend: 2.2, impressions: 50 }));
    const { report } = await read(at, {});
    expect(report.deliveries[0]?.totals).toEqual({ spend: '3.3', impressions: 150, original: {} });
  });

  it('has no reach and frequency over two sellers: their audiences may overlap', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100, reach: 50, frequency: 2 }));
    fate(at, 'bravo', says({ spend: 2, impressions: 60, reach: 30, frequency: 2 }));
    const { report } = await read(at, {});
    expect(report.deliveries[0]?.totals).toEqual({ spend: '3', impressions: 160, original: {} });
  });

  it('treats a delayed seller as unknown: it is in no sum, and its row has no figure', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', {
      says: {
        reporting_period: period,
        currency: 'USD',
        media_buy_deliveries: [{ media_buy_id: 'their-1', status: 'reporting_delayed', by_package: [] }],
      },
    });
    const { report, bySeller } = await read(at, {});
    expect(report.deliveries[0]).toMatchObject({
      status: 'active',
      totals: { spend: '1', impressions: 100 },
    });
    expect(bySeller.find(({ seller }) => seller === 'bravo')).not.toHaveProperty('totals');
  });

  it.each(['service', '3.1'] as const)(
    'ignores placeholder figures of a delayed seller, in the form %s',
    async (form) => {
      const { harness: at } = await openHarness('3.1', form);
      const held = {
        status: 'reporting_delayed',
        by_package: [{ package_id: 'p', spend: 9, impressions: 9 }],
      };
      const figures = { spend: 9, impressions: 900 };
      const { by_package, status } = held;
      fate(at, 'acme', says({ spend: 1, impressions: 100 }));
      fate(
        at,
        'bravo',
        form === 'service' ? { says: { delivery: { ...figures, status }, by_package } } : says(figures, held),
      );
      const { report, bySeller } = await read(at, {});
      expect(report.deliveries[0]).toMatchObject({ totals: { spend: '1', impressions: 100 }, byPackage: [] });
      expect(bySeller.find(({ seller }) => seller === 'bravo')).not.toHaveProperty('totals');
    },
  );

  it('shows when delayed figures are expected: for each seller, and the earliest time if there are no figures', async () => {
    const late = (expected_availability: string) =>
      says({}, { status: 'reporting_delayed', expected_availability });
    const first = '2026-01-03T04:00:00.000Z';
    const { harness: at } = await openHarness('3.1', '2.5');
    fate(at, 'acme', late('2026-01-03T09:00:00Z'));
    fate(at, 'bravo', late('2026-01-03T06:00:00+02:00'));
    const both = await read(at, {});
    expect(both.report.deliveries[0]).toMatchObject({
      status: 'reporting_delayed',
      expectedAvailability: first,
    });
    expect(both.bySeller).toMatchObject([
      { seller: 'acme', expectedAvailability: '2026-01-03T09:00:00.000Z' },
      { seller: 'bravo', expectedAvailability: first },
    ]);
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', late(first));
    const one = await read(at, {});
    expect(one.report.deliveries[0]).not.toHaveProperty('expectedAvailability');
    expect(one.bySeller[0]).not.toHaveProperty('expectedAvailability');
    expect(one.bySeller[1]).toMatchObject({ seller: 'bravo', expectedAvailability: first });
  });

  it('is delayed as a whole without any figure, and then has no sum, not a zero', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', ...gone);
    fate(at, 'bravo', ...gone);
    const { report } = await read(at, {});
    expect(report.deliveries[0]).toMatchObject({ status: 'reporting_delayed', totalsMissing: true });
    for (const form of ['service', '2.5', '3.0', '3.1'] as const)
      expect(task.projectAnswer(report, { dialect: 'adcp', form })).not.toHaveProperty('aggregated_totals');
  });

  it('accepts the figures of an answer that names no buy if the request named one', async () => {
    const { harness: at } = await openHarness('3.1', 'service');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', { says: { delivery: { spend: 2, impressions: 10 }, by_package: [] } });
    const { report } = await read(at, {});
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '3', impressions: 110 });
  });
});

describe('the final flag of a row', () => {
  const part = (flag: boolean | undefined, ofPackage: boolean | null | undefined = flag, window = 'c7') => {
    const finality = (one: boolean | null | undefined): JsonObject =>
      one === undefined || one === null ? {} : { is_final: one };
    const figures = { impressions: 1, spend: 1 };
    const row = { package_id: 'their-1-p1', ...figures, measurement_window: window, ...finality(ofPackage) };
    return says(figures, { ...finality(flag), by_package: [row] });
  };

  it.each([
    ['is so once all of its sellers say so', part(true), true],
    ['is not while one of them says that it is not', part(false), false],
    ['is unknown while one of them says nothing', part(undefined), undefined],
    ['is unknown while a package is not known to be', part(true, null), undefined],
    ['is unknown while packages are so for different windows', part(true, true, 'c3'), undefined],
    ['is unknown while a seller has not answered', 'drop' as const, undefined],
  ])('%s', async (_what, other, expected) => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', part(true));
    fate(at, 'bravo', ...(other === 'drop' ? gone : [other]));
    expect((await read(at, {})).report.deliveries[0]?.isFinal).toBe(expected);
  });
});

describe('a row beside its figures', () => {
  const final = (finalizedAt: string | undefined) => {
    const row = {
      package_id: 'their-1-p1',
      impressions: 1,
      spend: 1,
      measurement_window: 'c7',
      is_final: true,
    };
    const at = finalizedAt === undefined ? {} : { finalized_at: finalizedAt };
    return says({ impressions: 1, spend: 1 }, { is_final: true, ...at, by_package: [row] });
  };
  const rowOf = async (...answers: readonly ReturnType<typeof says>[]) => {
    const { harness: at } = await openHarness('3.1', '3.1');
    for (const [nth, slug] of (['acme', 'bravo'] as const).entries()) fate(at, slug, answers[nth]!);
    const { report, findings } = await read(at, {});
    return { ...report.deliveries[0], told: findings.map(({ seller, code }) => `${seller} ${code}`) };
  };

  it.each([
    ['2026-02-01T00:00:00Z', '2026-02-01T10:00:00+02:00', '2026-02-01T08:00:00.000Z'],
    ['2026-02-03T00:00:00Z', '2026-02-01T00:00:00Z', '2026-02-03T00:00:00.000Z'],
    ['2026-02-03T00:00:00Z', undefined, undefined],
  ])('is final as of the last of its sellers: %s and %s', async (one, other, expected) => {
    const { isFinal, finalizedAt } = await rowOf(final(one), final(other));
    expect({ isFinal, finalizedAt }).toEqual({ isFinal: true, finalizedAt: expected });
  });

  it('has the pricing model of all of its sellers, or none if they differ, with a finding', async () => {
    const paidBy = (pricing_model: string) => says({ impressions: 1, spend: 1 }, { pricing_model });
    expect(await rowOf(paidBy('cpm'), paidBy('cpm'))).toMatchObject({ pricingModel: 'cpm', told: [] });
    const mixed = await rowOf(paidBy('cpm'), paidBy('cpc'));
    expect([mixed.pricingModel, mixed.told]).toEqual([
      undefined,
      ['acme PRICING_MODEL_DIFFERS', 'bravo PRICING_MODEL_DIFFERS'],
    ]);
  });
});

describe('requested days', () => {
  const requested: GetMediaBuyDeliveryRequest = { startDate: '2026-01-01', endDate: '2026-01-03' };
  const during = (start: string, end: string, spend = 100) => {
    const answer = says({ impressions: 1_000, spend });
    return { says: { ...answer.says, reporting_period: { start, end } } };
  };
  const reportedOf = async (fated: ReturnType<typeof during>) => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', during(period.start, period.end, 20));
    fate(at, 'bravo', fated);
    const { report, findings, bySeller } = await read(at, { request: requested });
    return {
      codes: findings.map(({ seller, code }) => `${seller} ${code}`),
      spend: report.deliveries[0]?.totals.spend,
      period: report.period,
      known: bySeller.map(({ seller, totals }) => [seller, totals !== undefined]),
    };
  };

  it('are summed from daily figures: totals over the life of a buy do not answer them', async () => {
    const lifetime = await reportedOf(during('2025-11-01T00:00:00Z', '2026-01-10T00:00:00Z'));
    expect(lifetime).toEqual({
      codes: ['bravo PERIOD_DIFFERS'],
      spend: '20',
      period: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-03T00:00:00.000Z' },
      known: [
        ['acme', true],
        ['bravo', false],
      ],
    });
    // One day too many is no other way to write the same end.
    expect((await reportedOf(during(period.start, '2026-01-04T00:00:00Z'))).codes).toEqual([
      'bravo PERIOD_DIFFERS',
    ]);
  });

  it.each([
    ['in UTC', period.start, period.end],
    ['in a zone of its own', '2025-12-31T13:00:00Z', '2026-01-02T13:00:00Z'],
    ['to their last second', period.start, '2026-01-02T23:59:59Z'],
    ['in part', '2026-01-02T00:00:00Z', '2026-01-02T12:00:00Z'],
  ])('are answered by a seller that names them %s', async (_how, start, end) => {
    expect(await reportedOf(during(start, end))).toMatchObject({ codes: [], spend: '120' });
  });

  it('are the period of the answer if no seller names one', async () => {
    const { harness: at } = await openHarness('3.1');
    const before = { startDate: '2025-03-01', endDate: '2025-03-08' };
    const nothing = '2026-05-05T00:00:00Z';
    fate(at, 'acme', during(nothing, nothing, 0), during(nothing, nothing, 0));
    const { report } = await read(at, { request: before });
    expect(report.period).toEqual({ start: '2025-03-01T00:00:00.000Z', end: '2025-03-08T00:00:00.000Z' });
    const open = await read(at, { request: { endDate: '2025-03-08' } });
    expect(open.report.period?.end).toBe('2025-03-08T00:00:00.000Z');
  });
});

describe('slices of a period', () => {
  const sliced = { acme: ['daily'], bravo: ['daily'] };

  it('add up if both sellers have them; one that a seller lacks is unknown and left out', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 3, impressions: 300 }, { windows: [day(1, 1), day(2, 2)] }));
    fate(at, 'bravo', says({ spend: 5, impressions: 500 }, { windows: [day(1, 5)] }));
    const { report } = await read(at, { request: { timeGranularity: 'daily' }, granularities: sliced });
    expect(report.deliveries[0]?.slices).toEqual([
      {
        start: '2026-01-01T00:00:00.000Z',
        end: '2026-01-02T00:00:00.000Z',
        spend: '6',
        impressions: 600,
      },
    ]);
  });

  it('are refused if no seller declared the granularity, and nobody is called', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    const { errors, report } = await read(at, {
      request: { timeGranularity: 'hourly' },
      granularities: sliced,
    });
    expect(codes(errors)).toEqual(['UNSUPPORTED_GRANULARITY', 'UNSUPPORTED_GRANULARITY']);
    expect(errors[0]).toMatchObject({ details: { seller: 'acme', supported: ['daily'] } });
    expect(report.deliveries).toEqual([]);
    expect(at.seller('acme').received.map(({ tool }) => tool)).not.toContain('get_media_buy_delivery');
  });

  it('are requested from the seller that declared them; the other one is named and still gives its totals', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', says({ spend: 2, impressions: 100 }));
    const { errors, report } = await read(at, {
      request: { timeGranularity: 'hourly' },
      granularities: { acme: ['hourly'] },
    });
    expect(errors).toMatchObject([{ code: 'UNSUPPORTED_GRANULARITY', details: { seller: 'bravo' } }]);
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '3' });
    const sent = (slug: string) => at.seller(slug).received.at(-1)?.args['time_granularity'];
    expect([sent('acme'), sent('bravo')]).toEqual(['hourly', undefined]);
  });

  it('may be declared for a product only: then they are requested only from its seller', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    const offer = (await at.store.offers(at.scope, ['acme:ctv'])).get('acme:ctv');
    if (offer === undefined) throw new Error('There is no offer.');
    await at.store.saveOffers(at.scope, [
      { connectionId: at.connection('acme').id, offer: { ...offer, windowedPullGranularities: ['hourly'] } },
    ]);
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', says({ spend: 2, impressions: 100 }));
    const { errors } = await read(at, { request: { timeGranularity: 'hourly' } });
    expect(errors).toMatchObject([
      { code: 'UNSUPPORTED_GRANULARITY', details: { seller: 'bravo', supported: [] } },
    ]);
    const sent = (slug: string) => at.seller(slug).received.at(-1)?.args['time_granularity'];
    expect([sent('acme'), sent('bravo')]).toEqual(['hourly', undefined]);
  });
});

describe('days', () => {
  it('are never refused: every seller reports by day, whatever it declares', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1 }));
    fate(at, 'bravo', says({ spend: 2 }));
    const { errors, report } = await read(at, {
      request: { timeGranularity: 'daily' },
      granularities: { acme: ['hourly'] },
    });
    expect(errors).toEqual([]);
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '3' });
  });
});

describe('buys of several currencies', () => {
  it('are added up separately, without a total over them', async () => {
    const { harness: at, id } = await openHarness('3.1');
    const offer = (await at.store.offers(at.scope, ['acme:ctv'])).get('acme:ctv');
    if (offer === undefined) throw new Error('There is no offer.');
    const inEuro = offer.pricingOptions.map((option) => ({ ...option, currency: 'EUR' }));
    await at.store.saveOffers(at.scope, [
      { connectionId: at.connection('acme').id, offer: { ...offer, pricingOptions: inEuro } },
    ]);
    const other = await buy(at, ['acme'], { idempotency_key: 'the-buyers-own-key-2' });
    const row = (media_buy_id: string, spend: number) => ({
      media_buy_id,
      status: 'active',
      totals: { spend, impressions: 1 },
      by_package: [],
    });
    fate(at, 'acme', {
      says: { reporting_period: period, media_buy_deliveries: [row('their-1', 1), row('their-2', 2)] },
    });
    const { report, bySeller } = await read(at, {});
    expect(report.isMixed).toBe(true);
    expect(task.projectAnswer(report, { dialect: 'adcp', form: '3.1' })).not.toHaveProperty(
      'aggregated_totals',
    );
    const received = bySeller.map((delivery) => [
      delivery.mediaBuyId,
      delivery.currency,
      delivery.totals?.spend,
    ]);
    expect(new Map(received.map(([key, ...rest]) => [key, rest]))).toEqual(
      new Map([
        [id, ['USD', '1']],
        [other, ['EUR', '2']],
      ]),
    );
  });
});

describe('a filter by status', () => {
  it('leaves out buys of other states without querying them, and does not report them as missing', async () => {
    const { harness: at, id } = await openHarness('3.1');
    const { report, errors } = await read(at, { request: { mediaBuyIds: [id], statusFilter: ['paused'] } });
    expect([report.deliveries, errors]).toEqual([[], []]);
    expect(at.seller('acme').received.map(({ tool }) => tool)).not.toContain('get_media_buy_delivery');
    fate(at, 'acme', says({ spend: 1, impressions: 1 }));
    const active = await read(at, { request: { statusFilter: ['active'] } });
    expect(active.report.deliveries).toHaveLength(1);
  });

  it('finds delayed buys, which only an answer shows', async () => {
    const { harness: at } = await openHarness('3.1');
    const request = { statusFilter: ['reporting_delayed'] };
    fate(at, 'acme', ...gone, says({ spend: 1, impressions: 1 }));
    expect((await read(at, { request })).report.deliveries).toHaveLength(1);
    expect((await read(at, { request })).report.deliveries).toHaveLength(0);
  });

  it('is read in the terms of its form', () => {
    const filterOf = (form: Form, status_filter: string | string[]) => {
      const requested = task.readRequest({ status_filter }, { dialect: 'adcp', form }, new Map());
      return requested.ok ? requested.value.statusFilter : undefined;
    };
    expect(filterOf('3.1', 'active')).toEqual(['active']);
    expect(filterOf('2.5', ['pending'])).toEqual(['pending_creatives', 'pending_start']);
  });
});

describe('a seller that is down', () => {
  const figure = (at: BuyingHarness, packageRef: string, age: number): LastFigure => ({
    seller: 'bravo',
    packageRef,
    spendMicros: 2_500_000n,
    impressions: 40n,
    asOf: at.clock.now() - age,
  });

  it('is replaced by its last report, marked with its age, and as of the oldest figure', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', ...gone);
    const figures = [figure(at, 'p1', 5 * minute), figure(at, 'p2', 90 * minute)];
    const { report, errors, bySeller, asOf } = await read(at, { figures });
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '6', impressions: 180 });
    expect(report.deliveries[0]?.byPackage.map(({ packageId }) => packageId)).toEqual([
      'bravo:p1',
      'bravo:p2',
    ]);
    expect(report.partialData).toBe(true);
    expect(errors).toMatchObject([
      {
        code: 'STALE_RESPONSE',
        details: { seller: 'bravo', cache_age_seconds: 90 * 60, served_from_cache: true },
      },
    ]);
    expect(asOf).toBe(at.clock.now() - 90 * minute);
    expect(bySeller.map(({ seller, asOf: of }) => [seller, of])).toEqual([
      ['acme', at.clock.now()],
      ['bravo', at.clock.now() - 90 * minute],
    ]);
  });

  it('is unknown if it never reported, and if single days were requested', async () => {
    const { harness: at } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1 }), says({ spend: 1 }));
    fate(at, 'bravo', ...gone, ...gone);
    const [never, days] = [
      await read(at, { figures: [] }),
      await read(at, { request: { startDate: '2026-01-01' }, figures: [figure(at, 'p1', minute)] }),
    ];
    for (const { report, errors, bySeller } of [never, days]) {
      expect(report.deliveries[0]?.totals.spend).toBe('1');
      expect(errors).toEqual([]);
      expect(bySeller[1]).not.toHaveProperty('totals');
    }
  });
});

describe('a seller that omits buys', () => {
  it('is queried for each of them alone, and an id that it does not know stays unknown', async () => {
    const { harness: at, id: one } = await openHarness('3.1');
    // Buys are asked about newest first.
    const next = (key: string): Promise<string> => {
      at.clock.advance(1_000);
      return buy(at, ['acme'], { idempotency_key: key });
    };
    const two = await next('the-second-buy-of-the-suite');
    const three = await next('the-third-buy-of-the-suite');
    const nothing = { says: { reporting_period: period, currency: 'USD', media_buy_deliveries: [] } };
    fate(at, 'acme', says({ spend: 1 }), nothing, says({ spend: 2 }, {}, 'their-2'));
    const { bySeller } = await read(at, { request: { mediaBuyIds: [one, two, three] } });
    const spent = new Map(bySeller.map(({ mediaBuyId, totals }) => [mediaBuyId, totals?.spend]));
    expect([one, two, three].map((id) => spent.get(id))).toEqual(['1', '2', undefined]);
    const arrived = at.seller('acme').received.filter(({ tool }) => tool === 'get_media_buy_delivery');
    expect(arrived.map(({ args }) => args['media_buy_ids'])).toEqual([
      expect.arrayContaining(['their-1', 'their-2', 'their-3']),
      ['their-3'],
      ['their-2'],
    ]);
  });
});

describe('a seller that reports in another currency than that of the buy', () => {
  const inEuro = (more: JsonObject = {}, currency = 'EUR') => {
    const reported = says({ spend: 9, impressions: 900 }, more).says;
    return { says: { ...reported, currency } };
  };

  it.each([
    ['for all of its rows', inEuro()],
    [
      'for a package',
      inEuro(
        { by_package: [{ package_id: 'p', spend: 9, pricing_model: 'cpm', rate: 1, currency: 'EUR' }] },
        'USD',
      ),
    ],
  ])('%s has its figures in no sum, is unknown by itself, and is reported', async (_where, euro) => {
    const { harness: at, id } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', euro);
    const { report, bySeller, findings } = await read(at, {});
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '1', impressions: 100 });
    expect(JSON.stringify([report, bySeller])).not.toContain('EUR');
    expect(bySeller.map(({ seller, totals }) => [seller, totals?.spend])).toEqual([
      ['acme', '1'],
      ['bravo', undefined],
    ]);
    expect(findings).toContainEqual({
      ...{ seller: 'bravo', code: 'CURRENCY_MISMATCH', field: id },
      message: 'It reports in EUR what was bought in USD: its figures are left out.',
    });
  });

  it('is not assumed if its form names no currency: that is its buy’s', async () => {
    const at = await openBuyingHarness({ acme: { isIdempotent: true, form: 'service' } });
    const offer = (await at.store.offers(at.scope, ['acme:ctv'])).get('acme:ctv');
    if (offer === undefined) throw new Error('There is no offer.');
    const pricingOptions = offer.pricingOptions.map((option) => ({ ...option, currency: 'EUR' }));
    const connectionId = at.connection('acme').id;
    await at.store.saveOffers(at.scope, [{ connectionId, offer: { ...offer, pricingOptions } }]);
    await buy(at, ['acme']);
    fate(at, 'acme', { says: { delivery: { impressions: 100, spend: 4 } } });
    const { bySeller, findings } = await read(at, {});
    expect(bySeller.map(({ currency, totals }) => [currency, totals?.spend])).toEqual([['EUR', '4']]);
    expect(findings).toEqual([]);
    // One that names another all the same is taken at its own word.
    fate(at, 'acme', inEuro({}, 'GBP'));
    expect((await read(at, {})).findings.map(({ code }) => code)).toEqual(['CURRENCY_MISMATCH']);
  });
});

describe('a seller that reports an impossible amount', () => {
  it('has unknown figures and an error, and the figures of the others are shown', async () => {
    const { harness: at, id } = await openHarness('3.1', '3.1');
    fate(at, 'acme', says({ spend: 1, impressions: 100 }));
    fate(at, 'bravo', says({ spend: 1e15, impressions: 100 }));
    const { report, bySeller, findings, rows } = await read(at, {});
    expect(report.deliveries[0]?.totals).toMatchObject({ spend: '1', impressions: 100 });
    expect(bySeller.map(({ totals }) => totals?.spend)).toEqual(['1', undefined]);
    expect(rows.map(({ status }) => status)).toEqual(['answered', 'answered']);
    expect(findings).toMatchObject([{ seller: 'bravo', code: 'AMOUNT_TOO_LARGE', field: id }]);
  });
});

describe('a buy that was requested by its id', () => {
  it('and does not exist has its own error, beside the rows of the others', async () => {
    const { harness: at, id } = await openHarness('3.1');
    fate(at, 'acme', says({ spend: 1 }));
    const { report, errors } = await read(at, { request: { mediaBuyIds: [id, 'nobodys', 'not-there'] } });
    expect(report.deliveries.map(({ mediaBuyId }) => mediaBuyId)).toEqual([id]);
    expect(errors.filter(({ code }) => code === 'MEDIA_BUY_NOT_FOUND')).toMatchObject([
      { field: 'media_buy_ids[1]' },
      { field: 'media_buy_ids[2]' },
    ]);
    const alone = { mediaBuyIds: ['nobodys', 'not-there'], isLastIdAlone: true };
    expect((await read(at, { request: alone })).errors).toMatchObject([
      { field: 'media_buy_ids[0]' },
      { field: 'media_buy_id' },
    ]);
  });
});

describe('the time of an answer', () => {
  it('is no later than the oldest state that it shows, with any newer figures', async () => {
    const { harness: at } = await openHarness('3.1');
    const madeAt = at.clock.now();
    at.clock.advance(7 * minute);
    fate(at, 'acme', says({ spend: 1 }));
    const { asOf, bySeller } = await read(at, {});
    expect([asOf, bySeller[0]?.asOf]).toEqual([madeAt, madeAt + 7 * minute]);
  });

  it('is not affected by the buyer’s own session, which reaches no seller', async () => {
    const { harness: at } = await openHarness('3.1');
    fate(at, 'acme', says({ spend: 1 }));
    await read(at, { request: { contextId: 'session-of-the-buyer' } });
    expect(JSON.stringify(at.seller('acme').received)).not.toContain('session-of-the-buyer');
  });
});
