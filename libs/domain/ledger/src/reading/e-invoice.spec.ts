import { describe, expect, it } from '@jest/globals';
import { read, shownReading } from './testkit/read-case.js';
import type { XmlNode } from './xml-node.js';

/** An element from its text, or from its children. */
const node = (name: string, content: string | readonly XmlNode[] = []): XmlNode => ({
  name,
  attributes: {},
  text: typeof content === 'string' ? content : '',
  children: typeof content === 'string' ? [] : content,
});

const total = (more: readonly XmlNode[] = []): XmlNode =>
  node('LegalMonetaryTotal', [
    node('TaxExclusiveAmount', '110.00'),
    node('TaxInclusiveAmount', '130.90'),
    ...more,
  ]);

/** A line of 100, an allowance of 10, a charge of 20, and the tax of all. */
const invoice = (name: string, more: readonly XmlNode[], line = '100.00'): XmlNode =>
  node(name, [
    node('ID', 'E-1'),
    node('IssueDate', '2026-11-20'),
    node('DocumentCurrencyCode', 'EUR'),
    node('InvoicePeriod', [node('StartDate', '2026-11-01'), node('EndDate', '2026-11-30')]),
    node('AllowanceCharge', [node('ChargeIndicator', 'false'), node('Amount', '10.00')]),
    node('AllowanceCharge', [node('ChargeIndicator', 'true'), node('Amount', '20.00')]),
    node('TaxTotal', [node('TaxAmount', '20.90')]),
    node(name === 'CreditNote' ? 'CreditNoteLine' : 'InvoiceLine', [
      node('LineExtensionAmount', line),
      node('Item', [node('Name', 'Display')]),
    ]),
    ...more,
  ]);

const shown = (root: XmlNode, answers: Readonly<Record<string, string>> = {}) =>
  shownReading(read({ kind: 'xml', root }, { answers: new Map(Object.entries(answers)) }));

describe('an electronic invoice', () => {
  it('has its allowances and charges as lines, and its sums are checked', () => {
    expect(shown(invoice('Invoice', [total()]))).toMatchObject({
      documents: [
        {
          kind: 'invoice',
          days: '2026-11-01..2026-11-30',
          net: '110',
          tax: '20.9',
          gross: '130.9',
          lines: ['open 100', 'credit -10', 'fee 20', 'tax 20.9'],
        },
      ],
      questions: [],
      checks: ['document_total ok', 'document_total ok'],
    });
    expect(shown(invoice('Invoice', [total()], '90.00')).questions).toEqual(['sums']);
  });

  it('is a credit note by its kind, and asks if the amounts of one are negative', () => {
    expect(shown(invoice('CreditNote', [total()])).documents).toMatchObject([
      { kind: 'credit_note', gross: '-130.9' },
    ]);
    const negative = node('CreditNote', [
      node('ID', 'E-2'),
      node('IssueDate', '2026-11-20'),
      node('DocumentCurrencyCode', 'EUR'),
      node('CreditNoteLine', [node('LineExtensionAmount', '-100.00')]),
    ]);
    expect(shown(negative).questions).toEqual(['kind']);
    expect(shown(negative, { kind: 'as_written' }).documents).toMatchObject([
      { kind: 'credit_note', gross: '-100' },
    ]);
  });

  it('asks whether what is paid before is deducted', () => {
    const more = [node('PrepaidAmount', '30.90'), node('PayableAmount', '100.00')];
    const root = invoice('Invoice', [total(more)]);
    expect(shown(root).questions).toEqual(['prepaid']);
    expect(shown(root, { prepaid: 'deducted' })).toMatchObject({
      documents: [{ gross: '100', lines: expect.arrayContaining(['credit -30.9']) }],
      checks: ['document_total ok', 'document_total ok', 'document_total ok'],
      questions: [],
    });
    expect(shown(root, { prepaid: 'known' }).documents).toMatchObject([{ gross: '130.9' }]);
  });

  it('is read in the envelope of Peppol, and a day of issue in the future is asked about', () => {
    const root = node('StandardBusinessDocument', [
      node('StandardBusinessDocumentHeader'),
      node('Invoice', [
        node('ID', 'E-3'),
        node('IssueDate', '2062-11-20'),
        node('DocumentCurrencyCode', 'EUR'),
        node('InvoiceLine', [node('LineExtensionAmount', '100.00')]),
      ]),
    ]);
    expect(shown(root)).toMatchObject({ documents: [{ number: 'E-3', net: '100' }], questions: ['issued'] });
    expect(shown(root, { issued: '2026-11-20' }).documents).toMatchObject([{ issued: '2026-11-20' }]);
  });
});
