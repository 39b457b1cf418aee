/** What a column can hold. */
export const readingFields = [
  'number',
  'issued',
  'due',
  'currency',
  'refers_to',
  'document_type',
  'net',
  'tax',
  'gross',
  'commission',
  'amount',
  'document_net',
  'document_tax',
  'document_gross',
  'seller_buy',
  'package',
  'buyer_reference',
  'po',
  'order',
  'campaign',
  'seller',
  'description',
  'line_type',
  'units',
  'price',
  'service_from',
  'service_to',
  'service_month',
  'day',
] as const;

export type ReadingField = (typeof readingFields)[number];

/** Columns of money. */
export const moneyFields = [
  'net',
  'tax',
  'gross',
  'commission',
  'amount',
  'document_net',
  'document_tax',
  'document_gross',
] as const satisfies readonly ReadingField[];

export const dateFields = [
  'issued',
  'due',
  'service_from',
  'service_to',
  'day',
] as const satisfies readonly ReadingField[];

/** Columns whose text can name what a line bills. */
export const nameFields = [
  'package',
  'seller_buy',
  'buyer_reference',
  'order',
  'po',
  'campaign',
] as const satisfies readonly ReadingField[];

/** The form in which names are compared: letters and digits alone, in lower case (Unicode NFKC). */
export const foldName = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names of columns in several languages, in the order of their rank: of two columns for one field the first name wins. */
const known: Readonly<Record<ReadingField, string>> = {
  number:
    'invoice number|invoice no|invoice nr|invoice id|invoice #|invoice|inv number|inv no|document number|document no|document|doc no|bill no|bill number|credit note|credit note number|rechnungsnummer|rechnungsnr|rechnung nr|rechnungs-nr|rechnung|belegnummer|belegnr|beleg|gutschrift|facture|numéro de facture|n° facture|no facture|numero facture|factura|número de factura|nº factura|num factura|fattura|numero fattura',
  issued:
    'issued|issued on|issue date|date of issue|invoice date|inv date|document date|bill date|date issued|rechnungsdatum|belegdatum|ausstellungsdatum|datum|date de facture|date facture|date d émission|fecha de factura|fecha factura|fecha de emisión|fecha|data fattura|date',
  due: 'due|due on|due date|payment due|fällig|fällig am|fälligkeit|fälligkeitsdatum|zahlbar bis|échéance|date d échéance|vencimiento|fecha de vencimiento',
  currency:
    'currency|currency code|ccy|cur|invoice currency|advertiser currency|advertiser currency code|order currency|währung|waehrung|whg|devise|monnaie|moneda|divisa|valuta',
  refers_to:
    'refers to|refers to invoice|original invoice|original invoice #|original invoice number|credited invoice|corrects|bezug|bezug rechnung|ursprungsrechnung|facture d origine|factura original|factura rectificada',
  document_type: 'document type|doc type|belegart|type de document|tipo de documento',
  net: 'net|net amount|net cost|net amt|netto|nettobetrag|betrag netto|net total|line net|montant ht|total ht|ht|neto|importe neto|base imponible',
  tax: 'tax|tax amount|vat|vat amount|sales tax|gst|mwst|mwst betrag|ust|umsatzsteuer|steuer|steuerbetrag|tva|montant tva|iva|importe iva|impuesto',
  gross:
    'gross|gross amount|gross amt|gross total|brutto|bruttobetrag|betrag brutto|montant ttc|total ttc|ttc|bruto|importe bruto|total con iva|total incl tax|total incl vat',
  commission: 'commission|commission amount|comm amt|agency commission|provision|agenturprovision|comisión',
  amount:
    'amount|line amount|amount due|line total|betrag|summe|gesamtbetrag|gesamtpreis|montant|importe|importo|billable cost|billable amount|total cost|cost|media cost|spend|total amount|revenue|kosten|coût|coste|billed|billed amount|total',
  document_net:
    'invoice total|invoice net|invoice total net|inv total net|document net|document total|rechnungsbetrag netto',
  document_tax: 'invoice total tax|inv total tax|document tax',
  document_gross: 'invoice gross|invoice total gross|inv total gross|document gross|rechnungsbetrag',
  seller_buy:
    'seller buy|seller buy id|media buy|media buy id|seller media buy id|order id|auftrag|auftragsnummer|insertion order id|insertion order',
  package:
    'package|package id|seller package|line item id|placement id|placement number|ad group id|line id|paket',
  buyer_reference:
    'buyer reference|buyer ref|your reference|your ref|our reference|our buy|our buy id|customer reference|ihre referenz|kundenreferenz|ihr zeichen|référence client|votre référence|referencia del cliente|su referencia',
  order: 'order|order number|order no|io number|io|estimate|est',
  po: 'po|po number|po no|client po|purchase order|purchase order number|bestellnummer|bestell nr|bestellung|bon de commande|numéro de commande|orden de compra|número de pedido|pedido',
  campaign: 'campaign id|campaign|campaign name|kampagne|campagne|campaña',
  seller: 'seller|vendor|vendor name|supplier|publisher|site|lieferant|verkäufer|fournisseur|proveedor',
  description:
    'line item|description|line|item|line description|line item name|placement name|placement|details|text|beschreibung|bezeichnung|position|leistung|artikel|libellé|désignation|description de la ligne|descripción|concepto|descrizione',
  line_type: 'line type|charge type|type|art|kostenart|tipo',
  units:
    'units|impressions|total impressions|billable units|quantity|qty|menge|anzahl|impressionen|quantité|qté|cantidad|unidades|impresiones|delivered units',
  price: 'unit price|price|rate|cpm|unit cost|preis|einzelpreis|prix|prix unitaire|precio|precio unitario',
  service_from:
    'service from|service start|period start|period from|from|start|start date|begin|leistung von|leistungsbeginn|von|début|date de début|du|desde|inicio|fecha de inicio',
  service_to:
    'service to|service end|period end|period to|to|until|end|end date|leistung bis|leistungsende|bis|fin|date de fin|au|hasta|fecha de fin',
  service_month:
    'service month|month of service|mos|billing month|billing period|period|month|buy month|leistungsmonat|leistungszeitraum|monat|mois|période|mes|periodo',
  day: 'day|service day|service date|leistungstag|leistungsdatum|jour|día',
};

