import { describe, expect, it } from '@jest/globals';
import { getMediaBuys, type MediaBuyView } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { readMediaBuys } from '../read/read-media-buys.js';
import { updateMediaBuy } from '../update/update-media-buy.js';
import { readPortsOf, readRequestOf } from '../testkit/read-requests.js';

const slugs = ['acme', 'bravo'] as const;
const [start, end] = ['2026-12-01T00:00:00Z', '2026-12-31T00:00:00Z'];

async function bought(dates: JsonObject = { start_time: start, end_time: end }) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const made = await createMediaBuy(harness.ports, harness.request(slugs, dates));
  if (!made.ok || made.value.state.buy === undefined) throw new Error('It should be made.');
  return { harness, id: made.value.state.buy.id };
}

/** What a seller's list says of its part from now on. */
function says(harness: BuyingHarness, slug: string, more: JsonObject): void {
  const [known] = harness.seller(slug).buys as JsonObject[];
  if (known === undefined) throw new Error(`${slug} has no buy.`);
  Object.assign(known, more);
}

async function read(harness: BuyingHarness, id: string): Promise<MediaBuyView> {
  harness.clock.advance(1_000);
  const [view] = (
    await readMediaBuys(readPortsOf(harness.ports), readRequestOf(harness), {
      mediaBuyIds: [id],
      includeHistory: 50,
    })
  ).mediaBuys;
  if (view === undefined) throw new Error('It should be there.');
  return view;
}

const findingsOf = async (harness: BuyingHarness, id: string) =>
  ((await harness.store.mediaBuy(harness.scope, id))?.legs ?? []).flatMap(({ seller, findings }) =>
    findings.filter(({ code }) => code === 'TERMS_DIFFER').map(({ field }) => `${seller} ${field ?? ''}`),
  );
const change = (harness: BuyingHarness, args: JsonObject) =>
  updateMediaBuy(harness.ports, harness.change(args));

