import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createBookedBuy, createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

describe('a seller’s buy, and other tenants', () => {
  it('is taken only if another tenant has it at the same address', async () => {
    const [mine, theirs] = [await createOrganization(store), await createOrganization(store)];
    const seller = `shared-${randomUUID().slice(0, 8)}`;
    const own = await createBookedBuy(store, mine.id, { seller });
    const others = await createBookedBuy(store, theirs.id, { seller });
    const elsewhere = async (connectionId: string, id?: string): Promise<string> =>
      (await operationStore(store).holdersOf({ organizationId: mine.id }, connectionId, id ?? '')).elsewhere;
    expect(await elsewhere(own.connectionId, others.sellerMediaBuyId)).toBe('taken');
    expect(await elsewhere(own.connectionId, own.sellerMediaBuyId)).toBe('shared');
    expect(await elsewhere(own.connectionId, 'nobody-has-it')).toBe('shared');
    const named = [own.connectionId, own.sellerMediaBuyId ?? ''] as const;
    const holders = await operationStore(store).holdersOf({ organizationId: mine.id }, ...named);
    expect(holders.own).toEqual(
      await operationStore(store).sellerBuyOf({ organizationId: mine.id }, ...named),
    );
    expect(holders.own?.sellerMediaBuyId).toBe(own.sellerMediaBuyId);
    const alone = await createBookedBuy(store, mine.id);
    expect(await elsewhere(alone.connectionId, others.sellerMediaBuyId)).toBe('own');
  });

  it("is not visible over another tenant's connection", async () => {
    const [mine, theirs] = [await createOrganization(store), await createOrganization(store)];
    const others = await createBookedBuy(store, theirs.id);
    for (const id of [others.sellerMediaBuyId ?? '', 'anything'])
      expect(
        await operationStore(store).holdersOf({ organizationId: mine.id }, others.connectionId, id),
      ).toEqual({ elsewhere: 'taken' });
  });
});
