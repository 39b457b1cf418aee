import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from './follow-leg.js';
import { pollPaceMs } from '../apply/poll-pace.js';

/** What is known of a leg after its seller answered the question how far it is like this, and how long it is left alone. */
async function after(says: JsonObject): Promise<{ status: string | undefined; pauseMs: number }> {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
  const made = await createMediaBuy(harness.ports, harness.request(['acme']));
  const [leg] = made.ok ? made.value.state.legs : [];
  const id = leg?.id ?? '';
  harness.clock.advance(pollPaceMs.withWebhook);
  for (const tool of ['get_task_status', 'tasks_get', 'tasks/get'])
    harness.seller('acme').fate(tool, { says });
  const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
  await followLeg(harness.ports, harness.scope, id, run);
  const stored = await harness.store.leg(harness.scope, id);
  return { status: stored?.status, pauseMs: (stored?.nextPollAt ?? 0) - harness.clock.now() };
}

/** Milliseconds until a seller that said nothing new is asked again. */
async function pauseAfter(says: JsonObject): Promise<number> {
  const { status, pauseMs } = await after(says);
  expect(status).toBe('submitted');
  return pauseMs;
}

const limited = (retryAfter: number): JsonObject => ({
  errors: [{ code: 'RATE_LIMITED', message: 'Slow.', retry_after: retryAfter }],
});

