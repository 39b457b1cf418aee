import { describe, expect, it } from '@jest/globals';
import {
  createMediaBuy as createTask,
  lostInAnswer,
  type CreatedPackage,
  type PackageRequest,
  type PackageUpdate,
} from '@switchyard/protocol';
import { openBuyingHarness, type Fate } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { viewBuy } from '../read/buy-view.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import {
  differingTerms,
  draftTerms,
  termsShown,
  withTermsChanged,
  withReportedTerms,
} from './stored-terms.js';
import type { BuyPackage } from '../model/operation.js';
import { readMediaBuys } from '../read/read-media-buys.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

const vendor = { domain: 'counts.example' };
const terms = {
  pacing: 'even',
  impressions: 1000,
  start_time: '2026-02-01T00:00:00Z',
  measurement_terms: { billing_measurement: { vendor, max_variance_percent: 5 } },
};
const wanted = (value: JsonObject): PackageRequest =>
  ({ original: { form: '3.1', value } }) as unknown as PackageRequest;
const item = (more: Partial<BuyPackage>): BuyPackage =>
  ({ seller: 'acme', budgetMicros: 5_000_000n, currency: 'USD', position: 0, ...more }) as BuyPackage;
const says = (reportedTerms: JsonObject, targeting?: JsonObject): CreatedPackage =>
  ({ reportedTerms, ...(targeting === undefined ? {} : { targeting }) }) as CreatedPackage;

describe('the terms of a package', () => {
  it('are those that the buyer requested while its seller reports no others', () => {
    const own = item({ terms: draftTerms(wanted(terms), terms) });
    expect(termsShown(own)).toEqual({ holding: terms, requested: {} });
  });

  it('R4: are those that the seller reports, beside the requested ones', () => {
    const countered = { billing_measurement: { vendor, max_variance_percent: 10 } };
    const own = withReportedTerms(
      item({ terms: draftTerms(wanted(terms), terms) }),
      says({ ...terms, measurement_terms: countered, creative_deadline: '2026-01-15T00:00:00Z' }),
    );
    expect(termsShown(own)).toEqual({
      holding: { ...terms, measurement_terms: countered, creative_deadline: '2026-01-15T00:00:00Z' },
      requested: { measurement_terms: terms.measurement_terms },
    });
    expect(differingTerms(own, 5_000_000n, 'packages[0]')).toEqual([
      {
        code: 'TERMS_DIFFER',
        message: 'What we ordered as measurement_terms differs from what the seller stored.',
        field: 'packages[0].measurement_terms',
      },
    ]);
  });

  it('R6: the agreed deadline for final figures is stored, and a counter-offer is a finding', () => {
    const measured = (hours: number) => ({
      measurement_terms: {
        billing_measurement: { vendor, measurement_window: 'c7', finalization_deadline_hours: hours },
      },
    });
    const agreed = item({ terms: draftTerms(wanted(measured(48)), measured(48)) });
    expect(termsShown(agreed).holding).toEqual(measured(48));
    const countered = withReportedTerms(agreed, says(measured(96)));
    expect(termsShown(countered)).toEqual({ holding: measured(96), requested: measured(48) });
    expect(differingTerms(countered, 5_000_000n, 'p').map(({ code }) => code)).toEqual(['TERMS_DIFFER']);
  });

  it('do not apply if the seller never got them', () => {
    const own = item({ terms: draftTerms(wanted(terms), { pacing: 'even' }) });
    const { pacing, ...unsent } = terms;
    expect(termsShown(own)).toEqual({ holding: { pacing }, requested: unsent });
  });

  it('are equal for the same instant in any notation', () => {
    const own = withReportedTerms(
      item({ terms: draftTerms(wanted(terms), terms) }),
      says({ start_time: '2026-02-01T01:00:00+01:00' }),
    );
    expect(termsShown(own)).toEqual({ holding: terms, requested: {} });
    expect(differingTerms(own, undefined, 'packages[0]')).toEqual([]);
  });

  it('name a budget that its seller has at another amount', () => {
    const own = item({ terms: draftTerms(wanted({}), {}) });
    expect(differingTerms(own, 4_000_000n, 'packages[0]').map(({ field }) => field)).toEqual([
      'packages[0].budget',
    ]);
  });

  it('are shown in the buyer’s notation if its seller repeats them in its own', () => {
    const requested = { signal_targeting: [{ signal_agent_segment_id: 'data:coffee' }] };
    const keyed = { signal_targeting: [{ signal_agent_segment_id: 'coffee', activation_key: { key: 'k' } }] };
    const own = withReportedTerms(
      item({ targeting: requested, terms: draftTerms(wanted({}), { targeting_overlay: keyed }) }),
      says({}, keyed),
    );
    expect(termsShown(own)).toEqual({ holding: { targeting_overlay: requested }, requested: {} });
  });

  it('are stored without the tokens of lists', () => {
    const list = { agent_url: 'https://lists.example', list_id: 'one' };
    const overlay = { property_list: { ...list, auth_token: 'secret' } };
    const own = withReportedTerms(
      item({ terms: draftTerms(wanted({ targeting_overlay: overlay }), { targeting_overlay: overlay }) }),
      says({}, { ...overlay, geo_countries: ['US'] }),
    );
    expect(JSON.stringify(own.terms)).not.toContain('secret');
  });

  it('are replaced by an update, and earlier reports about them no longer count', () => {
    const before = withReportedTerms(
      item({ terms: draftTerms(wanted(terms), terms) }),
      says({ pacing: 'asap', impressions: 900 }),
    );
    const change = { original: { form: '3.1', value: { pacing: 'front_loaded' } } };
    const after = withTermsChanged(before, change as unknown as PackageUpdate);
    expect(termsShown(after)).toEqual({
      holding: { ...terms, pacing: 'front_loaded', impressions: 900 },
      requested: { impressions: 1000 },
    });
  });

  it('of packages without stored terms are their bid and their targeting', () => {
    const own = item({ bidMicros: 2_500_000n, targeting: { geo_countries: ['US'] } });
    expect(termsShown(own)).toEqual({
      holding: { bid_price: 2.5, targeting_overlay: { geo_countries: ['US'] } },
      requested: {},
    });
    expect(termsShown(withReportedTerms(own, says({ bid_price: 3 })))).toMatchObject({
      holding: { bid_price: 3 },
      requested: { bid_price: 2.5 },
    });
  });

  it('stay the same object without a change', () => {
    const own = withReportedTerms(
      item({ terms: draftTerms(wanted(terms), terms) }),
      says({ pacing: 'even' }),
    );
    expect(withReportedTerms(own, says({ pacing: 'even' }))).toBe(own);
  });
});

