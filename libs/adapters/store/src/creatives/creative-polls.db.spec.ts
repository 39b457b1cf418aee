import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readCreative } from '@switchyard/protocol';
import { createScope, makeOperation, openTestStore } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { creativeStore } from './creative-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const at = Date.parse('2026-11-01T00:00:00Z');
const minute = 60_000;

/** A creative that its seller has accepted and not decided on. */
async function undecided() {
  const scope = await createScope(store);
  const connectionId = randomUUID();
  const made = makeOperation(scope, {
    sellers: ['acme'],
    connectionIds: { acme: connectionId },
    createdAt: at,
  });
  const creative = readCreative({ creative_id: 'spot', name: 'Spot', assets: {} }, '3.1');
  const placed = { creativeId: 'spot', connectionId, seller: 'acme' };
  await operationStore(store).begin(scope, {
    ...made,
    creatives: {
      creatives: [{ creative, bodyHash: 'h' }],
      placements: [{ ...placed, legId: made.legs[0]!.id }],
      archived: [],
    },
  });
  const library = creativeStore(store);
  const say = (status: 'pending_review' | 'approved', when: number) =>
    library.observe(scope, [{ ...placed, source: 'webhook', isAccepted: true, status }], when);
  await say('pending_review', at);
  return { scope, library, say };
}

describe('a poll of undecided creatives', () => {
  it('has no effect if the seller decides before it, and the creative is not polled again', async () => {
    const { scope, library, say } = await undecided();
    const due = await library.due(scope, at + minute, 10);
    expect(due).toMatchObject([{ creativeId: 'spot' }]);
    await say('approved', at + minute);
    await library.markPolled(scope, due, at + 3 * minute);
    expect(await library.due(scope, at + 9 * minute, 10)).toEqual([]);
  });

  it('without a decision is followed by the next one when that is due', async () => {
    const { scope, library } = await undecided();
    await library.markPolled(scope, await library.due(scope, at + minute, 10), at + 3 * minute);
    expect(await library.due(scope, at + 3 * minute - 1, 10)).toEqual([]);
    expect(await library.due(scope, at + 3 * minute, 10)).toMatchObject([{ creativeId: 'spot' }]);
  });
});
