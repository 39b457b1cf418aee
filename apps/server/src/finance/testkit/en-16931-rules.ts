import type { XmlElement } from '@switchyard/tables';

/**
 * The elements of UBL 2.1 that our documents use, in the order of its schema (OASIS, UBL-Invoice-2.1 and UBL-CreditNote-2.1).
 * `?` may be absent, `+` is there at least once.
 */
type Order = readonly (readonly [name: string, inner?: Order])[];

const scheme: Order = [['ID']];
const category = (isTotal: boolean): Order => [
  ['ID'],
  ['Percent?'],
  ...(isTotal ? ([['TaxExemptionReason?']] as const) : []),
  ['TaxScheme', scheme],
];
const party: Order = [
  [
    'Party',
    [
      [
        'PostalAddress',
        [['StreetName?'], ['CityName?'], ['PostalZone?'], ['Country', [['IdentificationCode']]]],
      ],
      ['PartyTaxScheme?', [['CompanyID'], ['TaxScheme', scheme]]],
      ['PartyLegalEntity', [['RegistrationName']]],
    ],
  ],
];

const documentOf = (kind: 'Invoice' | 'CreditNote'): Order => [
  ['CustomizationID'],
  ['ID'],
  ['IssueDate'],
  ...(kind === 'Invoice'
    ? ([['DueDate?'], ['InvoiceTypeCode']] as const)
    : ([['CreditNoteTypeCode']] as const)),
  ['Note?'],
  ['DocumentCurrencyCode'],
  ['BuyerReference?'],
  ['InvoicePeriod', [['StartDate'], ['EndDate']]],
  ['BillingReference?', [['InvoiceDocumentReference', [['ID']]]]],
  ['AccountingSupplierParty', party],
  ['AccountingCustomerParty', party],
  [
    'PaymentMeans?',
    [
      ['PaymentMeansCode'],
      ['PaymentID?'],
      ['PayeeFinancialAccount', [['ID'], ['FinancialInstitutionBranch?', [['ID']]]]],
    ],
  ],
  [
    'TaxTotal',
    [['TaxAmount'], ['TaxSubtotal+', [['TaxableAmount'], ['TaxAmount'], ['TaxCategory', category(true)]]]],
  ],
  [
    'LegalMonetaryTotal',
    [['LineExtensionAmount'], ['TaxExclusiveAmount'], ['TaxInclusiveAmount'], ['PayableAmount']],
  ],
  [
    `${kind}Line+`,
    [
      ['ID'],
      [kind === 'Invoice' ? 'InvoicedQuantity' : 'CreditedQuantity'],
      ['LineExtensionAmount'],
      ['Item', [['Name'], ['ClassifiedTaxCategory', category(false)]]],
      ['Price', [['PriceAmount']]],
    ],
  ],
];

/** What of an e-invoice is not as UBL 2.1 and the rules of EN 16931 have it, by the names of the rules; empty if it is. */
export function faultsOfUbl(root: XmlElement): readonly string[] {
  if (root.name !== 'Invoice' && root.name !== 'CreditNote') return ['The root is no Invoice or CreditNote.'];
  return [...orderFaults(root, documentOf(root.name), root.name), ...ruleFaults(root)];
}

const dayAt: Order = [['DateTimeString']];
const partyOfCii: Order = [
  ['Name'],
  ['PostalTradeAddress', [['PostcodeCode?'], ['LineOne'], ['CityName'], ['CountryID']]],
  ['SpecifiedTaxRegistration?', [['ID']]],
];
const rateOfCii: Order = [['CategoryCode'], ['RateApplicablePercent?']];