describe('a buy over three forms', () => {
  const bought = async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true },
      bravo: { isIdempotent: true, form: '3.0' },
      cargo: { isIdempotent: true, form: 'service' },
    });
    const packages = ['acme', 'bravo', 'cargo'].map((slug) => ({
      product_id: `${slug}:ctv`,
      pricing_option_id: 'cpm',
      budget: 1000,
      context: { line: slug },
      pacing: 'even',
      measurement_terms: terms.measurement_terms,
      targeting_overlay: { geo_countries: ['US'] },
    }));
    const made: Fate = {
      says: {
        media_buy_id: 'b1',
        media_buy_status: 'active',
        confirmed_at: '2026-01-01T00:00:00Z',
        revision: 1,
        packages: [{ package_id: 'p1', product_id: 'ctv', budget: 900, pacing: 'asap' }],
      },
    };
    harness.seller('acme').fate('create_media_buy', made);
    const outcome = await createMediaBuy(
      harness.ports,
      harness.request(['acme', 'bravo', 'cargo'], { packages }),
    );
    if (!outcome.ok || outcome.value.state.buy === undefined) throw new Error('It should be made.');
    return { harness, state: outcome.value.state, buy: outcome.value.state.buy };
  };

  it('shows the current terms of each package, beside the requested ones', async () => {
    const { state, buy } = await bought();
    const shown = viewBuy({ ...state, buy }).packages.map(
      ({ packageId, reportedTerms, asked, targeting }) => ({
        at: packageId.split(':')[0],
        reportedTerms,
        asked,
        targeting,
      }),
    );
    const { measurement_terms } = terms;
    const targeting = { geo_countries: ['US'] };
    expect(shown).toEqual([
      {
        at: 'acme',
        reportedTerms: { pacing: 'asap', measurement_terms },
        asked: { pacing: 'even', budget: 1000 },
        targeting,
      },
      { at: 'bravo', reportedTerms: { pacing: 'even', measurement_terms }, asked: undefined, targeting },
      { at: 'cargo', reportedTerms: { pacing: 'even' }, asked: { measurement_terms }, targeting },
    ]);
  });

  it('reports the seller with other terms, and the one that has no member for them', async () => {
    const { state } = await bought();
    const received = state.legs.map(({ seller, findings }) => [
      seller,
      findings.filter(({ code }) => code !== 'UNSIGNED').map(({ code, field }) => `${code} ${field ?? ''}`),
    ]);
    expect(Object.fromEntries(received)).toMatchObject({
      acme: ['TERMS_DIFFER packages[0].budget', 'TERMS_DIFFER packages[0].pacing'],
      bravo: [],
      cargo: expect.arrayContaining(['NOT_CARRIED packages[2].measurement_terms']),
    });
  });

  it('keeps a seller’s reported terms when it no longer answers', async () => {
    const { harness, buy } = await bought();
    const ports = readPortsOf(harness.ports);
    const [theirs] = harness.seller('acme').buys;
    const seen: JsonObject = {
      media_buy_id: 'b1',
      status: 'active',
      revision: 2,
      packages: [{ package_id: 'p1', creative_deadline: '2026-01-20T00:00:00Z', pacing: 'front_loaded' }],
    };
    if (theirs === undefined) (harness.seller('acme').buys as JsonObject[]).push(seen);
    else Object.assign(theirs, seen);
    const first = await readMediaBuys(ports, readRequestOf(harness), { mediaBuyIds: [buy.id] });
    const record = await harness.store.mediaBuy(harness.scope, buy.id);
    const holding = { pacing: 'front_loaded', creative_deadline: '2026-01-20T00:00:00Z' };
    expect(first.mediaBuys[0]?.packages[0]?.reportedTerms).toMatchObject(holding);
    expect(viewBuy(record!).packages[0]?.reportedTerms).toMatchObject(holding);
  });

  it('applies an update of them once its seller has accepted it', async () => {
    const { harness, state, buy } = await bought();
    const packageId = viewBuy({ ...state, buy }).packages[1]?.packageId ?? '';
    const change = { media_buy_id: buy.id, packages: [{ package_id: packageId, pacing: 'front_loaded' }] };
    const done = await updateMediaBuy(harness.ports, harness.change(change));
    expect(done.ok).toBe(true);
    const record = await harness.store.mediaBuy(harness.scope, buy.id);
    expect(viewBuy(record!).packages[1]?.reportedTerms).toMatchObject({ pacing: 'front_loaded' });
  });
});

