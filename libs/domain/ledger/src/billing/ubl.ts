import { taxesOf } from './bill-client.js';
import type { TaxRate } from './billing-rule.js';
import type { ClientDocument, DocumentParty } from './client-document.js';
import { element, exemptions, minorText, node } from './e-invoice-text.js';

const schemas = 'urn:oasis:names:specification:ubl:schema:xsd:';

/**
 * An issued document as UBL 2.1 in the form of EN 16931: an Invoice, or a CreditNote with positive amounts. The elements are
 * in the order of the schema.
 */
export function ublText(document: ClientDocument): string {
  const { kind, number = '', issuedOn = '', dueOn, currency, entity, client, refersTo, reason } = document;
  const isCredit = kind === 'credit_note';
  const root = isCredit ? 'CreditNote' : 'Invoice';
  const amount = (name: string, micros: bigint): string =>
    element(name, minorText(isCredit ? -micros : micros, currency), ` currencyID="${currency}"`);
  const taxes = taxesOf(currency, document.lines);
  const taxTotal = node(
    'cac:TaxTotal',
    amount('cbc:TaxAmount', document.taxMicros),
    ...taxes.map((tax) =>
      node(
        'cac:TaxSubtotal',
        amount('cbc:TaxableAmount', tax.baseMicros),
        amount('cbc:TaxAmount', tax.taxMicros),
        category('cac:TaxCategory', tax, true),
      ),
    ),
  );
  const totals = node(
    'cac:LegalMonetaryTotal',
    amount('cbc:LineExtensionAmount', document.netMicros),
    amount('cbc:TaxExclusiveAmount', document.netMicros),
    amount('cbc:TaxInclusiveAmount', document.grossMicros),
    amount('cbc:PayableAmount', document.grossMicros),
  );
  const lines = document.lines.map((line, at) => {
    // A price is never negative: the quantity has the sign.
    const own = isCredit ? -line.netMicros : line.netMicros;
    const quantity = own < 0n ? '-1' : '1';
    return node(
      `cac:${root}Line`,
      element('cbc:ID', String(at + 1)),
      element(isCredit ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity', quantity, ' unitCode="C62"'),
      amount('cbc:LineExtensionAmount', line.netMicros),
      node(
        'cac:Item',
        element('cbc:Name', line.description),
        category('cac:ClassifiedTaxCategory', line, false),
      ),
      node(
        'cac:Price',
        element('cbc:PriceAmount', minorText(own < 0n ? -own : own, currency), ` currencyID="${currency}"`),
      ),
    );
  });
  const body = [
    element('cbc:CustomizationID', 'urn:cen.eu:en16931:2017'),
    element('cbc:ID', number),
    element('cbc:IssueDate', issuedOn),
    ...(isCredit || dueOn === undefined ? [] : [element('cbc:DueDate', dueOn)]),
    isCredit ? element('cbc:CreditNoteTypeCode', '381') : element('cbc:InvoiceTypeCode', '380'),
    ...(reason === undefined ? [] : [element('cbc:Note', reason)]),
    element('cbc:DocumentCurrencyCode', currency),
    ...(client.reference === undefined ? [] : [element('cbc:BuyerReference', client.reference)]),
    node(
      'cac:InvoicePeriod',
      element('cbc:StartDate', document.serviceFrom),
      element('cbc:EndDate', document.serviceTo),
    ),
    ...(refersTo === undefined
      ? []
      : [node('cac:BillingReference', node('cac:InvoiceDocumentReference', element('cbc:ID', refersTo)))]),
    node('cac:AccountingSupplierParty', party(entity)),
    node('cac:AccountingCustomerParty', party(client)),
    ...(isCredit ? [] : payment(number, entity)),
    taxTotal,
    totals,
    ...lines,
  ];
  const names = `xmlns="${schemas}${root}-2" xmlns:cac="${schemas}CommonAggregateComponents-2" xmlns:cbc="${schemas}CommonBasicComponents-2"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${names}>${body.join('')}</${root}>\n`;
}

function party({ name, address, taxId }: DocumentParty): string {
  return node(
    'cac:Party',
    node(
      'cac:PostalAddress',
      element('cbc:StreetName', address.street),
      element('cbc:CityName', address.city),
      ...(address.postCode === '' ? [] : [element('cbc:PostalZone', address.postCode)]),
      node('cac:Country', element('cbc:IdentificationCode', address.country)),
    ),
    ...(taxId === undefined ? [] : [node('cac:PartyTaxScheme', element('cbc:CompanyID', taxId), vat)]),
    node('cac:PartyLegalEntity', element('cbc:RegistrationName', name)),
  );
}

/** A credit transfer (code 58: SEPA) to the account of who bills. */
function payment(number: string, { iban, bic }: DocumentParty): readonly string[] {
  if (iban === undefined) return [];
  const branch = bic === undefined ? [] : [node('cac:FinancialInstitutionBranch', element('cbc:ID', bic))];
  return [
    node(
      'cac:PaymentMeans',
      element('cbc:PaymentMeansCode', '58'),
      element('cbc:PaymentID', number),
      node('cac:PayeeFinancialAccount', element('cbc:ID', iban), ...branch),
    ),
  ];
}

const vat = node('cac:TaxScheme', element('cbc:ID', 'VAT'));

function category(name: string, { taxCategory, taxHundredths }: TaxRate, isTotal: boolean): string {
  const why = isTotal ? exemptions[taxCategory] : undefined;
  return node(
    name,
    element('cbc:ID', taxCategory),
    ...(taxCategory === 'O' ? [] : [element('cbc:Percent', String(taxHundredths / 100))]),
    ...(why === undefined ? [] : [element('cbc:TaxExemptionReason', why)]),
    vat,
  );
}
