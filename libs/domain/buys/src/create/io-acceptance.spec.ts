import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { createMediaBuy } from './create-media-buy.js';

describe('the acceptance of an insertion order', () => {
  const acceptance = { io_id: 'io-7', accepted_at: '2026-01-02T00:00:00Z', signatory: 'J. Doe' };

  async function receivedBy(sellers: readonly string[]) {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
    const mutation = harness.request(sellers, { io_acceptance: acceptance });
    const done = must(await createMediaBuy(harness.ports, mutation));
    const told = done.state.legs.map(({ findings }) =>
      findings.filter(({ field }) => field === 'io_acceptance').map(({ code }) => code),
    );
    return { received: sellers.map((slug) => harness.seller(slug).received[0]?.args['io_acceptance']), told };
  }

  it('is sent to the seller of a buy at one', async () => {
    expect(await receivedBy(['acme'])).toEqual({ received: [acceptance], told: [[]] });
  });

  it('is sent to none of several sellers, because it names the order of one, and the answer says so', async () => {
    expect(await receivedBy(['acme', 'bravo'])).toEqual({
      received: [undefined, undefined],
      told: [['NOT_CARRIED'], ['NOT_CARRIED']],
    });
  });
});