describe('members of packages that only sellers set', () => {
  const dressed = {
    creative_assignments: [{ creative_id: 'spot', weight: 60 }],
    format_ids_to_provide: [{ agent_url: 'https://formats.example', id: 'end-card' }],
  };
  const slugs = ['acme', 'bravo', 'cargo'] as const;
  const bought = async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true },
      bravo: { isIdempotent: true, form: '2.5' },
      cargo: { isIdempotent: true, form: '3.0' },
    });
    for (const slug of slugs)
      harness.seller(slug).fate('create_media_buy', {
        says: { media_buy_id: `b-${slug}`, packages: [{ package_id: 'p1', product_id: 'ctv', ...dressed }] },
      });
    const made = await createMediaBuy(harness.ports, harness.request(slugs));
    if (!made.ok || made.value.state.buy === undefined) throw new Error('It should be made.');
    const { state } = made.value;
    return { harness, view: viewBuy({ ...state, buy: made.value.state.buy }) };
  };

  it('are in the answer, package by package, in each form with a member for them, and reported otherwise', async () => {
    const { view } = await bought();
    const { packages, ...buy } = view;
    for (const form of ['2.5', '3.0', '3.1'] as const)
      expect(createTask.projectAnswer({ ...buy, packages }, { dialect: 'adcp', form })['packages']).toEqual(
        slugs.map(() => expect.objectContaining(dressed)),
      );
    const service = { dialect: 'ads', form: 'service' } as const;
    const written = createTask.projectAnswer({ ...buy, packages }, service);
    expect(JSON.stringify(written)).not.toContain('format_ids_to_provide');
    const fields = lostInAnswer('create_media_buy', view, written, 'service').map(({ field }) => field);
    expect(fields).toEqual(
      expect.arrayContaining(['packages[].creative_assignments', 'packages[].format_ids_to_provide']),
    );
  });

  it('are stored for later reads, and are no terms of the buyer', async () => {
    const { harness, view } = await bought();
    const record = await harness.store.mediaBuy(harness.scope, view.mediaBuyId);
    const stored = viewBuy(record!).packages;
    expect(stored.map(({ reportedTerms }) => reportedTerms)).toEqual(
      slugs.map(() => expect.objectContaining(dressed)),
    );
    expect(stored.map(({ asked }) => asked)).toEqual([undefined, undefined, undefined]);
  });

  it('expire once other creatives are on the package, and are no change by the seller when they are new', async () => {
    const { harness, view } = await bought();
    const packageId = view.packages[0]?.packageId ?? '';
    const change = {
      media_buy_id: view.mediaBuyId,
      packages: [{ package_id: packageId, creative_assignments: [{ creative_id: 'other' }] }],
    };
    harness
      .seller('acme')
      .fate('update_media_buy', { says: { media_buy_id: 'b-acme', affected_packages: [] } });
    expect((await updateMediaBuy(harness.ports, harness.change(change))).ok).toBe(true);
    const received = async () =>
      viewBuy((await harness.store.mediaBuy(harness.scope, view.mediaBuyId))!).packages[0]?.reportedTerms ??
      {};
    expect(Object.keys(await received())).not.toContain('creative_assignments');
    const before = await harness.store.changesOf(harness.scope, view.mediaBuyId, 100);
    const newer = [{ creative_id: 'other', weight: 10 }];
    for (const creative_assignments of [[], newer]) {
      const seen = {
        media_buy_id: 'b-acme',
        status: 'active',
        packages: [{ package_id: 'p1', creative_assignments }],
      };
      (harness.seller('acme').buys as JsonObject[]).splice(0, 1, seen);
      harness.clock.advance(1_000);
      await readMediaBuys(readPortsOf(harness.ports), readRequestOf(harness), {
        mediaBuyIds: [view.mediaBuyId],
      });
    }
    expect(await received()).toMatchObject({ creative_assignments: newer });
    expect(await harness.store.changesOf(harness.scope, view.mediaBuyId, 100)).toEqual(before);
  });
});
