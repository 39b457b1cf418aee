import { creditCodes, daysOf, isTrue, name, type RawInvoice } from './raw-invoice.js';
import type { ServiceDays } from './service-days.js';
import { nodeAt, nodesAt, textAt, type XmlNode } from './xml-node.js';

/** Names of elements that differ between the two versions of CII. */
interface CiiNames {
  readonly head: string;
  readonly deal: string;
  readonly agreement: string;
  readonly settlement: string;
  readonly total: string;
  readonly id: string;
  readonly lineAgreement: string;
  readonly lineDelivery: string;
  readonly lineSettlement: string;
  readonly lineTotal: string;
}

/** Those of EN 16931, which Factur-X, XRechnung and ZUGFeRD 2 have. */
export const names16931: CiiNames = {
  head: 'ExchangedDocument',
  deal: 'SupplyChainTradeTransaction',
  agreement: 'ApplicableHeaderTradeAgreement',
  settlement: 'ApplicableHeaderTradeSettlement',
  total: 'SpecifiedTradeSettlementHeaderMonetarySummation',
  id: 'IssuerAssignedID',
  lineAgreement: 'SpecifiedLineTradeAgreement',
  lineDelivery: 'SpecifiedLineTradeDelivery',
  lineSettlement: 'SpecifiedLineTradeSettlement',
  lineTotal: 'SpecifiedTradeSettlementLineMonetarySummation',
};

export const namesZugferd1: CiiNames = {
  head: 'HeaderExchangedDocument',
  deal: 'SpecifiedSupplyChainTradeTransaction',
  agreement: 'ApplicableSupplyChainTradeAgreement',
  settlement: 'ApplicableSupplyChainTradeSettlement',
  total: 'SpecifiedTradeSettlementMonetarySummation',
  id: 'ID',
  lineAgreement: 'SpecifiedSupplyChainTradeAgreement',
  lineDelivery: 'SpecifiedSupplyChainTradeDelivery',
  lineSettlement: 'SpecifiedSupplyChainTradeSettlement',
  lineTotal: 'SpecifiedTradeSettlementMonetarySummation',
};

/** Reads an invoice in CII (UN/CEFACT). */
export function ciiOf(root: XmlNode, of: CiiNames): RawInvoice {
  const head = nodeAt(root, of.head);
  const deal = nodeAt(root, of.deal);
  const agreement = nodeAt(deal, of.agreement);
  const settlement = nodeAt(deal, of.settlement);
  const total = nodeAt(settlement, of.total);
  const currency = textAt(settlement, 'InvoiceCurrencyCode');
  const lines = nodesAt(deal, 'IncludedSupplyChainTradeLineItem')
    .filter(isBilled)
    .map((line) => ({
      amount: textAt(line, of.lineSettlement, of.lineTotal, 'LineTotalAmount'),
      units: textAt(line, of.lineDelivery, 'BilledQuantity'),
      text: textAt(line, 'SpecifiedTradeProduct', 'Name'),
      names: [
        ...name('package', textAt(line, of.lineAgreement, 'BuyerOrderReferencedDocument', 'LineID')),
        ...name('seller_buy', textAt(line, of.lineSettlement, 'AdditionalReferencedDocument', of.id)),
      ],
      service: ciiPeriod(nodeAt(line, of.lineSettlement, 'BillingSpecifiedPeriod')),
    }));
  const charges = [
    ...nodesAt(settlement, 'SpecifiedTradeAllowanceCharge').map((charge) => ({
      amount: textAt(charge, 'ActualAmount'),
      isCharge: isTrue(textAt(charge, 'ChargeIndicator', 'Indicator')),
      text: textAt(charge, 'Reason'),
    })),
    ...nodesAt(settlement, 'SpecifiedLogisticsServiceCharge').map((charge) => ({
      amount: textAt(charge, 'AppliedAmount'),
      isCharge: true,
      text: textAt(charge, 'Description'),
    })),
  ];
  const net = textAt(total, 'TaxBasisTotalAmount');
  const hasAmounts = lines.some(({ amount }) => amount !== '');
  // The profiles without lines, and lines that only describe, leave the net amount of the document.
  const whole = { amount: net, units: '', text: lines[0]?.text ?? '', names: [], service: undefined };
  return {
    format: 'cii',
    isCredit: creditCodes.has(textAt(head, 'TypeCode')),
    number: textAt(head, 'ID'),
    issued: ciiDay(nodeAt(head, 'IssueDateTime')),
    due: ciiDay(nodeAt(settlement, 'SpecifiedTradePaymentTerms', 'DueDateDateTime')),
    currency,
    refersTo: textAt(settlement, 'InvoiceReferencedDocument', of.id),
    service: ciiPeriod(nodeAt(settlement, 'BillingSpecifiedPeriod')),
    names: [
      ...name('buyer_reference', textAt(agreement, 'BuyerReference')),
      ...name('po', textAt(agreement, 'BuyerOrderReferencedDocument', of.id)),
      ...name('order', textAt(agreement, 'ContractReferencedDocument', of.id)),
      ...name('campaign', textAt(agreement, 'SpecifiedProcuringProject', 'ID')),
    ],
    lines: hasAmounts ? lines.filter(({ amount }) => amount !== '') : [whole],
    charges: hasAmounts ? charges : [],
    taxes: nodesAt(total, 'TaxTotalAmount')
      .filter(({ attributes }) => (attributes['currencyID'] ?? currency) === currency)
      .map(({ text }) => text.trim()),
    net,
    gross: textAt(total, 'GrandTotalAmount'),
    prepaid: textAt(total, 'TotalPrepaidAmount'),
    rounding: textAt(total, 'RoundingAmount'),
    payable: textAt(total, 'DuePayableAmount'),
  };
}

/** A line of a group repeats the sum of the lines below it, and one for information is not billed (Factur-X, EXTENDED). */
const isBilled = (line: XmlNode): boolean =>
  !/^(?:GROUP|INFORMATION)$/.test(textAt(line, 'AssociatedDocumentLineDocument', 'LineStatusReasonCode'));

/** A day of CII is written `20261130`. */
function ciiDay(node: XmlNode | undefined): string {
  const text = textAt(node, 'DateTimeString');
  return /^\d{8}$/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}` : text;
}

const ciiPeriod = (node: XmlNode | undefined): ServiceDays | undefined =>
  daysOf(ciiDay(nodeAt(node, 'StartDateTime')), ciiDay(nodeAt(node, 'EndDateTime')));