/** The elements of CII D16B that our documents use, in the order of its schema. */
const ciiOrder: Order = [
  ['ExchangedDocumentContext', [['GuidelineSpecifiedDocumentContextParameter', [['ID']]]]],
  ['ExchangedDocument', [['ID'], ['TypeCode'], ['IssueDateTime', dayAt], ['IncludedNote?', [['Content']]]]],
  [
    'SupplyChainTradeTransaction',
    [
      [
        'IncludedSupplyChainTradeLineItem+',
        [
          ['AssociatedDocumentLineDocument', [['LineID']]],
          ['SpecifiedTradeProduct', [['Name']]],
          ['SpecifiedLineTradeAgreement', [['NetPriceProductTradePrice', [['ChargeAmount']]]]],
          ['SpecifiedLineTradeDelivery', [['BilledQuantity']]],
          [
            'SpecifiedLineTradeSettlement',
            [
              ['ApplicableTradeTax', [['TypeCode'], ...rateOfCii]],
              ['SpecifiedTradeSettlementLineMonetarySummation', [['LineTotalAmount']]],
            ],
          ],
        ],
      ],
      [
        'ApplicableHeaderTradeAgreement',
        [['BuyerReference?'], ['SellerTradeParty', partyOfCii], ['BuyerTradeParty', partyOfCii]],
      ],
      ['ApplicableHeaderTradeDelivery', []],
      [
        'ApplicableHeaderTradeSettlement',
        [
          ['PaymentReference?'],
          ['InvoiceCurrencyCode'],
          [
            'SpecifiedTradeSettlementPaymentMeans?',
            [
              ['TypeCode'],
              ['PayeePartyCreditorFinancialAccount', [['IBANID']]],
              ['PayeeSpecifiedCreditorFinancialInstitution?', [['BICID']]],
            ],
          ],
          [
            'ApplicableTradeTax+',
            [['CalculatedAmount'], ['TypeCode'], ['ExemptionReason?'], ['BasisAmount'], ...rateOfCii],
          ],
          [
            'BillingSpecifiedPeriod',
            [
              ['StartDateTime', dayAt],
              ['EndDateTime', dayAt],
            ],
          ],
          ['SpecifiedTradePaymentTerms?', [['DueDateDateTime', dayAt]]],
          [
            'SpecifiedTradeSettlementHeaderMonetarySummation',
            ['LineTotal', 'TaxBasisTotal', 'TaxTotal', 'GrandTotal', 'DuePayable'].map(
              (name) => [`${name}Amount`] as const,
            ),
          ],
          ['InvoiceReferencedDocument?', [['IssuerAssignedID']]],
        ],
      ],
    ],
  ],
];

/** What of an e-invoice is not in the order of CII D16B; empty if all is. */
export const faultsOfCii = (root: XmlElement): readonly string[] =>
  root.name === 'CrossIndustryInvoice'
    ? orderFaults(root, ciiOrder, root.name)
    : ['The root is no CrossIndustryInvoice.'];

function orderFaults(element: XmlElement, order: Order, path: string): readonly string[] {
  const faults: string[] = [];
  let at = 0;
  for (const [named, inner] of order) {
    const name = named.replace(/[?+]$/, '');
    const from = at;
    for (let child = element.children[at]; child?.name === name; child = element.children[at]) {
      if (inner !== undefined) faults.push(...orderFaults(child, inner, `${path}/${name}`));
      else if (child.text.trim() === '') faults.push(`${path}/${name} is empty.`);
      at += 1;
      if (!named.endsWith('+')) break;
    }
    if (at === from && !named.endsWith('?')) faults.push(`${path}/${name} is missing here.`);
  }
  const rest = element.children[at];
  return rest === undefined ? faults : [...faults, `${path}/${rest.name} is not expected here.`];
}

