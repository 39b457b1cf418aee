import { describe, expect, it } from '@jest/globals';
import { taskError } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from '../run/follow-leg.js';
import { sendWithRetries } from './send-with-retries.js';

const failing = (code: string, more: JsonObject = {}): { readonly says: JsonObject } => ({
  says: { errors: [{ code, message: 'Not now.', ...more }] },
});

/** Buys at acme while time goes on in steps of 100 ms, and tells when each of its sends arrived, in milliseconds. */
async function bought(harness: BuyingHarness) {
  const startedAt = harness.clock.now();
  const sends: { readonly at: number; readonly args: string }[] = [];
  const { transport } = harness.ports;
  const ports = {
    ...harness.ports,
    transport: {
      ...transport,
      call: (...call: Parameters<typeof transport.call>) => {
        const [, { tool, args }] = call;
        if (tool === 'create_media_buy')
          sends.push({ at: harness.clock.now() - startedAt, args: JSON.stringify(args) });
        return harness.ports.transport.call(...call);
      },
    },
  };
  const made = createMediaBuy(ports, harness.request(['acme']));
  const ends: true[] = [];
  const done = made.finally(() => ends.push(true));
  for (let step = 0; step < 600 && ends.length === 0; step += 1) {
    harness.clock.advance(100);
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  }
  const result = must(await done);
  const [leg] = result.state.legs;
  return { leg, sends, ports };
}

/** How long one leg is left alone before each of its repetitions, in milliseconds. No time passes. */
async function pausesOf(legId: string): Promise<readonly number[]> {
  const pauses: number[] = [];
  const clock: Parameters<typeof sendWithRetries>[0] = {
    now: () => 0,
    after: (ms, done) => {
      pauses.push(ms);
      done();
      return () => undefined;
    },
  };
  const errors = [taskError('SERVICE_UNAVAILABLE', 'Not now.')];
  const reported = { ok: true, value: { reply: { status: 'failed', errors } } };
  const send = (() => Promise.resolve(reported)) as unknown as Parameters<typeof sendWithRetries>[2];
  await sendWithRetries(clock, legId, send, new AbortController().signal);
  return pauses;
}

