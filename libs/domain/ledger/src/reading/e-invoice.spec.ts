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

  it('has the commission of an agency that is deducted as such, and credits no one invoice where it names several', () => {
    const commission = node('AllowanceCharge', [
      node('ChargeIndicator', 'false'),
      node('AllowanceChargeReason', 'AE-Provision 15 %'),
      node('Amount', '10.00'),
    ]);
    expect(shown(invoice('Invoice', [commission])).documents[0]?.lines).toContain('commission -10');
    const reference = (number: string) =>
      node('BillingReference', [node('InvoiceDocumentReference', [node('ID', number)])]);
    const refersTo = (...numbers: readonly string[]) =>
      read({ kind: 'xml', root: invoice('CreditNote', numbers.map(reference)) }).documents[0]?.refersTo;
    expect(refersTo('I-1', 'I-1')).toBe('I-1');
    expect(refersTo('I-1', 'I-2')).toBeUndefined();
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

  it('is refused where an amount is in another currency than the document, but for its tax', () => {
    const inDollars = (of: XmlNode): XmlNode => ({ ...of, attributes: { currencyID: 'USD' } });
    const price = node('Price', [inDollars(node('PriceAmount', '1.00'))]);
    const tax = node('TaxTotal', [inDollars(node('TaxAmount', '24.10'))]);
    expect(shown(invoice('Invoice', [total(), tax])).faults).toEqual([]);
    expect(shown(invoice('Invoice', [total(), price])).faults).toEqual([
      { row: 0, reason: 'An amount is in USD, and the document in EUR.' },
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

it('an invoice with no line and no total is refused', () => {
  const root = node('Invoice', [
    node('ID', 'E-4'),
    node('IssueDate', '2026-11-20'),
    node('DocumentCurrencyCode', 'EUR'),
  ]);
  expect(shown(root).faults).toEqual([{ row: 0, reason: 'The document has no line and no total.' }]);
});

const ciiDay = (name: string, day: string): XmlNode => node(name, [node('DateTimeString', day)]);

it('an invoice of ZUGFeRD 1 is read by its own names', () => {
  const root = node('CrossIndustryDocument', [
    node('HeaderExchangedDocument', [
      node('ID', 'ZF-1'),
      node('TypeCode', '380'),
      ciiDay('IssueDateTime', '20261120'),
    ]),
    node('SpecifiedSupplyChainTradeTransaction', [
      node('ApplicableSupplyChainTradeAgreement', [
        node('BuyerOrderReferencedDocument', [node('ID', 'PO-7')]),
      ]),
      node('ApplicableSupplyChainTradeSettlement', [
        node('InvoiceCurrencyCode', 'EUR'),
        node('BillingSpecifiedPeriod', [
          ciiDay('StartDateTime', '20261001'),
          ciiDay('EndDateTime', '20261031'),
        ]),
        node('SpecifiedTradeSettlementMonetarySummation', [
          node('TaxBasisTotalAmount', '200.00'),
          node('TaxTotalAmount', '38.00'),
          node('GrandTotalAmount', '238.00'),
        ]),
      ]),
      node('IncludedSupplyChainTradeLineItem', [
        node('SpecifiedSupplyChainTradeSettlement', [
          node('SpecifiedTradeSettlementMonetarySummation', [node('LineTotalAmount', '200.00')]),
        ]),
        node('SpecifiedTradeProduct', [node('Name', 'Display')]),
      ]),
    ]),
  ]);
  expect(shown(root)).toMatchObject({
    documents: [
      { number: 'ZF-1', days: '2026-10-01..2026-10-31', gross: '238', lines: ['media 200', 'tax 38'] },
    ],
    questions: [],
    checks: ['document_total ok', 'document_total ok'],
  });
});

it('a line that sums up or explains others is not billed, and 1 is a truth value', () => {
  const line = (code: string, amount: string): XmlNode =>
    node('IncludedSupplyChainTradeLineItem', [
      node('AssociatedDocumentLineDocument', [node('LineStatusReasonCode', code)]),
      node('SpecifiedLineTradeSettlement', [
        node('SpecifiedTradeSettlementLineMonetarySummation', [node('LineTotalAmount', amount)]),
      ]),
    ]);
  const root = node('CrossIndustryInvoice', [
    node('ExchangedDocument', [node('ID', 'X-1'), ciiDay('IssueDateTime', '20261120')]),
    node('SupplyChainTradeTransaction', [
      ...[
        line('GROUP', '150.00'),
        line('DETAIL', '100.00'),
        line('DETAIL', '50.00'),
        line('INFORMATION', '9.00'),
      ],
      node('ApplicableHeaderTradeSettlement', [
        node('InvoiceCurrencyCode', 'EUR'),
        node('SpecifiedTradeAllowanceCharge', [
          node('ChargeIndicator', [node('Indicator', '1')]),
          node('ActualAmount', '5.00'),
        ]),
        node('SpecifiedTradeSettlementHeaderMonetarySummation', [
          node('TaxBasisTotalAmount', '155.00'),
          node('GrandTotalAmount', '155.00'),
        ]),
      ]),
    ]),
  ]);
  expect(shown(root)).toMatchObject({
    documents: [{ net: '155', lines: ['open 100', 'open 50', 'fee 5'] }],
    questions: [],
    checks: ['document_total ok', 'document_total ok'],
  });
});

it('a profile without lines is one line of the net amount', () => {
  const root = node('CrossIndustryInvoice', [
    node('ExchangedDocument', [
      node('ID', 'M-1'),
      node('TypeCode', '380'),
      ciiDay('IssueDateTime', '20261120'),
    ]),
    node('SupplyChainTradeTransaction', [
      node('ApplicableHeaderTradeSettlement', [
        node('InvoiceCurrencyCode', 'EUR'),
        node('SpecifiedTradeSettlementHeaderMonetarySummation', [
          node('TaxBasisTotalAmount', '100.00'),
          node('TaxTotalAmount', '19.00'),
          node('GrandTotalAmount', '119.00'),
          node('DuePayableAmount', '119.00'),
        ]),
      ]),
    ]),
  ]);
  expect(shown(root)).toMatchObject({
    documents: [{ net: '100', gross: '119', lines: ['open 100', 'tax 19'] }],
    questions: [],
  });
});

describe('a FatturaPA file', () => {
  const body = (kind: string, number: string, total: string): XmlNode =>
    node('FatturaElettronicaBody', [
      node('DatiGenerali', [
        node('DatiGeneraliDocumento', [
          node('TipoDocumento', kind),
          node('Divisa', 'EUR'),
          node('Data', '2026-11-20'),
          node('Numero', number),
          node('ImportoTotaleDocumento', total),
        ]),
        node('DatiOrdineAcquisto', [node('IdDocumento', 'PO-7')]),
      ]),
      node('DatiBeniServizi', [
        node('DettaglioLinee', [
          node('Descrizione', 'Pubblicità'),
          node('PrezzoTotale', '100.00'),
          node('DataInizioPeriodo', '2026-10-01'),
          node('DataFinePeriodo', '2026-10-31'),
        ]),
        node('DatiRiepilogo', [node('ImponibileImporto', '100.00'), node('Imposta', '22.00')]),
      ]),
    ]);

  it('has a document for each body, and a credit note by its type', () => {
    const root = node('FatturaElettronica', [body('TD01', '1/A', '122.00'), body('TD04', '2/A', '122.00')]);
    expect(shown(root)).toMatchObject({
      documents: [
        { kind: 'invoice', number: '1/A', days: '2026-10-01..2026-10-31', gross: '122' },
        { kind: 'credit_note', number: '2/A', net: '-100', gross: '-122' },
      ],
      checks: ['document_total ok', 'document_total ok'],
    });
  });

  it('is asked about where its total differs from its parts', () => {
    expect(shown(node('FatturaElettronica', [body('TD01', '1/A', '120.00')])).questions).toContain('sums');
  });
});
