import { describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import { openBuyingDesk } from '@switchyard/testing';
import { createMediaBuy } from './create-media-buy.js';

/** Buys at a seller that refuses with this code, and tells who was asked anew what it speaks. */
async function bought(code: string, relearn?: (known: Connection) => Promise<Connection | undefined>) {
  const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
  desk.seller('acme').fate('create_media_buy', { says: { errors: [{ code, message: 'Not here.' }] } });
  const learnt: string[] = [];
  const ports = {
    ...desk.ports,
    relearn: ({ organizationId }: { organizationId: string }, connection: Connection) => {
      learnt.push(`${organizationId === desk.scope.organizationId ? 'ours' : 'theirs'} ${connection.slug}`);
      return relearn?.(connection) ?? Promise.resolve(undefined);
    },
  };
  const made = await createMediaBuy(ports, desk.request(['acme']));
  const [leg] = made.ok ? made.value.state.legs : [];
  return { learnt, leg, buys: desk.seller('acme').buys.length };
}

describe('a change that a seller refuses because it is not what it was taken for', () => {
  it.each(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE'])(
    'has the seller asked anew what it speaks and offers (%s), and its error stands',
    async (code) => {
      const { learnt, leg, buys } = await bought(code);
      expect(learnt).toEqual(['ours acme']);
      expect([leg?.status, leg?.errors.map((one) => one.code), buys]).toEqual(['failed', [code], 0]);
    },
  );

  it('is told of all the same where the seller cannot be asked', async () => {
    const { learnt, leg } = await bought('VERSION_UNSUPPORTED', () => Promise.reject(new Error('gone')));
    expect([learnt.length, leg?.status]).toEqual([1, 'failed']);
  });

  it('asks nobody anything where it has another reason', async () => {
    expect((await bought('BUDGET_TOO_LOW')).learnt).toEqual([]);
  });
});