const ranks: ReadonlyMap<string, { readonly field: ReadingField; readonly rank: number }> = new Map(
  readingFields.flatMap((field) =>
    known[field].split('|').map((name, rank) => [foldName(name), { field, rank }] as const),
  ),
);

/** Notes in parentheses at the end of a name, such as `(Adv Currency)` or `($)`. */
const note = /\s*[([][^()[\]]{0,40}[)\]]\s*$/;

/** The field that the name of a column means, with its rank; undefined for an unknown name. */
export function fieldOfName(
  name: string,
): { readonly field: ReadingField; readonly rank: number } | undefined {
  return ranks.get(foldName(name)) ?? ranks.get(foldName(name.replace(note, '')));
}

/** Words that make a row a total. */
const totals = new Set(
  'total|totals|grand total|sub total|subtotal|invoice total|net total|total amount|sum|summe|zwischensumme|gesamt|gesamtsumme|gesamtbetrag|rechnungsbetrag|endsumme|total général|total general|sous total|totaux|suma|suma total|totale'
    .split('|')
    .map(foldName),
);

/** Whether a cell says that its row is a total. `number` is that of the document. */
export function isTotalLabel(text: string, number = ''): boolean {
  if (text === '' || text.length > 60) return false;
  const folded = foldName(text);
  if (totals.has(folded)) return true;
  const of = foldName(number);
  return of !== '' && folded.endsWith(of) && totals.has(folded.slice(0, -of.length));
}

/** The type of a line by words; undefined if none of them is in its text. */
export function lineTypeOfWords(text: string): 'tax' | 'credit' | 'commission' | 'fee' | undefined {
  for (const [type, words] of lineWords) if (words.test(text)) return type;
  return undefined;
}

const lineWords = [
  [
    'credit',
    /\b(?:credit|refund|make-?good|rebate|discount|gutschrift|erstattung|rückerstattung|rabatt|avoir|remboursement|remise|abono|reembolso|descuento)\b/iu,
  ],
  ['commission', /\b(?:commission|provision|agenturprovision|comisión)\b/iu],
  ['tax', /\b(?:vat|sales tax|tax|gst|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva|impuesto)\b/iu],
  [
    'fee',
    /(?:\b(?:fee|fees|serving|data cost|data costs|platform|surcharge|gebühr|gebühren|servicepauschale|pauschale|frais|tarifa|cargo|honorarios)\b|\p{L}gebühr(?:en)?\b)/iu,
  ],
] as const;
