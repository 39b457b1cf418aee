import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { buyerPath } from './buyer-path.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from '../update/update-media-buy.js';

describe('a path in a seller’s request', () => {
  const places = { packages: [2, 5], new_packages: [1] };

  it.each([
    ['packages[0].budget', 'packages[2].budget'],
    ['packages[1]', 'packages[5]'],
    ['/packages/1/creatives/0', '/packages/5/creatives/0'],
    ['new_packages[0].product_id', 'new_packages[1].product_id'],
    ['packages[2].budget', undefined],
    ['new_packages[1]', undefined],
    ['end_time', 'end_time'],
    ['details.packages[0]', 'details.packages[0]'],
  ])('%s is %s to the buyer', (theirs, known) => {
    expect(buyerPath(theirs, places)).toBe(known);
  });
});

describe('a value that a seller’s form has no member for', () => {
  const seconds = async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true },
      bravo: { isIdempotent: true, form: '2.5' },
    });
    const made = must(
      await createMediaBuy(
        harness.ports,
        harness.request(['acme', 'bravo'], {
          packages: ['acme', 'bravo'].map((seller) => ({
            product_id: `${seller}:ctv`,
            pricing_option_id: 'cpm',
            budget: 1_000,
            agency_estimate_number: 'E-1',
          })),
        }),
      ),
    );
    return { harness, state: made.state };
  };
  const fieldsOf = (
    legs: readonly { readonly seller: string; readonly findings: readonly { field?: string }[] }[],
  ) =>
    legs
      .filter(({ seller }) => seller === 'bravo')
      .flatMap(({ findings }) => findings.flatMap(({ field }) => field ?? []));

  it('is reported at the buyer’s own package, for a buy and for an update', async () => {
    const { harness, state } = await seconds();
    const bought = fieldsOf(state.legs);
    expect(bought).toContain('packages[1].agency_estimate_number');
    expect(bought.filter((field) => field.startsWith('packages[0]'))).toEqual([]);
    const update = must(
      await updateMediaBuy(
        harness.ports,
        harness.change({
          media_buy_id: state.buy?.id ?? '',
          packages: [
            { package_id: 'acme:their-1-p1', budget: 2_000 },
            { package_id: 'bravo:their-1-p1', end_time: '2026-12-01T00:00:00Z' },
          ],
        }),
      ),
    );
    expect(fieldsOf(update.state.legs)).toContain('packages[1].end_time');
  });
});

describe('a value that a seller’s tool has no argument for', () => {
  it('is not sent, and reported', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const tools = {
      create_media_buy: ['idempotency_key', 'account', 'brand', 'packages', 'start_time', 'end_time'],
    };
    const connection = { ...harness.connection('acme'), tools };
    const connections = {
      list: () => Promise.resolve([connection]),
      byId: () => Promise.resolve(connection),
    };
    const made = await createMediaBuy(
      harness.restarted({ connections }),
      harness.request(['acme'], { po_number: 'PO-1', ext: { vendor: { wish: 1 } } }),
    );
    const [leg] = made.ok ? made.value.state.legs : [];
    const received = harness.seller('acme').received[0]?.args ?? {};
    expect(Object.keys(received).toSorted()).toEqual([...tools.create_media_buy].toSorted());
    const lost = leg?.findings.filter(({ code }) => code === 'NOT_CARRIED').map(({ field }) => field);
    expect(lost?.toSorted()).toEqual(['ext', 'po_number']);
  });
});

describe('a finding about one package of a request', () => {
  it('is shown beside the seller of that package, for a buy and for an update', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const [first, second] = ['acme', 'bravo'].map((slug) => ({
      product_id: `${slug}:ctv`,
      pricing_option_id: 'cpm',
      budget: 1_000,
    }));
    const packages = [first ?? {}, { ...second, bid_price: 7 }];
    const made = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo'], { packages })));
    const receivedOf = (
      legs: readonly { seller: string; findings: readonly { code: string; field?: string }[] }[],
    ) =>
      legs.flatMap(({ seller, findings }) =>
        findings.filter(({ code }) => code === 'BID_ON_FIXED_PRICE').map(({ field }) => `${seller} ${field}`),
      );
    expect(receivedOf(made.state.legs)).toEqual(['bravo packages[1].bid_price']);
    const changed = must(
      await updateMediaBuy(
        harness.ports,
        harness.change({
          media_buy_id: made.state.buy?.id ?? '',
          packages: [
            { package_id: 'acme:their-1-p1', budget: 1_100 },
            { package_id: 'bravo:their-1-p1', bid_price: 8 },
          ],
          new_packages: [{ ...second, bid_price: 9 }],
        }),
      ),
    );
    expect(receivedOf(changed.state.legs)).toEqual([
      'bravo packages[1].bid_price',
      'bravo new_packages[0].bid_price',
    ]);
  });
});