describe('a poll of a task at a seller', () => {
  it('is repeated at the usual pace, up to a tenth later, so that polls spread', async () => {
    const pauses = await Promise.all(
      Array.from({ length: 12 }, () =>
        pauseAfter({ errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'x' }] }),
      ),
    );
    for (const pause of pauses) {
      expect(pause).toBeGreaterThanOrEqual(pollPaceMs.withWebhook);
      expect(pause).toBeLessThanOrEqual(pollPaceMs.withWebhook * 1.1);
    }
    expect(new Set(pauses).size).toBeGreaterThan(1);
  });

  it('has no effect if the answer is about another task', async () => {
    const result = { media_buy_id: 'anothers', packages: [{ package_id: 'p' }] };
    const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    const about = (task_id: string): JsonObject => ({
      ...{ task_id, task_type: 'create_media_buy', protocol: 'media-buy', domain: 'media-buy' },
      ...{ status: 'completed', result, ...times },
    });
    expect((await after(about('theirs'))).status).toBe('completed');
    expect(await pauseAfter(about('anothers'))).toBeGreaterThanOrEqual(pollPaceMs.withWebhook);
  });

  it('is not repeated before the time that the seller set', async () => {
    expect(await pauseAfter(limited(1_800))).toBe(1_800_000);
    // Less than the usual pace is no reason to ask more often.
    expect(await pauseAfter(limited(1))).toBeGreaterThanOrEqual(pollPaceMs.withWebhook);
  });

  it("that no longer knows the task is followed by a search of the seller's buys, where ours is found by its context", async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const seller = harness.seller('acme');
    seller.fate('create_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
    const made = await createMediaBuy(harness.ports, harness.request(['acme']));
    const id = (made.ok ? made.value.state.legs[0]?.id : undefined) ?? '';
    const context = seller.received[0]?.args['context'] ?? {};
    const gone = { errors: [{ code: 'REFERENCE_NOT_FOUND', message: 'No such task.' }] };
    const listed = (of: JsonObject): JsonObject => ({
      media_buys: [
        { media_buy_id: 'ours', status: 'active', currency: 'USD', packages: [], context: of },
      ] as JsonObject[],
    });
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    const look = async (says: JsonObject) => {
      harness.clock.advance(pollPaceMs.withWebhook * 2);
      for (const tool of ['get_task_status', 'tasks_get', 'tasks/get']) seller.fate(tool, { says: gone });
      seller.fate('get_media_buys', { says });
      await followLeg(harness.ports, harness.scope, id, run);
      return harness.store.leg(harness.scope, id);
    };
    expect((await look(listed({ switchyard: { operation_id: 'of-another' } })))?.status).toBe('submitted');
    expect((await look({ errors: gone['errors'] }))?.status).toBe('submitted');
    expect((await look(listed(context as JsonObject)))?.status).toBe('completed');
    expect(seller.received.filter(({ tool }) => tool === 'create_media_buy')).toHaveLength(1);
  });

  it('uses the task tool that the seller lists, and learns the seller again if it refuses the version', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const seller = harness.seller('acme');
    seller.fate('create_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
    const made = await createMediaBuy(harness.ports, harness.request(['acme']));
    const id = (made.ok ? made.value.state.legs[0]?.id : undefined) ?? '';
    harness.clock.advance(pollPaceMs.withWebhook);
    const known = harness.connection('acme');
    const tools = { create_media_buy: [], tasks_get: ['task_id', 'include_result', 'adcp_version'] };
    const older = { ...known, tools, dialect: 'adcp' as const, form: '3.0' as const };
    const relearnt: string[] = [];
    const relearn = () => {
      relearnt.push('acme');
      return Promise.resolve({ ...older, form: '3.1' as const });
    };
    const result = { media_buy_id: 'ours', media_buy_status: 'active', packages: [{ package_id: 'p' }] };
    const task = {
      ...{ task_id: 'theirs', task_type: 'create_media_buy', protocol: 'media-buy', status: 'completed' },
      ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', result },
    };
    seller.fate(
      'tasks_get',
      { says: { errors: [{ code: 'VERSION_UNSUPPORTED', message: 'Name a release.' }] } },
      { says: task },
    );
    const run = { connection: older, signal: new AbortController().signal };
    await followLeg({ ...harness.ports, relearn }, harness.scope, id, run);
    expect((await harness.store.leg(harness.scope, id))?.status).toBe('completed');
    const polls = seller.received.filter(({ tool }) => tool === 'tasks_get');
    expect(polls.map(({ args }) => args['adcp_version'])).toEqual([undefined, '3.1']);
    expect(relearnt).toEqual(['acme']);
  });

  it('that is refused for good is told to a person after minutes, and not before', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const seller = harness.seller('acme');
    seller.fate('create_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
    const made = await createMediaBuy(harness.ports, harness.request(['acme']));
    const id = (made.ok ? made.value.state.legs[0]?.id : undefined) ?? '';
    const told: string[] = [];
    const pollRefused: NonNullable<typeof harness.ports.pollRefused> = (_scope, leg, code) => {
      told.push(`${leg.id} ${code}`);
      return Promise.resolve();
    };
    const says = { errors: [{ code: 'VERSION_UNSUPPORTED', message: 'Not here.' }] };
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    for (let polls = 0; polls < 4; polls += 1) {
      harness.clock.advance(pollPaceMs.withWebhook);
      for (const tool of ['get_task_status', 'tasks_get', 'tasks/get']) seller.fate(tool, { says });
      await followLeg({ ...harness.ports, pollRefused }, harness.scope, id, run);
    }
    // At two and four minutes nobody was told.
    expect(told).toEqual([`${id} VERSION_UNSUPPORTED`, `${id} VERSION_UNSUPPORTED`]);
    expect((await harness.store.leg(harness.scope, id))?.status).toBe('submitted');
  });

  it('of a seller that lists no task tool ends with the buy that the seller shows', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const seller = harness.seller('acme');
    seller.fate('create_media_buy', { says: { status: 'submitted', task_id: 'theirs' } });
    const made = await createMediaBuy(harness.ports, harness.request(['acme']));
    const id = (made.ok ? made.value.state.legs[0]?.id : undefined) ?? '';
    const context = (seller.received[0]?.args['context'] ?? {}) as JsonObject;
    harness.clock.advance(pollPaceMs.withWebhook);
    const unknown = { errors: [{ code: 'INVALID_REQUEST', message: 'Unknown tool.' }] };
    for (const tool of ['get_task_status', 'tasks_get', 'tasks/get']) seller.fate(tool, { says: unknown });
    seller.fate('get_media_buys', {
      says: {
        media_buys: [{ media_buy_id: 'ours', status: 'active', currency: 'USD', packages: [], context }],
      },
    });
    const tools = { create_media_buy: [], get_media_buys: [] };
    const connection = { ...harness.connection('acme'), tools };
    await followLeg(harness.ports, harness.scope, id, { connection, signal: new AbortController().signal });
    expect((await harness.store.leg(harness.scope, id))?.status).toBe('completed');
  });
});
