import { taxesOf } from './bill-client.js';
import type { TaxRate } from './billing-rule.js';
import type { ClientDocument, DocumentParty } from './client-document.js';
import { element, exemptions, minorText, node } from './e-invoice-text.js';

const schemas = 'urn:un:unece:uncefact:data:standard:';

/**
 * An issued document as Cross Industry Invoice (UN/CEFACT CII D16B) in the form of EN 16931, as Factur-X and ZUGFeRD carry
 * it in a PDF. A credit note has positive amounts. The elements are in the order of the schema.
 */
export function ciiText(document: ClientDocument): string {
  const { kind, number = '', issuedOn = '', entity, client, reason } = document;
  const isCredit = kind === 'credit_note';
  const body = [
    node(
      'rsm:ExchangedDocumentContext',
      node('ram:GuidelineSpecifiedDocumentContextParameter', element('ram:ID', 'urn:cen.eu:en16931:2017')),
    ),
    node(
      'rsm:ExchangedDocument',
      element('ram:ID', number),
      element('ram:TypeCode', isCredit ? '381' : '380'),
      day('ram:IssueDateTime', issuedOn),
      ...(reason === undefined ? [] : [node('ram:IncludedNote', element('ram:Content', reason))]),
    ),
    node(
      'rsm:SupplyChainTradeTransaction',
      ...document.lines.map((line, at) => lineText(document, line, at)),
      node(
        'ram:ApplicableHeaderTradeAgreement',
        ...(client.reference === undefined ? [] : [element('ram:BuyerReference', client.reference)]),
        party('ram:SellerTradeParty', entity),
        party('ram:BuyerTradeParty', client),
      ),
      node('ram:ApplicableHeaderTradeDelivery'),
      settlement(document),
    ),
  ];
  const names = `xmlns:rsm="${schemas}CrossIndustryInvoice:100" xmlns:ram="${schemas}ReusableAggregateBusinessInformationEntity:100" xmlns:udt="${schemas}UnqualifiedDataType:100"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice ${names}>${body.join('')}</rsm:CrossIndustryInvoice>\n`;
}

/** A day in the format 102 of UN/CEFACT: `20261130`. */
const day = (name: string, of: string, inner = 'udt:DateTimeString'): string =>
  node(name, element(inner, of.replaceAll('-', ''), ' format="102"'));

/** An amount as it stands in the document: those of a credit note are positive there. */
const amountOf = ({ kind, currency }: Pick<ClientDocument, 'kind' | 'currency'>, micros: bigint): string =>
  minorText(kind === 'credit_note' ? -micros : micros, currency);

function lineText(document: ClientDocument, line: ClientDocument['lines'][number], at: number): string {
  const own = document.kind === 'credit_note' ? -line.netMicros : line.netMicros;
  // A price is never negative: the quantity has the sign.
  const price = minorText(own < 0n ? -own : own, document.currency);
  return node(
    'ram:IncludedSupplyChainTradeLineItem',
    node('ram:AssociatedDocumentLineDocument', element('ram:LineID', String(at + 1))),
    node('ram:SpecifiedTradeProduct', element('ram:Name', line.description)),
    node(
      'ram:SpecifiedLineTradeAgreement',
      node('ram:NetPriceProductTradePrice', element('ram:ChargeAmount', price)),
    ),
    node(
      'ram:SpecifiedLineTradeDelivery',
      element('ram:BilledQuantity', own < 0n ? '-1' : '1', ' unitCode="C62"'),
    ),
    node(
      'ram:SpecifiedLineTradeSettlement',
      node('ram:ApplicableTradeTax', element('ram:TypeCode', 'VAT'), ...rateOf(line)),
      node(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        element('ram:LineTotalAmount', amountOf(document, line.netMicros)),
      ),
    ),
  );
}

const rateOf = ({ taxCategory, taxHundredths }: TaxRate): readonly string[] => [
  element('ram:CategoryCode', taxCategory),
  ...(taxCategory === 'O' ? [] : [element('ram:RateApplicablePercent', String(taxHundredths / 100))]),
];

const party = (name: string, { name: called, address, taxId }: DocumentParty): string =>
  node(
    name,
    element('ram:Name', called),
    node(
      'ram:PostalTradeAddress',
      ...(address.postCode === '' ? [] : [element('ram:PostcodeCode', address.postCode)]),
      element('ram:LineOne', address.street),
      element('ram:CityName', address.city),
      element('ram:CountryID', address.country),
    ),
    ...(taxId === undefined
      ? []
      : [node('ram:SpecifiedTaxRegistration', element('ram:ID', taxId, ' schemeID="VA"'))]),
  );

function settlement(document: ClientDocument): string {
  const { kind, number = '', currency, dueOn, refersTo, entity } = document;
  const isCredit = kind === 'credit_note';
  const { iban, bic } = entity;
  const pays =
    isCredit || iban === undefined
      ? []
      : [
          node(
            'ram:SpecifiedTradeSettlementPaymentMeans',
            element('ram:TypeCode', '58'),
            node('ram:PayeePartyCreditorFinancialAccount', element('ram:IBANID', iban)),
            ...(bic === undefined
              ? []
              : [node('ram:PayeeSpecifiedCreditorFinancialInstitution', element('ram:BICID', bic))]),
          ),
        ];
  const net = amountOf(document, document.netMicros);
  const gross = amountOf(document, document.grossMicros);
  return node(
    'ram:ApplicableHeaderTradeSettlement',
    ...(pays.length === 0 ? [] : [element('ram:PaymentReference', number)]),
    element('ram:InvoiceCurrencyCode', currency),
    ...pays,
    ...taxesOf(currency, document.lines).map((tax) => {
      const why = exemptions[tax.taxCategory];
      return node(
        'ram:ApplicableTradeTax',
        element('ram:CalculatedAmount', amountOf(document, tax.taxMicros)),
        element('ram:TypeCode', 'VAT'),
        ...(why === undefined ? [] : [element('ram:ExemptionReason', why)]),
        element('ram:BasisAmount', amountOf(document, tax.baseMicros)),
        ...rateOf(tax),
      );
    }),
    node(
      'ram:BillingSpecifiedPeriod',
      day('ram:StartDateTime', document.serviceFrom),
      day('ram:EndDateTime', document.serviceTo),
    ),
    ...(isCredit || dueOn === undefined
      ? []
      : [node('ram:SpecifiedTradePaymentTerms', day('ram:DueDateDateTime', dueOn))]),
    node(
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation',
      element('ram:LineTotalAmount', net),
      element('ram:TaxBasisTotalAmount', net),
      element('ram:TaxTotalAmount', amountOf(document, document.taxMicros), ` currencyID="${currency}"`),
      element('ram:GrandTotalAmount', gross),
      element('ram:DuePayableAmount', gross),
    ),
    ...(refersTo === undefined
      ? []
      : [node('ram:InvoiceReferencedDocument', element('ram:IssuerAssignedID', refersTo))]),
  );
}
