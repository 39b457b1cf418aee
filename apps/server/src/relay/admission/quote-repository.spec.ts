import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Offer, Quote } from '@switchyard/buys';
import { testClock, type TestClock } from '@switchyard/testing';
import { createQuoteRepository, type QuoteRepository } from './quote-repository.js';

const scope = { organizationId: randomUUID() };
const connectionId = randomUUID();
let clock: TestClock;
let written: (readonly Quote[])[];
let failures: unknown[];
let repository: QuoteRepository;
let isBroken: boolean;
/** Received answers that are not read yet. */
let unread: (() => void)[];

beforeEach(() => {
  clock = testClock();
  written = [];
  failures = [];
  isBroken = false;
  unread = [];
  repository = createQuoteRepository({
    clock,
    caughtUp: () => Promise.resolve(unread.splice(0).forEach((read) => read())),
    store: {
      saveOffers: (_scope, quotes) => {
        if (isBroken) return Promise.reject(new Error('gone'));
        written.push(quotes);
        return Promise.resolve();
      },
      offers: () =>
        Promise.resolve(new Map(written.flat().map(({ offer }) => [`acme:${offer.productId}`, offer]))),
    },
    onUnexpected: (error) => failures.push(error),
  });
});

function quote(productId: string, currency: string, offeredAt = 0): Quote {
  const offer: Offer = {
    seller: 'acme',
    productId,
    pricingOptions: [{ pricingOptionId: 'cpm', currency }],
    offeredAt,
  } as unknown as Offer;
  return { connectionId, offer };
}

const currencies = (): unknown =>
  written.map((quotes) => quotes.map(({ offer }) => offer.pricingOptions[0]?.currency));

describe('quotes in answers to sealed reads', () => {
  it('are written once for many answers, the last one of each product', async () => {
    repository.gather(scope, [quote('p1', 'EUR'), quote('p2', 'EUR')]);
    repository.gather(scope, [quote('p1', 'USD')]);
    expect(written).toEqual([]);
    clock.advance(250);
    await repository.close();
    expect(currencies()).toEqual([['USD', 'EUR']]);
  });

  it('are those of the newest request, whichever answer arrived last', async () => {
    repository.gather(scope, [quote('p1', 'USD', 2)]);
    repository.gather(scope, [quote('p1', 'EUR', 1)]);
    clock.advance(250);
    await repository.close();
    expect(currencies()).toEqual([['USD']]);
  });

  it('are available to a buy right after the answer', async () => {
    repository.gather(scope, [quote('p1', 'USD')]);
    const offers = await repository.of(scope, 'acme', { packages: [{ product_id: 'p1' }] });
    expect(offers.get('acme:p1')?.pricingOptions[0]?.currency).toBe('USD');
    clock.advance(10_000);
    await repository.close();
    expect(written).toHaveLength(1);
  });

  it('are available to a buy before the answer is read', async () => {
    unread.push(() => repository.gather(scope, [quote('p1', 'USD')]));
    const offers = await repository.of(scope, 'acme', { packages: [{ product_id: 'p1' }] });
    expect(offers.get('acme:p1')?.pricingOptions[0]?.currency).toBe('USD');
  });

  it('are written before the process ends', async () => {
    repository.gather(scope, [quote('p1', 'USD')]);
    await repository.close();
    expect(currencies()).toEqual([['USD']]);
  });

  it('that cannot be written affect nothing else', async () => {
    isBroken = true;
    repository.gather(scope, [quote('p1', 'USD')]);
    await repository.close();
    isBroken = false;
    repository.gather(scope, [quote('p2', 'USD')]);
    await repository.close();
    expect([failures.length, written.length]).toEqual([1, 1]);
  });
});
