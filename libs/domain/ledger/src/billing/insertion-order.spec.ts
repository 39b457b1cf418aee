import { describe, expect, it } from '@jest/globals';
import { nextOrder, orderNumber, type OrderFacts, type OrderedPackage } from './insertion-order.js';

const own = { number: orderNumber(12), madeAt: '2026-11-02T09:00:00.000Z' };
const item = (id: string, more: Partial<OrderedPackage> = {}): OrderedPackage => ({
  ...{ id, name: `Package ${id}`, pricingOptionId: 'cpm', model: 'cpm', price: '8' },
  ...{ budgetMicros: 1_000_000_000n, start: '2026-11-01T00:00:00Z', end: '2026-11-30T23:59:59Z' },
  ...{ zone: 'Europe/Berlin', countedBy: 'the seller', isCanceled: false },
  ...more,
});
const facts = (packages: readonly OrderedPackage[], more: Partial<OrderFacts> = {}): OrderFacts => ({
  ...{
    organization: 'agency.example',
    currency: 'EUR',
    packages,
    terms: ['Invoices are due after 30 days.'],
  },
  ...{ buyer: { name: 'Agency GmbH', lines: [] }, seller: { name: 'Harbor', lines: [] } },
  ...{ names: { Client: 'Nova Foods', 'PO number': 'PO-1' } },
  ...more,
});
const first = nextOrder(facts([item('1'), item('2')]), undefined, own);

describe('an insertion order', () => {
  it('has a number, a first version, and the sum of what is ordered', () => {
    expect(first).toMatchObject({
      ...{ number: 'IO-00012', version: 1, changes: [] },
      document: { total: '2000', packages: [{ price: '8' }, { budget: '1000' }] },
    });
  });

  it('has no new version while it says the same, whatever is quoted since', () => {
    expect(nextOrder(facts([item('1', { price: '9' }), item('2')]), first, own)).toBeUndefined();
  });

  it.each<readonly [string, OrderFacts, readonly string[]]>([
    [
      'a budget',
      facts([item('1', { budgetMicros: 1_200_000_000n }), item('2')]),
      ['Package 1: budget 1200, before 1000.', 'Total 2200 EUR, before 2000.'],
    ],
    [
      'a cancellation',
      facts([item('1'), item('2', { isCanceled: true })]),
      ['Package 2 is canceled.', 'Total 1000 EUR, before 2000.'],
    ],
    [
      'a package more',
      facts([item('1'), item('2'), item('3')]),
      ['Package 3 is new: 1000 EUR.', 'Total 3000 EUR, before 2000.'],
    ],
    [
      'another price, with another pricing option',
      facts([item('1', { pricingOptionId: 'other', price: '9' }), item('2')]),
      ['Package 1: price 9, before 8.', 'Package 1: pricing option other, before cpm.'],
    ],
    [
      'another PO number, and other terms',
      facts([item('1'), item('2')], { names: { Client: 'Nova Foods', 'PO number': 'PO-2' }, terms: [] }),
      ['PO number: PO-2, before PO-1.', 'The terms changed.'],
    ],
  ])('says what changed: %s', (_, changed, changes) => {
    expect(nextOrder(changed, first, own)).toMatchObject({ version: 2, changes, document: { changes } });
  });
});