describe('a request that a seller answers with a transient failure', () => {
  it('is sent again with the same key and bytes, after two seconds and then twice as long, and buys once', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', failing('SERVICE_UNAVAILABLE'), failing('NEW_CODE'));
    const { leg, sends } = await bought(harness);
    expect(leg).toMatchObject({ status: 'completed', errors: [] });
    expect(harness.seller('acme').buys).toHaveLength(1);
    expect(new Set(sends.map(({ args }) => args)).size).toBe(1);
    const [first = 0, second = 0, third = 0] = sends.map(({ at }) => at);
    expect(sends).toHaveLength(3);
    expect(second - first).toBeGreaterThanOrEqual(1_500);
    expect(second - first).toBeLessThanOrEqual(2_700);
    expect(third - second).toBeGreaterThanOrEqual(3_000);
    expect(third - second).toBeLessThanOrEqual(5_200);
  });

  it('is repeated up to a quarter sooner or later, leg by leg, so that legs that failed together are not repeated together', async () => {
    const legs = Array.from({ length: 40 }, (_, index) => `leg-${index}`);
    const all = await Promise.all(legs.map((legId) => pausesOf(legId)));
    for (const [repeat, middle] of [2_000, 4_000].entries()) {
      const pauses = all.map((one) => one[repeat] ?? 0);
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(middle * 0.75);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(middle * 1.25);
      // Of 40 some lie near either end: what is left of the spread is not a little around the middle.
      expect(Math.min(...pauses)).toBeLessThan(middle * 0.85);
      expect(Math.max(...pauses)).toBeGreaterThan(middle * 1.15);
    }
    expect(new Set(all.map((pauses) => JSON.stringify(pauses))).size).toBe(legs.length);
  });

  it("is given up after three retries at most, and the buyer gets the seller's error", async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const many = Array.from({ length: 9 }, () => failing('RATE_LIMITED', { retry_after: 1 }));
    harness.seller('acme').fate('create_media_buy', ...many);
    const { leg, sends } = await bought(harness);
    expect(sends).toHaveLength(4);
    expect(leg).toMatchObject({ status: 'failed', errors: [{ code: 'RATE_LIMITED', retryAfter: 1 }] });
  });

  it('waits as long as the seller requests, and leaves a long wait to the buyer', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', failing('RATE_LIMITED', { retry_after: 7 }));
    const { sends } = await bought(harness);
    expect((sends[1]?.at ?? 0) - (sends[0]?.at ?? 0)).toBeGreaterThanOrEqual(7_000);
    const other = await openBuyingHarness({ acme: { isIdempotent: true } });
    other.seller('acme').fate('create_media_buy', failing('RATE_LIMITED', { retry_after: 60 }));
    const late = await bought(other);
    expect(late.sends).toHaveLength(1);
    expect(late.leg).toMatchObject({ status: 'failed', errors: [{ code: 'RATE_LIMITED', retryAfter: 60 }] });
  });

  it('is sent again if the seller’s server has had too many requests, and the buyer gets the retry time', async () => {
    const busy = { code: 'http_error', httpStatus: 429, delivered: 'no' } as const;
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', { fails: { ...busy, retryAfter: 3 } }, { fails: busy });
    const { leg, sends } = await bought(harness);
    expect([sends.length, leg?.status]).toEqual([3, 'completed']);
    expect((sends[1]?.at ?? 0) - (sends[0]?.at ?? 0)).toBeGreaterThanOrEqual(3_000);
    const other = await openBuyingHarness({ acme: { isIdempotent: true } });
    other.seller('acme').fate('create_media_buy', { fails: { ...busy, retryAfter: 60 } });
    const late = await bought(other);
    expect(late.sends).toHaveLength(1);
    expect(late.leg).toMatchObject({ status: 'failed', errors: [{ code: 'RATE_LIMITED', retryAfter: 60 }] });
  });

  it.each([
    ['correctable', failing('BUDGET_TOO_LOW')],
    ['terminal', failing('ACCOUNT_SUSPENDED')],
    ['of a class that nobody knows', failing('SERVICE_UNAVAILABLE', { recovery: 'someday' })],
    ['for a newer state to be read first', failing('CONFLICT')],
    ['for a person to decide', failing('CAMPAIGN_SUSPENDED')],
  ])('is not sent again if the failure is %s', async (_what, fate) => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', fate);
    const { leg, sends } = await bought(harness);
    expect([sends.length, leg?.status]).toEqual([1, 'failed']);
  });

  it('is not sent again if its seller waits for somebody, with any reason', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const result = failing('SERVICE_UNAVAILABLE').says;
    harness.seller('acme').fate('create_media_buy', {
      says: { status: 'input-required', task_id: 'theirs', result },
    });
    const { leg, sends } = await bought(harness);
    expect([sends.length, leg?.status]).toEqual([1, 'input-required']);
  });

  it('is not sent again to a seller that declares no idempotency', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: false } });
    harness.seller('acme').fate('create_media_buy', failing('SERVICE_UNAVAILABLE'));
    const { leg, sends } = await bought(harness);
    expect([sends.length, leg?.status]).toEqual([1, 'failed']);
  });

  it('keeps the earlier answer if a retry does not arrive; one that may have arrived is read by its key', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', failing('SERVICE_UNAVAILABLE'), 'drop');
    const { leg, sends } = await bought(harness);
    expect([sends.length, leg?.status, leg?.errors[0]?.message]).toEqual([2, 'failed', 'Not now.']);
    const other = await openBuyingHarness({ acme: { isIdempotent: true } });
    other.seller('acme').fate('create_media_buy', failing('SERVICE_UNAVAILABLE'), 'lose');
    expect((await bought(other)).leg?.status).toBe('completed');
    expect(other.seller('acme').buys).toHaveLength(1);
  });

  it('has no outcome while the seller processes another copy of it: it is sent again with the same key', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', failing('IDEMPOTENCY_IN_FLIGHT', { retry_after: 60 }));
    const { leg, ports } = await bought(harness);
    expect(leg?.status).toBe('sent');
    const stored = await harness.store.leg(harness.scope, leg?.id ?? '');
    expect((stored?.nextPollAt ?? 0) - (stored?.sentAt ?? 0)).toBeGreaterThanOrEqual(60_000);
    harness.clock.advance(60_000);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(ports, harness.scope, leg?.id ?? '', { ...run, ...(await secretsOf(harness)) });
    expect((await harness.store.leg(harness.scope, leg?.id ?? ''))?.status).toBe('completed');
    expect(harness.seller('acme').buys).toHaveLength(1);
  });
});

async function secretsOf(harness: BuyingHarness) {
  const connection = harness.connection('acme');
  const leased = await harness.ports.lease(harness.scope, [connection], { operationId: 'o', purpose: 'p' });
  return leased.ok ? (leased.value.get(connection.id) ?? {}) : {};
}
