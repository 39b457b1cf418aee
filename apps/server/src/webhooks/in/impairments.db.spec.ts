import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nameOfLocal, readMediaBuys } from '@switchyard/buys';
import { untilWaitedFor } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import { followEnds } from '../../buys/legs/follow-ends.js';
import { specInbox, type SpecSeller } from '../testkit/inbox.js';

let seller: SpecSeller;
let listed: JsonObject[];
let status: string;
let keys = 0;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
  listed = [];
  status = 'active';
  inbox.answerWith((tool) =>
    tool === 'get_media_buys'
      ? {
          media_buys: [
            {
              media_buy_id: seller.sellerMediaBuyId,
              status,
              currency: 'USD',
              packages: [],
              impairments: listed,
            },
          ],
        }
      : undefined,
  );
});

const suspended = (more: JsonObject = {}): JsonObject => ({
  impairment_id: 'imp-1',
  resource_type: 'audience',
  resource_id: 'aud-1',
  package_ids: [seller.packageRef],
  transition: { from: 'active', to: 'suspended' },
  reason_code: 'consent_expired',
  observed_at: '2026-11-21T11:00:00Z',
  ...more,
});

/** Applies an impairment webhook, and polls its buy. */
async function fire(result: JsonObject, look = true): Promise<void> {
  keys += 1;
  inbox.clock.advance(1);
  const body = {
    idempotency_key: `impairment-${String(keys).padStart(8, '0')}`,
    operation_id: seller.sellerOperationId,
    notification_id: 'imp-1',
    task_id: 'task-1',
    task_type: 'create_media_buy',
    status: 'completed',
    timestamp: '2026-11-21T11:00:00Z',
    result: { notification_type: 'impairment', ...result },
  };
  expect((await inbox.post(seller, body, { address: seller.taskAddress })).status).toBe(200);
  const { ended } = await applyInbox(inbox.deps, inbox.scope);
  if (look) await followEnds(inbox.deps, inbox.scope, ended);
}

async function shown() {
  const record = await inbox.deps.ports.store.mediaBuy(inbox.scope, seller.mediaBuyId);
  const { signal } = new AbortController();
  const read = await readMediaBuys(
    inbox.deps.ports,
    { scope: inbox.scope, deadlineMs: 1000, signal, principalId: record?.buy.principalId ?? '' },
    { mediaBuyIds: [seller.mediaBuyId] },
  );
  return read.mediaBuys[0]?.impairments;
}
const entries = async () =>
  (await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).map(({ kind, postings, facts }) => ({
    kind,
    postings: postings.length,
    package: facts['package_ref'],
    resolved: facts['is_resolved'],
  }));
const states = async () =>
  (await inbox.admin.list(inbox.caller, { seller: seller.connection.slug })).map(({ state }) => state);

