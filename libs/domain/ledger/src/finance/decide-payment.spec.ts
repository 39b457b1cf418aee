import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decidePayment, type PaymentDraft, type PaymentFacts } from './decide-payment.js';
import { payableOf, type InvoiceBlocks } from './payable-invoice.js';

const unit = 1_000_000n;
const ids = { payment: 'p', entry: 'e', difference: 'd', at: Date.UTC(2026, 9, 2) };
const open: InvoiceBlocks = { heldMicros: 0n, orderedMicros: 0n, isApproved: true, isVoided: false };
const invoice = {
  ...{ id: 'i', connectionId: 'c', seller: 'acme', number: 'A-1', currency: 'USD' },
  ...{ issuedOn: '2026-09-01', dueOn: '2026-10-01' },
  ...{ totalMicros: 100n * unit, taxMicros: 0n, openMicros: 100n * unit },
};
const rate = (date: string, value: string) => ({ from: 'USD', to: 'EUR', date, rate: value, source: 'ECB' });
const facts: PaymentFacts = {
  invoice: payableOf(invoice, open),
  isKnownReference: false,
  reportingCurrency: 'EUR',
  issueRate: rate('2026-09-01', '0.9'),
  paymentRate: rate('2026-10-01', '0.8'),
};
const draft: PaymentDraft = { invoiceId: 'i', paidOn: '2026-10-01', by: 'u' };
const decide = (of: Partial<PaymentFacts> = {}, wanted: Partial<PaymentDraft> = {}) =>
  decidePayment({ ...facts, ...of }, { ...draft, ...wanted }, ids);
const blocked = (more: Partial<InvoiceBlocks>, of: Partial<typeof invoice> & { holdReason?: string } = {}) =>
  payableOf({ ...invoice, ...of }, { ...open, ...more });

describe('a payment', () => {
  it('is refused by the first check that it fails, in the order of the contract', () => {
    // Each step mends the fault that was told, and leaves all later ones.
    const { invoice: _none, issueRate: _issue, paymentRate: _paid, ...bare } = facts;
    const worst = { ...bare, isKnownReference: true };
    const wanted = { ...draft, amountMicros: 200n * unit + 1n, reportingMicros: 1n };
    const all = { isApproved: false, heldMicros: 100n * unit };
    const told = (of: PaymentFacts, by: PaymentDraft = wanted) => decidePayment(of, by, ids);
    const unpaid = { ...bare, invoice: facts.invoice! };
    expect(
      [
        told(worst),
        told({
          ...worst,
          invoice: blocked({ ...all, isVoided: true }, { holdReason: 'why', openMicros: 0n }),
        }),
        told({ ...worst, invoice: blocked(all, { holdReason: 'why', openMicros: 0n }) }),
        told({ ...worst, invoice: blocked(all, { openMicros: 0n }) }),
        told({ ...bare, invoice: blocked(all, { openMicros: 0n }) }),
        told({ ...bare, invoice: blocked(all) }),
        told({ ...bare, invoice: blocked({ ...all, isApproved: true }) }),
        told({ ...bare, invoice: blocked({ orderedMicros: 100n * unit }) }),
        told(unpaid),
        told(unpaid, { ...wanted, amountMicros: 1n }),
        told({ ...unpaid, reportingCurrency: 'USD' }, { ...wanted, amountMicros: unit }),
        told(unpaid, { ...wanted, amountMicros: unit }),
        told(unpaid, { ...draft, amountMicros: unit }),
        told({ ...unpaid, issueRate: facts.issueRate! }, { ...draft, amountMicros: unit }),
        told(facts, { ...draft, amountMicros: unit }),
      ].map((decided) =>
        [
          decided.kind,
          ...('field' in decided ? [decided.field] : []),
          ...('day' in decided ? [decided.day] : []),
        ].join(' '),
      ),
    ).toEqual([
      'no_invoice',
      'voided',
      'held',
      'known_reference',
      'paid_already',
      'not_approved',
      'held',
      'ordered',
      'too_much',
      'too_precise amount',
      'same_currency',
      'too_precise reporting_amount',
      'no_rate 2026-09-01',
      'no_rate 2026-10-01',
      'paid',
    ]);
  });

  it('that a bank has booked is not prevented by a hold, a missing approval or another order', () => {
    const all = blocked({ isApproved: false, heldMicros: unit, orderedMicros: unit }, { holdReason: 'why' });
    expect(decide({ invoice: all }, { orderId: 'o' })).toMatchObject({ kind: 'paid', openMicros: 0n });
  });

  it('books the payment and the difference of its rates on the first open day', () => {
    const paid = decide({ openFrom: '2026-11-01' });
    if (paid.kind !== 'paid') throw new Error(paid.kind);
    expect(paid.payment).toMatchObject({ differenceMicros: -10n * unit, differenceEntryId: 'd' });
    expect(paid.entries.map(({ kind }) => kind)).toEqual(['payment', 'exchange']);
    expect(paid.entries.flatMap(({ postings }) => postings.map(({ day }) => day))).toEqual(
      Array.from({ length: 6 }, () => '2026-11-01'),
    );
    expect(decide({ reportingCurrency: 'USD' })).toMatchObject({
      settledOn: '2026-10-01',
      entries: [{ kind: 'payment' }],
    });
  });

  it('leaves open what it does not pay, and settles the invoice with the last part', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 100n }), (whole) => {
        const paid = decide({}, { amountMicros: whole * unit });
        expect(paid).toMatchObject({ openMicros: (100n - whole) * unit, paidMicros: whole * unit });
        expect('settledOn' in paid).toBe(whole === 100n);
      }),
    );
  });
});
