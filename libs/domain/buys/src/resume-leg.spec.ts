import { describe, expect, it } from '@jest/globals';
import { openBuyingDesk } from '@switchyard/testing';
import { createMediaBuy } from './create-media-buy.js';
import type { Leg } from './operation.js';
import { nextStep } from './resume-leg.js';

/** A leg of a seller that keeps idempotency keys: of all sellers the one to which anything may be sent again. */
async function legAtSafeSeller() {
  const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
  const done = await createMediaBuy(desk.ports, desk.request(['acme']));
  const [leg] = done.ok ? done.value.state.legs : [];
  if (leg === undefined) throw new Error('It should be bought.');
  return { leg, connection: desk.connection('acme') };
}

describe('a leg that was sealed by the brand', () => {
  it.each(['pending', 'sent'] as const)('is read back and never sent when it is %s', async (status) => {
    const { leg: made, connection } = await legAtSafeSeller();
    const { firstSentAt: _sent, leaseUntil: _held, ...bare } = made as Leg & Record<string, unknown>;
    const leg = { ...bare, status } as Leg;
    for (const age of [0, 1, 60_000, 3_600_000, 86_400_000, 864_000_000]) {
      const now = leg.createdAt + age;
      expect(nextStep({ ...leg, sealed: true }, connection, now)).toBe('read_back');
    }
    expect(nextStep(leg, connection, leg.createdAt)).not.toBe('read_back');
  });
});