describe('impairments', () => {
  it('R3: are shown on the buy with our package ids, and are in the ledger without postings', async () => {
    listed = [suspended()];
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' });
    expect(await shown()).toMatchObject([
      { resource_id: 'aud-1', package_ids: [`${seller.connection.slug}:${seller.packageRef}`] },
    ]);
    expect(await entries()).toEqual([
      { kind: 'impairment', postings: 0, package: seller.packageRef, resolved: false },
    ]);
    expect((await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status).toBe('working');
    expect(await inbox.deps.ledger.verify(inbox.scope)).toMatchObject({ ok: true });
  });

  it("of a creative have the buyer's id of it, by webhook and by snapshot, on the buy and in the ledger", async () => {
    const ours = nameOfLocal('spot', seller.connection.id);
    const ofSpot = suspended({ resource_type: 'creative', resource_id: ours, reason: `${ours} is gone.` });
    listed = [ofSpot];
    await fire({ ...ofSpot, media_buy_id: seller.sellerMediaBuyId, health: 'impaired' }, false);
    const received = [await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId), await shown()];
    expect(received[1]).toMatchObject([{ resource_id: 'spot' }]);
    for (const item of received) {
      expect(JSON.stringify(item)).toContain('"spot"');
      expect(JSON.stringify(item)).not.toContain(ours);
    }
  });

  it('are stored once for several webhooks with different keys', async () => {
    listed = [suspended()];
    for (let times = 0; times < 3; times += 1)
      await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' });
    expect(await entries()).toHaveLength(1);
    expect((await states()).sort()).toEqual(['applied', 'stale', 'stale']);
  });

  it('put their buy into the list of impaired buys until they are resolved', async () => {
    const impaired = async () => {
      const filter = { isImpaired: true, limit: 100 } as const;
      const found = await inbox.deps.ports.store.mediaBuys(inbox.scope, filter);
      return found.some(({ buy }) => buy.id === seller.mediaBuyId);
    };
    expect(await impaired()).toBe(false);
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' }, false);
    expect(await impaired()).toBe(true);
    expect(await shown()).toEqual([]);
    expect(await impaired()).toBe(false);
  });

  it('follow the snapshot, which overrides webhooks', async () => {
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' }, false);
    listed = [];
    expect(await shown()).toEqual([]);
    expect((await entries()).map(({ resolved }) => resolved)).toEqual([false, true]);
  });

  it('reported by a webhook during a snapshot are changed only by the next one', async () => {
    const record = await inbox.deps.ports.store.sellerBuyOf(
      inbox.scope,
      seller.connection.id,
      seller.sellerMediaBuyId,
    );
    if (record === undefined) throw new Error('The seller has confirmed it.');
    const between = async (received: JsonObject, health: string, ...late: JsonObject[]) => {
      const askedAt = inbox.clock.now();
      await fire({ ...received, media_buy_id: seller.sellerMediaBuyId, health }, false);
      await inbox.deps.impairments.recordSnapshot(inbox.scope, record, late, askedAt);
      return (await entries()).map(({ resolved }) => resolved);
    };
    const worse = suspended({ transition: { from: 'suspended', to: 'rejected' } });
    expect(await between(suspended(), 'impaired')).toEqual([false]);
    expect(await between(worse, 'impaired', suspended())).toEqual([false, false]);
    expect(await between(worse, 'ok', worse)).toEqual([false, false, true]);
    listed = [suspended()];
    expect(await shown()).toHaveLength(1);
  });

  it('are read from the snapshot if every webhook was lost', async () => {
    listed = [suspended()];
    expect(await shown()).toHaveLength(1);
    listed = [];
    expect(await shown()).toEqual([]);
    expect((await entries()).map(({ resolved }) => resolved)).toEqual([false, true]);
  });

  it('are resolved by a webhook with the same notification id', async () => {
    listed = [suspended()];
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' });
    listed = [];
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'ok' });
    expect(await shown()).toEqual([]);
    expect(await states()).toEqual(['applied', 'applied']);
  });

  it('of an ended buy are not shown, even if its seller still lists them', async () => {
    listed = [suspended()];
    expect(await shown()).toHaveLength(1);
    status = 'completed';
    expect(await shown()).toEqual([]);
  });

  it("are in the order of observation, in any order of the seller's list", async () => {
    const later = { impairment_id: 'imp-2', resource_id: 'aud-2', observed_at: '2026-11-21T11:30:00Z' };
    listed = [suspended(later), suspended()];
    expect((await shown())?.map((row) => row['resource_id'])).toEqual(['aud-1', 'aud-2']);
  });

  it('of an ended buy, reported late, are compared with the snapshot as well', async () => {
    status = 'completed';
    expect(await shown()).toEqual([]);
    await fire({ ...suspended(), media_buy_id: seller.sellerMediaBuyId, health: 'impaired' });
    expect(await shown()).toEqual([]);
    expect((await entries()).map(({ resolved }) => resolved)).toEqual([false, true]);
    expect(await states()).toEqual(['applied']);
  });

  it('of an unknown buy are quarantined', async () => {
    await fire({ ...suspended(), media_buy_id: 'nobodys' });
    expect(await states()).toEqual(['quarantined']);
    expect(await entries()).toEqual([]);
  });

  it('and the last report of a seller take locks in one order, so that they do not deadlock', async () => {
    const record = await inbox.deps.ports.store.sellerBuyOf(
      inbox.scope,
      seller.connection.id,
      seller.sellerMediaBuyId,
    );
    if (record === undefined) throw new Error('The seller has confirmed it.');
    await inbox.deps.impairments.recordSnapshot(inbox.scope, record, [suspended()], inbox.clock.now());
    let seen: Promise<void> | undefined;
    // The lock order of reports: the ledger's head first, and the seller's buy last.
    await inbox.store.inTenant(inbox.scope, async (client) => {
      await client.query('select 1 from journal_head where organization_id = $1 for update', [
        inbox.scope.organizationId,
      ]);
      seen = inbox.deps.impairments.recordSnapshot(inbox.scope, record, [], inbox.clock.now());
      await untilWaitedFor(client);
      await client.query('update seller_buy set reporting_ended_at = now() where id = $1', [record.id]);
    });
    await seen;
    expect(await shown()).toEqual([]);
  });
});
