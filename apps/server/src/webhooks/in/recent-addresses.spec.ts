import { describe, expect, it } from '@jest/globals';
import type { WebhookRegistration } from '@switchyard/events';
import type { Connection } from '@switchyard/sellers';
import { testClock } from '@switchyard/testing';
import { recentAddresses } from './recent-addresses.js';

const registration = { id: 'r1', organizationId: 'o1', connectionId: 'c1' } as WebhookRegistration;
const connection = { id: 'c1', slug: 'acme' } as Connection;

/** A database that counts its questions and answers with what the test has put there. */
function desk() {
  const clock = testClock();
  const state = { asked: 0, isDown: false, connection: connection as Connection | undefined };
  const addresses = recentAddresses({
    clock,
    registrations: {
      find: (id) => {
        state.asked += 1;
        if (state.isDown) return Promise.reject(new Error('down'));
        return Promise.resolve(id === 'r1' ? registration : undefined);
      },
    },
    connections: { byId: () => Promise.resolve(state.connection) },
  });
  return { clock, state, addresses };
}

describe('recentAddresses', () => {
  it('queries once for all webhooks to an address within a second, also during the query', async () => {
    const { state, addresses, clock } = desk();
    const found = await Promise.all([addresses.find('r1'), addresses.find('r1')]);
    clock.advance(999);
    expect([...found, await addresses.find('r1')]).toEqual(Array(3).fill({ registration, connection }));
    expect(state.asked).toBe(1);
  });

  it('sees a change of the seller after a second', async () => {
    const { state, addresses, clock } = desk();
    await addresses.find('r1');
    state.connection = { ...connection, slug: 'other' };
    clock.advance(1_000);
    expect((await addresses.find('r1'))?.connection.slug).toBe('other');
    state.connection = undefined;
    clock.advance(1_000);
    expect(await addresses.find('r1')).toBeUndefined();
  });

  it('stores neither unknown addresses nor failed queries', async () => {
    const { state, addresses } = desk();
    expect(await addresses.find('r2')).toBeUndefined();
    expect(await addresses.find('r2')).toBeUndefined();
    expect(state.asked).toBe(2);
    state.isDown = true;
    await expect(addresses.find('r1')).rejects.toThrow('down');
    state.isDown = false;
    expect(await addresses.find('r1')).toEqual({ registration, connection });
  });
});