const all = (of: XmlElement, ...path: readonly string[]): readonly XmlElement[] =>
  path.reduce<readonly XmlElement[]>(
    (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
    [of],
  );
const textAt = (of: XmlElement, ...path: readonly string[]): string => all(of, ...path)[0]?.text ?? '';
const cents = (text: string): number => Math.round(Number(text) * 100);
const centsAt = (of: XmlElement, ...path: readonly string[]): number => cents(textAt(of, ...path));
const day = /^\d{4}-\d\d-\d\d$/;

/** The business rules of EN 16931-1 that apply to what our documents have, under the names of its validation artefacts. */
function ruleFaults(root: XmlElement): readonly string[] {
  const kind = root.name;
  const lines = all(root, `${kind}Line`);
  const groups = all(root, 'TaxTotal', 'TaxSubtotal');
  const seller = (...path: readonly string[]): string =>
    textAt(root, 'AccountingSupplierParty', 'Party', ...path);
  const buyer = (...path: readonly string[]): string =>
    textAt(root, 'AccountingCustomerParty', 'Party', ...path);
  const net = centsAt(root, 'LegalMonetaryTotal', 'LineExtensionAmount');
  const exclusive = centsAt(root, 'LegalMonetaryTotal', 'TaxExclusiveAmount');
  const inclusive = centsAt(root, 'LegalMonetaryTotal', 'TaxInclusiveAmount');
  const payable = centsAt(root, 'LegalMonetaryTotal', 'PayableAmount');
  const tax = centsAt(root, 'TaxTotal', 'TaxAmount');
  const currency = textAt(root, 'DocumentCurrencyCode');
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, one) => total + one, 0);
  const type = textAt(root, `${kind}TypeCode`);
  const means = all(root, 'PaymentMeans');
  const amounts = walk(root).filter(({ attributes }) => attributes['currencyID'] !== undefined);
  const categoryOf = (line: XmlElement): string => textAt(line, 'Item', 'ClassifiedTaxCategory', 'ID');
  const rateOf = (line: XmlElement): string => textAt(line, 'Item', 'ClassifiedTaxCategory', 'Percent');
  const rules: Readonly<Record<string, boolean>> = {
    'BR-01': textAt(root, 'CustomizationID').startsWith('urn:cen.eu:en16931:2017'),
    'BR-02': textAt(root, 'ID') !== '',
    'BR-03': day.test(textAt(root, 'IssueDate')),
    'BR-04': kind === 'Invoice' ? type === '380' : type === '381',
    'BR-05': /^[A-Z]{3}$/.test(currency),
    'BR-06': seller('PartyLegalEntity', 'RegistrationName') !== '',
    'BR-07': buyer('PartyLegalEntity', 'RegistrationName') !== '',
    'BR-09': /^[A-Z]{2}$/.test(seller('PostalAddress', 'Country', 'IdentificationCode')),
    'BR-11': /^[A-Z]{2}$/.test(buyer('PostalAddress', 'Country', 'IdentificationCode')),
    'BR-16': lines.length > 0,
    'BR-21': new Set(lines.map((line) => textAt(line, 'ID'))).size === lines.length,
    'BR-23': lines.every(
      (line) =>
        all(line, kind === 'Invoice' ? 'InvoicedQuantity' : 'CreditedQuantity')[0]?.attributes['unitCode'] ===
        'C62',
    ),
    'BR-27': lines.every((line) => centsAt(line, 'Price', 'PriceAmount') >= 0),
    'BR-29': textAt(root, 'InvoicePeriod', 'StartDate') <= textAt(root, 'InvoicePeriod', 'EndDate'),
    'BR-50': means.every((one) => textAt(one, 'PayeeFinancialAccount', 'ID') !== ''),
    'BR-CL-04': amounts.every(({ attributes }) => attributes['currencyID'] === currency),
    'BR-CO-04': lines.every((line) => categoryOf(line) !== ''),
    'BR-CO-09': [seller, buyer].every((of) => /^([A-Z]{2}.+)?$/.test(of('PartyTaxScheme', 'CompanyID'))),
    'BR-CO-10': net === sum(lines.map((line) => centsAt(line, 'LineExtensionAmount'))),
    'BR-CO-13': exclusive === net,
    'BR-CO-14': tax === sum(groups.map((group) => centsAt(group, 'TaxAmount'))),
    'BR-CO-15': inclusive === exclusive + tax,
    'BR-CO-16': payable === inclusive,
    'BR-CO-17': groups.every((group) => {
      const exact = centsAt(group, 'TaxableAmount') * Number(textAt(group, 'TaxCategory', 'Percent') || '0');
      return Math.abs(exact / 100 - centsAt(group, 'TaxAmount')) < 1;
    }),
    'BR-CO-18': groups.length > 0,
    'BR-CO-25': kind === 'CreditNote' || payable <= 0 || day.test(textAt(root, 'DueDate')),
    'BR-CO-26': seller('PartyTaxScheme', 'CompanyID') !== '',
    'BR-DEC': amounts.every(({ text }) => /^-?\d+(\.\d{1,2})?$/.test(text)),
    'BR-S-08': groups.every(
      (group) =>
        centsAt(group, 'TaxableAmount') ===
        sum(
          lines
            .filter(
              (line) =>
                categoryOf(line) === textAt(group, 'TaxCategory', 'ID') &&
                rateOf(line) === textAt(group, 'TaxCategory', 'Percent'),
            )
            .map((line) => centsAt(line, 'LineExtensionAmount')),
        ),
    ),
    'BR-S-05': lines.every((line) => categoryOf(line) !== 'S' || Number(rateOf(line)) > 0),
    'BR-Z-05': lines.every((line) => categoryOf(line) !== 'Z' || Number(rateOf(line)) === 0),
    'BR-AE-02':
      !lines.some((line) => categoryOf(line) === 'AE') || buyer('PartyTaxScheme', 'CompanyID') !== '',
    'BR-E-10': groups.every(
      (group) =>
        !['E', 'AE', 'O'].includes(textAt(group, 'TaxCategory', 'ID')) ||
        textAt(group, 'TaxCategory', 'TaxExemptionReason') !== '',
    ),
    'BR-O-05': lines.every((line) => categoryOf(line) !== 'O' || rateOf(line) === ''),
    'BR-O-11': groups.length === 1 || !groups.some((group) => textAt(group, 'TaxCategory', 'ID') === 'O'),
    'UBL-CR': kind === 'Invoice' || textAt(root, 'BillingReference', 'InvoiceDocumentReference', 'ID') !== '',
  };
  return Object.entries(rules).flatMap(([name, holds]) => (holds ? [] : [name]));
}

const walk = (element: XmlElement): readonly XmlElement[] => [element, ...element.children.flatMap(walk)];
