import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { updateMediaBuy } from './update-media-buy.js';

const end = '2027-01-01T00:00:00Z';
const geo = { geo_countries: ['US'] };
const cap = { frequency_cap: { suppress_minutes: 60 } };

/** A change of acme's part, the verb that it needs, and the member that is named where it is not offered. */
const table: readonly (readonly [what: string, change: JsonObject, verb: string, field: string])[] = [
  ['a pause', { paused: true }, 'pause', 'paused'],
  ['a cancellation', { canceled: true }, 'cancel', 'canceled'],
  ['a later end', { end_time: '2027-02-01T00:00:00Z' }, 'extend_flight', 'end_time'],
  ['an earlier end', { end_time: '2026-12-01T00:00:00Z' }, 'shorten_flight', 'end_time'],
  [
    'another start',
    { start_time: '2026-11-01T00:00:00Z', end_time: '2027-02-01T00:00:00Z' },
    'update_flight_dates',
    'start_time',
  ],
  ['a higher budget', one({ budget: 2_000 }), 'increase_budget', 'packages[0].budget'],
  ['a lower budget', one({ budget: 500 }), 'decrease_budget', 'packages[0].budget'],
  [
    'a budget that moves',
    {
      packages: [
        { package_id: 'acme:their-1-p1', budget: 1_100 },
        { package_id: 'acme:their-1-p2', budget: 901 },
      ],
    },
    'reallocate_budget',
    'packages[0].budget',
  ],
  ['other targeting', one({ targeting_overlay: geo }), 'update_targeting', 'packages[0].targeting_overlay'],
  [
    'another cap',
    one({ targeting_overlay: cap }),
    'update_frequency_caps',
    'packages[0].targeting_overlay.frequency_cap',
  ],
  [
    'more keywords',
    one({ keyword_targets_add: [{ keyword: 'coffee', match_type: 'broad' }] }),
    'update_targeting',
    'packages[0].keyword_targets_add',
  ],
  ['another pace', one({ pacing: 'asap' }), 'update_pacing', 'packages[0].pacing'],
  [
    'other assignments',
    one({ creative_assignments: [{ creative_id: 'c-1' }] }),
    'update_creative_assignments',
    'packages[0].creative_assignments',
  ],
  [
    'a creative in place of another',
    one({
      creatives: [
        { creative_id: 'c-2', name: 'C', format_id: { agent_url: 'https://f.example', id: 'd' }, assets: {} },
      ],
    }),
    'replace_creative',
    'packages[0].creatives',
  ],
  ['a package less', one({ canceled: true }), 'remove_packages', 'packages[0].canceled'],
  [
    'an earlier end of a package',
    one({ end_time: '2026-12-20T00:00:00Z' }),
    'shorten_flight',
    'packages[0].end_time',
  ],
  [
    'a later end of a package that has one of its own',
    { packages: [{ package_id: 'acme:their-1-p2', end_time: '2026-12-25T00:00:00Z' }] },
    'extend_flight',
    'packages[0].end_time',
  ],
  [
    'a package more',
    { new_packages: [{ product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 10 }] },
    'add_packages',
    'new_packages[0]',
  ],
];

const every = [...new Set(table.map(([, , verb]) => verb)), 'remove_creative'];

function one(change: JsonObject): JsonObject {
  return { packages: [{ package_id: 'acme:their-1-p1', ...change }] };
}

async function bought(
  offered: JsonObject,
): Promise<{ readonly harness: BuyingHarness; readonly id: string }> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true, buyMembers: offered } });
  const [first, second] = [1_000, 1_001].map((budget) => ({
    product_id: 'acme:ctv',
    pricing_option_id: 'cpm',
    budget,
  }));
  const packages = [first ?? {}, { ...second, end_time: '2026-12-10T00:00:00Z' }];
  const made = await createMediaBuy(harness.ports, harness.request(['acme'], { end_time: end, packages }));
  const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
  return { harness, id };
}

const offering = (verbs: readonly string[]): JsonObject => ({
  available_actions: verbs.map((action) => ({ action, mode: 'self_serve' })),
});