describe('the flight that a seller reports for its part', () => {
  it('is stored as the seller’s own change: reported once, in the history, beside the agreed one', async () => {
    const { harness, id } = await bought();
    const before = await read(harness, id);
    expect([before.startTime, before.endTime, before.parts]).toEqual([start, end, undefined]);
    says(harness, 'acme', { start_time: '2026-12-03T00:00:00Z', end_time: '2027-01-15T00:00:00+00:00' });
    const view = await read(harness, id);
    // The whole runs from the first start of its parts to their last end.
    expect([view.startTime, view.endTime]).toEqual([start, '2027-01-15T00:00:00+00:00']);
    expect(view.parts).toEqual([
      {
        seller: 'acme',
        status: 'active',
        startTime: '2026-12-03T00:00:00Z',
        endTime: '2027-01-15T00:00:00+00:00',
        asked: { start_time: start, end_time: end },
      },
    ]);
    expect(view.revision).toBe((before.revision ?? 0) + 1);
    expect(view.history?.[0]).toMatchObject({ action: 'updated_dates', actor: 'seller acme' });
    expect(await findingsOf(harness, id)).toEqual(['acme start_time', 'acme end_time']);
    const again = await read(harness, id);
    expect([again.revision, again.history]).toEqual([view.revision, view.history]);
    expect(await findingsOf(harness, id)).toHaveLength(2);
    says(harness, 'acme', { start_time: start, end_time: end });
    const back = await read(harness, id);
    expect([back.endTime, back.parts, back.revision]).toEqual([end, undefined, (view.revision ?? 0) + 1]);
  });

  it('is shown to buyers of each form that lists buys', async () => {
    const { harness, id } = await bought();
    says(harness, 'acme', { end_time: '2027-01-15T00:00:00Z' });
    const view = await read(harness, id);
    const row = (form: '3.0' | '3.1' | 'service') =>
      (
        getMediaBuys.projectAnswer({ mediaBuys: [view] }, { dialect: 'adcp', form })[
          'media_buys'
        ] as JsonObject[]
      )[0];
    const part = { seller: 'acme', end_time: '2027-01-15T00:00:00Z', asked: { end_time: end } };
    for (const form of ['3.0', '3.1'] as const)
      expect(row(form)).toMatchObject({
        end_time: '2027-01-15T00:00:00Z',
        ext: { switchyard: { parts: [part] } },
      });
    expect(row('service')).toMatchObject({ end_time: '2027-01-15T00:00:00Z', parts: [part] });
  });

  it.each([
    ['no time', { end_time: 'soon' }],
    ['a day without a time', { end_time: '2027-01-15' }],
    ['an end before the start', { end_time: '2026-11-30T00:00:00Z' }],
    ['the same instant in other words', { end_time: '2026-12-31T01:00:00+01:00' }],
  ])('is ignored if it is %s', async (_name, dates) => {
    const { harness, id } = await bought();
    const before = await read(harness, id);
    says(harness, 'acme', dates);
    const view = await read(harness, id);
    expect([view.endTime, view.parts, view.revision]).toEqual([end, undefined, before.revision]);
    expect(await findingsOf(harness, id)).toEqual([]);
  });

  it('is no other start if it was requested to begin at once: only its seller resolves that', async () => {
    const { harness, id } = await bought({ start_time: 'asap', end_time: end });
    const before = await read(harness, id);
    says(harness, 'acme', { start_time: '2026-01-02T00:00:00Z' });
    const view = await read(harness, id);
    expect(view.parts).toEqual([{ seller: 'acme', status: 'active', startTime: '2026-01-02T00:00:00Z' }]);
    expect(view.revision).toBe(before.revision);
    expect(await findingsOf(harness, id)).toEqual([]);
  });

  it('is also read from the answers that make and update a part', async () => {
    const harness = await openBuyingHarness({
      acme: { isIdempotent: true, buyMembers: { end_time: '2027-02-01T00:00:00Z' } },
    });
    const made = await createMediaBuy(
      harness.ports,
      harness.request(['acme'], { start_time: start, end_time: end }),
    );
    const id = made.ok ? (made.value.state.buy?.id ?? '') : '';
    expect((await read(harness, id)).endTime).toBe('2027-02-01T00:00:00Z');
    expect(await findingsOf(harness, id)).toEqual(['acme end_time']);
    const answer = { media_buy_id: 'their-1', end_time: '2027-03-01T00:00:00Z', affected_packages: [] };
    harness.seller('acme').fate('update_media_buy', { says: answer });
    await change(harness, { media_buy_id: id, end_time: '2027-03-15T00:00:00Z' });
    says(harness, 'acme', { end_time: '2027-03-01T00:00:00Z' });
    const view = await read(harness, id);
    expect([view.endTime, view.parts?.[0]?.asked]).toEqual([
      '2027-03-01T00:00:00Z',
      { end_time: '2027-03-15T00:00:00Z' },
    ]);
    const dates = view.history?.filter(({ action }) => action === 'updated_dates');
    expect(dates?.map(({ actor }) => actor).sort()).toEqual(['buyer', 'seller acme']);
  });

  it('is no change by the seller while an update of ours is in progress there', async () => {
    const { harness, id } = await bought();
    harness.seller('acme').fate('update_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    await change(harness, { media_buy_id: id, end_time: '2027-01-31T00:00:00Z' });
    says(harness, 'acme', { end_time: '2027-01-31T00:00:00Z' });
    const view = await read(harness, id);
    expect(view.history?.filter(({ actor }) => actor === 'seller acme')).toEqual([]);
    // bravo has accepted: as long as acme has not, its part ends as before.
    expect([view.endTime, view.parts]).toMatchObject([
      '2027-01-31T00:00:00Z',
      [{ seller: 'acme', endTime: end, asked: { end_time: '2027-01-31T00:00:00Z' } }],
    ]);
  });
});

describe('new dates that a buyer requests', () => {
  it('apply at the sellers that accept them, and at none that refuses', async () => {
    const { harness, id } = await bought();
    const refusal = { errors: [{ code: 'ACTION_NOT_ALLOWED', message: 'Not now.' }] };
    harness.seller('acme').fate('update_media_buy', { says: refusal });
    await change(harness, { media_buy_id: id, end_time: '2026-12-20T00:00:00Z' });
    says(harness, 'acme', { end_time: end });
    const view = await read(harness, id);
    // It runs until its last part ends, and that is the one that refused.
    expect([view.endTime, view.parts]).toMatchObject([
      end,
      [{ seller: 'acme', endTime: end, asked: { end_time: '2026-12-20T00:00:00Z' } }],
    ]);
    await change(harness, { media_buy_id: id, end_time: '2026-12-20T00:00:00Z' });
    const after = await read(harness, id);
    expect([after.endTime, after.parts]).toEqual(['2026-12-20T00:00:00Z', undefined]);
  });

  it('are compared with the current dates at each seller, which decide whether an end moves earlier or later', async () => {
    const { harness, id } = await bought();
    const actions = ['shorten_flight', 'pause', 'cancel'].map((action) => ({ action, mode: 'self_serve' }));
    for (const slug of slugs) says(harness, slug, { available_actions: actions });
    says(harness, 'acme', { end_time: '2027-01-31T00:00:00Z' });
    says(harness, 'bravo', { end_time: '2027-01-31T00:00:00Z' });
    await read(harness, id);
    // Later than what was agreed, and earlier than what holds.
    const later = { media_buy_id: id, end_time: '2027-01-15T00:00:00Z' };
    expect((await change(harness, later)).ok).toBe(true);
    const longer = await change(harness, { media_buy_id: id, end_time: '2027-02-15T00:00:00Z' });
    expect(longer).toMatchObject({ ok: false });
  });

  it('begin now if the start is requested at once', async () => {
    const { harness, id } = await bought();
    await change(harness, { media_buy_id: id, start_time: 'asap' });
    const now = harness.clock.now();
    expect(Date.parse((await read(harness, id)).startTime ?? '')).toBe(now);
  });
});
