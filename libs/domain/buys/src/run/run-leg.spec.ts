import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import { nextStep } from './run-leg.js';
import { webhookSecretPlace } from '../model/webhook-secret.js';

/** A leg of a seller that keeps idempotency keys: of all sellers the one to which anything may be sent again. */
async function legAtSafeSeller() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
  const done = await createMediaBuy(harness.ports, harness.request(['acme']));
  const [leg] = done.ok ? done.value.state.legs : [];
  if (leg === undefined) throw new Error('It should be bought.');
  return { leg, connection: harness.connection('acme') };
}

describe('a leg that was sealed by the brand', () => {
  it.each(['pending', 'sent'] as const)('is looked up and never sent when it is %s', async (status) => {
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

describe('a leg with an unknown outcome', () => {
  it("is sent again within the seller's replay window, one hour if it declares none", async () => {
    const { leg: made, connection } = await legAtSafeSeller();
    const leg: Leg = { ...made, status: 'sent', attempts: 1 };
    const stepAfter = (seconds: number, replayTtlSeconds?: number) => {
      const { capabilities } = connection;
      if (capabilities === undefined) throw new Error('acme says nothing of itself.');
      const idempotency = {
        supported: true,
        ...(replayTtlSeconds === undefined ? {} : { replayTtlSeconds }),
      };
      const known = { ...connection, capabilities: { ...capabilities, idempotency } };
      return nextStep(leg, known, leg.createdAt + seconds * 1_000);
    };
    // A key is left alone in its last two minutes.
    expect([stepAfter(3_479), stepAfter(3_480)]).toEqual(['send_again', 'read_back']);
    expect([stepAfter(86_279, 86_400), stepAfter(86_280, 86_400)]).toEqual(['send_again', 'read_back']);
  });

  it('is not sent again with another secret for its webhooks: the bytes would differ', async () => {
    const { leg, connection } = await legAtSafeSeller();
    const authentication = {
      schemes: ['HMAC-SHA256'],
      credentials: webhookSecretPlace({ credentialId: 'of-then' }),
    };
    const args = { ...outboundOf(leg), reporting_webhook: { url: 'https://us.example', authentication } };
    const marked: Leg = { ...leg, status: 'sent', attempts: 1, outbound: JSON.stringify(args) };
    const stepWith = (webhookCredentialId: string) =>
      nextStep(marked, { ...connection, webhookCredentialId }, leg.createdAt);
    expect([stepWith('of-then'), stepWith('of-now')]).toEqual(['send_again', 'read_back']);
  });

  it('is sent six times at most, and then looked up', async () => {
    const { leg, connection } = await legAtSafeSeller();
    const stepAfter = (attempts: number) =>
      nextStep({ ...leg, status: 'sent', attempts }, connection, leg.createdAt);
    expect([stepAfter(5), stepAfter(6), stepAfter(60)]).toEqual(['send_again', 'read_back', 'read_back']);
  });
});