const changed = (harness: BuyingHarness, id: string, change: JsonObject) =>
  updateMediaBuy(harness.ports, harness.change({ media_buy_id: id, ...change }));

const updatesReceived = (harness: BuyingHarness): number =>
  harness.seller('acme').received.filter(({ tool }) => tool === 'update_media_buy').length;

/** Verbs of which each covers the change as well. */
const substitutes: Readonly<Record<string, readonly string[]>> = {
  extend_flight: ['update_flight_dates'],
  shorten_flight: ['update_flight_dates'],
  reallocate_budget: ['increase_budget'],
  update_creative_assignments: ['remove_creative'],
  replace_creative: ['remove_creative'],
};

describe('an update that its seller does not offer', () => {
  it.each(table)('%s is refused before any seller is called', async (_what, change, verb, field) => {
    const others = every.filter((other) => other !== verb && substitutes[verb]?.includes(other) !== true);
    const { harness, id } = await bought(offering(others));
    const refused = await changed(harness, id, change);
    expect(refused).toMatchObject({
      ok: false,
      error: [
        {
          code: 'ACTION_NOT_ALLOWED',
          field,
          details: { seller: 'acme', attempted_action: verb, reason: 'not_supported_on_buy' },
        },
      ],
    });
    const allowed = refused.ok ? [] : refused.error[0]?.details?.['currently_available_actions'];
    expect(allowed).not.toContain(verb);
    expect(updatesReceived(harness)).toBe(0);
  });

  it.each(table)('%s goes to a seller that offers only that action', async (_what, change, verb) => {
    const { harness, id } = await bought(offering([verb]));
    const done = await changed(harness, id, change);
    expect(done.ok ? [] : done.error).toEqual([]);
    expect(updatesReceived(harness)).toBe(1);
  });

  it.each(table)('%s goes to a seller that declares no actions', async (_what, change) => {
    const { harness, id } = await bought({});
    expect((await changed(harness, id, change)).ok).toBe(true);
  });

  it('of a package is covered by the older action for packages, and nothing of the whole buy is', async () => {
    const { harness, id } = await bought({ valid_actions: ['update_packages'] });
    for (const [, change] of table.filter(([, , , field]) => field.startsWith('packages[')))
      if (!JSON.stringify(change).includes('canceled'))
        expect((await changed(harness, id, change)).ok).toBe(true);
    expect(await changed(harness, id, { paused: true })).toMatchObject({
      error: [{ code: 'ACTION_NOT_ALLOWED', details: { attempted_action: 'pause' } }],
    });
  });

  it('names all missing actions at once, and requires none without a change', async () => {
    const { harness, id } = await bought(offering(['cancel']));
    const all = { end_time: '2027-02-01T00:00:00Z', ...one({ budget: 2_000, pacing: 'asap' }) };
    const refused = await changed(harness, id, all);
    expect(refused.ok ? [] : refused.error.map(({ details }) => details?.['attempted_action'])).toEqual([
      'extend_flight',
      'increase_budget',
      'update_pacing',
    ]);
    expect((await changed(harness, id, { end_time: end, ...one({ budget: 1_000 }) })).ok).toBe(true);
  });

  it('at one seller refuses the whole update, and an update of the other seller’s part succeeds', async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true, buyMembers: offering(['cancel']) },
      bravo: { isIdempotent: true },
    });
    const made = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo']));
    const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
    const bravos = { package_id: 'bravo:their-1-p1', budget: 2_000 };
    const both = { packages: [{ package_id: 'acme:their-1-p1', budget: 2_000 }, bravos] };
    expect(await changed(harness, id, both)).toMatchObject({
      error: [{ code: 'ACTION_NOT_ALLOWED', field: 'packages[0].budget', details: { seller: 'acme' } }],
    });
    expect(harness.seller('bravo').received.map(({ tool }) => tool)).toEqual(['create_media_buy']);
    expect((await changed(harness, id, { packages: [bravos] })).ok).toBe(true);
  });
});
