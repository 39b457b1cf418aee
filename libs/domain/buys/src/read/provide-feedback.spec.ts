import { describe, expect, it } from '@jest/globals';
import { providePerformanceFeedback } from '@switchyard/protocol';
import { openBuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { CreativeStore, LibraryCreative } from '../model/creative-library.js';
import { provideFeedback } from './provide-feedback.js';

const profile = { dialect: 'adcp', form: '3.1' } as const;
const sellers = ['acme', 'beta'] as const;

/** A buy at two sellers, and a library whose one creative stands at these of them. */
async function boughtWith(placedAt: readonly (typeof sellers)[number][]) {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, beta: { isIdempotent: true } });
  const made = must(await createMediaBuy(harness.ports, harness.request([...sellers])));
  const placements = placedAt.map((seller) => ({
    creativeId: 'spot',
    connectionId: harness.connection(seller).id,
    seller,
    status: 'approved',
    syncedAt: 1,
  }));
  const stored = { creative: { creativeId: 'spot' }, placements, assignments: [] };
  const library = new Map([['spot', stored as unknown as LibraryCreative]]);
  const creatives = {
    byIds: (_scope: unknown, ids: readonly string[]) =>
      Promise.resolve(new Map([...library].filter(([id]) => ids.includes(id)))),
    sharedConnections: () => Promise.resolve(new Set<string>()),
  } as unknown as CreativeStore;
  const say = (more: JsonObject) => {
    const args: JsonObject = {
      idempotency_key: 'a-key-of-the-buyer-2',
      media_buy_id: made.state.buy?.id ?? '',
      measurement_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
      performance_index: 1,
      ...more,
    };
    const read = must(providePerformanceFeedback.readRequest(args, profile, new Map()));
    const { scope, principalId } = harness;
    return provideFeedback(
      { ...harness.ports, creatives },
      { scope, principalId, profile, version: '3.1', request: read, args, deadlineMs: 15_000 },
    );
  };
  const sentTo = (): readonly string[] =>
    sellers.filter((slug) =>
      harness.seller(slug).received.some(({ tool }) => tool === 'provide_performance_feedback'),
    );
  return { say, sentTo };
}

describe('feedback on a buy at several sellers', () => {
  it('that names a creative is sent only to those that have it', async () => {
    const { say, sentTo } = await boughtWith(['beta']);
    expect((await say({ creative_id: 'spot' })).ok).toBe(true);
    expect(sentTo()).toEqual(['beta']);
  });

  it('that names a creative which none of them has is refused, and no seller is called', async () => {
    const { say, sentTo } = await boughtWith([]);
    const done = await say({ creative_id: 'spot' });
    expect(done).toMatchObject({
      ok: false,
      error: [{ code: 'CREATIVE_NOT_FOUND', field: 'creative_id' }],
    });
    expect(sentTo()).toEqual([]);
  });

  it('that names no creative, or one outside our library, is sent to all of them', async () => {
    for (const more of [{}, { creative_id: 'made-by-the-seller' }]) {
      const { say, sentTo } = await boughtWith(['beta']);
      expect((await say(more)).ok).toBe(true);
      expect(sentTo()).toEqual([...sellers]);
    }
  });
});
