import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readCreative, type CreatedPackage, type CreativeApproval } from '@switchyard/protocol';
import { createScope, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { creativeApprovals } from './creative-approvals.js';
import { creativeStore } from './creative-store.js';
import { storeEffects } from './store-effects.js';
import { lockCreatives } from './lock-creatives.js';

const at = Date.parse('2026-11-01T00:00:00Z');

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const reported = (packageId: string, ...listed: CreativeApproval[]): CreatedPackage => ({
  packageId,
  creativeApprovals: listed,
  original: { form: '3.1', value: {} },
});

/** A buy with the packages p1 and p2 at acme, which has accepted the creative `spot` and is reviewing it. */
async function bought() {
  const scope = await createScope(store);
  const connectionId = randomUUID();
  const options = { sellers: ['acme'], connectionIds: { acme: connectionId }, packagesPerLeg: 2 };
  const made = makeOperation(scope, { ...options, createdAt: at });
  const legId = made.legs[0]?.id ?? '';
  const creative = readCreative({ creative_id: 'spot', name: 'Spot', assets: {} }, '3.1');
  await operationStore(store).begin(scope, {
    ...made,
    creatives: {
      creatives: [{ creative, bodyHash: 'h' }],
      placements: [{ creativeId: 'spot', connectionId, seller: 'acme', legId }],
      archived: [],
    },
  });
  await operationStore(store).change(scope, legId, (state) => ({
    ...state,
    packages: state.packages.map((item) => ({ ...item, sellerPackageId: `p${item.position + 1}` })),
  }));
  const library = creativeStore(store);
  const seen = {
    creativeId: 'spot',
    connectionId,
    seller: 'acme',
    source: 'inline',
    isAccepted: true,
  } as const;
  await library.observe(scope, [{ ...seen, status: 'pending_review' }], at);
  const part = { mediaBuyId: made.buy.id, connectionId, seller: 'acme' };
  const repository = creativeApprovals(store);
  return {
    scope,
    part,
    saw: (when: number, ...packages: CreatedPackage[]) =>
      repository.recordSnapshot(scope, part, packages, at + when),
    of: async () => Object.fromEntries(await repository.of(scope, [part.mediaBuyId])),
    spot: async () => (await library.byIds(scope, ['spot'])).get('spot'),
  };
}

const approved = { creativeId: 'spot', status: 'approved' } as const;
const rejected = { creativeId: 'spot', status: 'rejected', reason: 'Too loud.' } as const;

describe('approvals of creatives on packages', () => {
  it('are stored by package, and decide the state of the creative at the seller and in the library', async () => {
    const here = await bought();
    await here.saw(1, reported('p1', approved), reported('p2', rejected));
    expect(await here.of()).toEqual({ 'acme:p1': [approved], 'acme:p2': [rejected] });
    expect(await here.spot()).toMatchObject({
      status: 'approved',
      placements: [{ seller: 'acme', status: 'approved' }],
      assignments: [
        { packageId: 'acme:p1', approval: { status: 'approved', asOf: at + 1 } },
        { packageId: 'acme:p2', approval: { status: 'rejected', reason: 'Too loud.', asOf: at + 1 } },
      ],
    });
  });

  it('reject the creative if every package does, with the seller’s reason', async () => {
    const here = await bought();
    await here.saw(1, reported('p1', rejected), reported('p2', rejected));
    expect(await here.spot()).toMatchObject({
      status: 'rejected',
      placements: [{ status: 'rejected', reason: 'Too loud.' }],
    });
  });

  it('are deleted if the seller no longer lists them, and not if it lists nothing', async () => {
    const here = await bought();
    await here.saw(1, reported('p1', approved), reported('p2', rejected));
    const { creativeApprovals: _silent, ...silent } = reported('p1');
    await here.saw(2, silent, reported('p2'));
    expect(await here.of()).toEqual({ 'acme:p1': [approved] });
  });

  it('are not replaced by older ones; the last of two in one list is stored', async () => {
    const here = await bought();
    await here.saw(2, reported('p1', rejected, approved));
    await here.saw(1, reported('p1', rejected));
    expect(await here.of()).toEqual({ 'acme:p1': [approved] });
  });

  it('of packages of another buy or tenant change nothing', async () => {
    const [here, there] = [await bought(), await bought()];
    await here.saw(1, reported('p9', approved));
    expect(await here.of()).toEqual({});
    await creativeApprovals(store).recordSnapshot(here.scope, there.part, [reported('p1', approved)], at + 1);
    expect([await here.of(), await there.of()]).toEqual([{}, {}]);
    expect(await there.spot()).toMatchObject({ placements: [{ status: 'pending_review' }], assignments: [] });
    await there.saw(1, reported('p1', approved));
    expect((await creativeApprovals(store).of(here.scope, [there.part.mediaBuyId])).size).toBe(0);
  });

  it('are stored for creatives that are in no library here', async () => {
    const here = await bought();
    await here.saw(1, reported('p1', { creativeId: 'theirs', status: 'approved' }));
    expect(await here.of()).toEqual({ 'acme:p1': [{ creativeId: 'theirs', status: 'approved' }] });
  });
});

describe('approvals of a creative during another write', () => {
  it('and a leg that assigns other creatives take locks in one order, so that they do not deadlock', async () => {
    const here = await bought();
    await here.saw(1, reported('p1', { creativeId: 'spot', status: 'pending_review' }));
    let seen: Promise<void> | undefined;
    // The lock order of a change of a leg: the creatives first, and the packages with new ones last.
    await store.inTenant(here.scope, async (client) => {
      await lockCreatives(client, ['spot']);
      seen = here.saw(2, reported('p1', approved));
      await untilWaitedFor(client);
      const released = [{ packageId: 'acme:p1', remaining: [] }];
      await storeEffects(client, { placements: [], assignments: [], released }, at + 2);
    });
    await seen;
    expect(await here.of()).toEqual({ 'acme:p1': [approved] });
  });

  it('follow the current state of the library', async () => {
    const here = await bought();
    let seen: Promise<void> | undefined;
    await store.inTenant(here.scope, async (client) => {
      await lockCreatives(client, ['spot']);
      seen = here.saw(2, reported('p1', rejected));
      await untilWaitedFor(client);
      const { connectionId, seller } = here.part;
      const decided = {
        creativeId: 'spot',
        connectionId,
        seller,
        source: 'webhook',
        status: 'approved',
      } as const;
      await storeEffects(client, { placements: [decided], assignments: [] }, at + 1);
    });
    await seen;
    expect(await here.spot()).toMatchObject({ status: 'approved', placements: [{ status: 'approved' }] });
  });
});
