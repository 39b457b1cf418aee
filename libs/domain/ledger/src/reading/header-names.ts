import { fieldOfWords, isLikeTotal, totalOfWords } from './header-words.js';

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
  'tax_rate',
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
    'invoice number|invoice no|invoice nr|invoice id|invoice #|invoice|inv number|inv no|document number|document no|document|doc no|bill no|bill number|credit note|credit note number|rechnungsnummer|rechnungsnr|rechnung nr|rechnungs-nr|rg nr|re nr|rg nummer|rechnung|belegnummer|belegnr|beleg|gutschrift|facture|numéro de facture|n° facture|no facture|numero facture|factura|número de factura|nº factura|num factura|fattura|numero fattura|n° de facture|n de facture|facture n°|nº de factura|factuurnummer|factuur nr|factuur|n fattura|nr fattura|fattura n|numer faktury|nr faktury|faktura nr|faktura|fakturanummer|fakturanr|fatura|fatura no|número da fatura|nº da fatura|nota fiscal|número da nota|請求書番号|請求番号|発票号码|发票号码|发票号|číslo faktury|credit note no|credit memo|credit memo number|avoir|numéro avoir|nota de crédito|nota credito|creditnota|gutschriftsnummer|gutschrift nr|receipt number|receipt no|tax invoice|tax invoice no|tax invoice number|número da nfs-e|número da nota fiscal|kreditnota|kreditnota nr|kreditnota nummer|kreditnotanr|kreditfaktura|kreditfakturanr|creditnota nummer|creditfactuur|creditfactuurnummer|rechnungskorrektur|rechnungskorrektur nr|korrekturrechnung|korrekturrechnung nr|stornorechnung|stornorechnung nr|faktura korygująca|nr faktury korygującej|nota di credito|nota di credito n|note de crédit|n° avoir|avoir n°|dobropis|számlaszám|számla sorszáma|세금계산서번호|계산서번호|laskun numero|laskunumero|lasku|număr factură|nr factură|رقم الفاتورة|folio|documento|no invoice|nomor faktur|transaction number',
  issued:
    'issued|issued on|issue date|date of issue|invoice date|inv date|document date|bill date|date issued|rechnungsdatum|rg datum|re datum|belegdatum|ausstellungsdatum|datum|date de facture|date facture|date d émission|fecha de factura|fecha factura|fecha de emisión|fecha|data fattura|date|credit note date|factuurdatum|data di emissione|data documento|data de emissão|data da fatura|data wystawienia|data faktury|fakturadatum|fakturadato|発行日|請求日|开票日期|fatura tarihi|datum vystavení|kelt|számla kelte|작성일자|발행일|issued at|rechn datum|rgdatum|r datum|data|dato|tarih|日付|日期|vystavená|vystaveno|dátum vystavenia|dátum|päiväys|päivämäärä|laskun päivämäärä|data facturii|dated|doc date|posting date|invoice dated|date of invoice|تاريخ الفاتورة|tanggal|tanggal faktur',
  due: 'due|due on|due date|payment due|fällig|fällig am|fälligkeit|fälligkeitsdatum|zahlbar bis|échéance|date d échéance|vencimiento|fecha de vencimiento|vervaldatum|scadenza|data scadenza|data di scadenza|data de vencimento|vencimento|termin płatności|förfallodatum|forfaldsdato|forfallsdato|支払期限|支払期日|vade|fecha vto|fecha de vto|fizetési határidő|zahlungsziel|date échéance|datum splatnosti|eräpäivä|splatnosť|splatnost|dátum splatnosti|scadență|data scadenței',
  currency:
    'currency|currency code|ccy|cur|invoice currency|advertiser currency|advertiser currency code|order currency|währung|waehrung|whg|devise|monnaie|moneda|divisa|valuta|account currency|billing currency|customer.currency_code|campaign currency|currency iso|munt|moeda|waluta|通貨|币种|货币|para birimi|měna|pénznem|통화|währg|whrg|mena|valuutta|monedă|valuta faktury|العملة',
  refers_to:
    'refers to|refers to invoice|original invoice|original invoice #|original invoice number|credited invoice|corrects|bezug|bezug rechnung|ursprungsrechnung|facture d origine|factura original|factura rectificada|referenced invoice|related invoice|credit for invoice|avoir sur facture|gutschrift zu|zu rechnung|zur rechnung|rechnungsbezug|fattura di riferimento|factuurreferentie|faktura korygowana|applies to|applied to|applies to invoice|invoice reference|reference invoice',
  document_type:
    'document type|doc type|transaction type|tran type|tipo de comprobante|tipo comprobante|vorgangsart|belegart|type de document|tipo de documento|type of document|document kind|invoice type|tipo documento|rodzaj dokumentu|documentsoort',
  net: 'net|net amount|net cost|net amt|netto|nettobetrag|betrag netto|net total|line net|공급가액|montant ht|total ht|ht|neto|importe neto|dpp|base imponible|bedrag excl btw|nettobedrag|totaal excl btw|imponibile|importo netto|totale imponibile|valor líquido|base de cálculo|valor sem impostos|wartość netto|kwota netto|nettobelopp|nettobeløb|税抜金額|税抜|未税金额|kdv hariç|matrah|základ daně|netto eur|nettó|subtotal|sub total|sub-total|sous-total|sous total|veroton|veroton summa|suma bez dph|základ dane|valoare fără tva',
  tax: 'tax|tax amount|vat|vat amount|sales tax|gst|mwst|mwst betrag|ust|umsatzsteuer|steuer|steuerbetrag|tva|montant tva|iva|importe iva|impuesto|btw|btw bedrag|imposta|imposte|impostos|imposto|podatek vat|kwota vat|moms|mva|消費税|消費税額|税額|税额|세액|kdv|kdv tutarı|dph|vat charged|alv|suma dph|valoare tva',
  tax_rate:
    'vat rate|tax rate|steuersatz|ust satz|mwst satz|steuersatz in prozent|taux tva|taux de tva|tipo iva|tipo de iva|aliquota|aliquota iva|alíquota|stawka vat|btw tarief|btw percentage|momssats|税率|kdv oranı|sazba dph',
  gross:
    'gross|gross amount|gross amt|gross total|brutto|bruttobetrag|betrag brutto|montant ttc|total ttc|ttc|bruto|importe bruto|total con iva|total incl tax|total incl vat|bedrag incl btw|brutobedrag|totaal incl btw|totale fattura|totale documento|wartość brutto|kwota brutto|bruttobelopp|belopp inkl moms|税込金額|税込|价税合计|genel toplam|kdv dahil|bruttó|합계금액|total amount billed|total billed|verollinen|verollinen summa|suma s dph',
  commission:
    'commission|commission amount|comm amt|agency commission|provision|agenturprovision|comisión|agentuurcommissie|commissie|commissione|provvigione|comissão|prowizja|agency discount|less agency commission|media commission',
  amount:
    'amount|line amount|amount due|line total|betrag|summe|gesamtbetrag|gesamtpreis|montant|importe|importo|billable cost|billable amount|total cost|cost|media cost|spend|total amount|revenue|kosten|coût|coste|billed|billed amount|total|amount spent|total spent|spent|gesamtumsatz|umsatz|erlös|erlöse|spend in account currency|metrics.cost_micros|cost_micros|bedrag|totaal|importo|valor|kwota|wartość|belopp|beløb|summa|tutar|金額|金额|částka|extended amount|extended price|ext amount|extension|sum|totale|valor total|合計|合计|razem|suma|totalt|toplam|celkem|invoice amount|amount invoiced|total due|amount payable|total payable|valor da fatura|invoiced amount|total revenue|ad server cpm and cpc revenue|total cpm and cpc revenue|ad server cpm, cpc, cpd, and vcpm revenue|total cpm, cpc, cpd, and vcpm revenue|yhteensä|spolu|valoare|المبلغ',
  document_net:
    'invoice total|invoice net|invoice total net|inv total net|document net|document total|rechnungsbetrag netto',
  document_tax: 'invoice total tax|inv total tax|document tax',
  document_gross: 'invoice gross|invoice total gross|inv total gross|document gross|rechnungsbetrag',
  seller_buy:
    'seller buy|seller buy id|media buy|media buy id|seller media buy id|order id|auftrag|auftragsnummer|insertion order id|insertion order|auftrags id|auftragsid|io id|insertion order number|media order id|seller order id',
  package:
    'package|package id|seller package|line item id|placement id|placement number|ad group id|line id|paket|werbebuchungs id|werbebuchungsid|ad group id|adset id|ad set id|ad squad id|placement no|package no|seller line id|flight id|line number id',
  buyer_reference:
    'buyer reference|buyer ref|your reference|your ref|our reference|our buy|our buy id|customer reference|ihre referenz|kundenreferenz|ihr zeichen|référence client|votre référence|referencia del cliente|su referencia',
  order: 'order|order number|order no|io number|io|estimate|est',
  po: 'po|po number|po no|client po|purchase order|purchase order number|bestellnummer|bestell nr|bestellung|bon de commande|numéro de commande|orden de compra|número de pedido|pedido|réf commande|référence commande|n commande|n de commande|numéro commande|commande|nr zamówienia|numer zamówienia|zamówienie|ordine|numero ordine|n ordine|ordine di acquisto|inkooporder|inkoopordernummer|bestelnummer|ordre|ordrenr|ordrenummer|encomenda|nº encomenda|beställning|beställningsnummer|sipariş no|číslo objednávky|objednávka|発注番号|注文番号|采购订单号|订单号',
  campaign:
    'campaign id|id campagne|campaign|campaign name|kampagne|campagne|campaña|kampagnen id|id campagne|id de campaña|campagna|campanha|kampania|kampanj|キャンペーン|kampanja|kampaň|campanie|name der kampagne|nom de la campagne|nombre de la campaña|nome della campagna|nome da campanha|campagnenaam|nazwa kampanii',
  seller: 'seller|vendor|vendor name|supplier|publisher|site|lieferant|verkäufer|fournisseur|proveedor',
  description:
    'line item|description|line|item|line description|line item name|placement name|placement|details|text|beschreibung|bezeichnung|position|leistung|artikel|libellé|désignation|description de la ligne|descripción|concepto|descrizione|omschrijving|beschrijving|descrizione|prestazione|servizio|descrição|serviço|nazwa usługi|nazwa|opis|usługa|beskrivning|beskrivelse|benämning|品目|摘要|内容|項目|品名|描述|项目|açıklama|popis|product|service|services|megnevezés|품목|service description|ad set name|ad group name|ad squad name|werbebuchung|product description|product name|désignation des services|kuvaus|tuote|denumire|descriere|particulars|description of services|discriminação dos serviços|reason|sujet|motiv|الوصف',
  line_type:
    'line type|charge type|type|art|kostenart|tipo|kind of charge|charge category|fee type|soort|rodzaj|sign|vorzeichen|s/h|soll/haben|soll haben|soll-/haben-kennzeichen|soll haben kennzeichen|d/c|c/d|dr/cr|cr/dr|debit/credit|debit or credit|debit credit indicator|credit/debit|débit/crédit|sens|debe/haber|dare/avere',
  units:
    'billable impressions|billable units|billed impressions|billed units|invoiced impressions|units|impressions|total impressions|ad server impressions|quantity|qty|menge|anzahl|impressionen|quantité|qté|cantidad|unidades|impresiones|delivered units|impr|imps|paid impressions|impressions delivered|delivered impressions|units billed|impressions billed|impressionen gesamt|metrics.impressions|aantal|vertoningen|impressies|quantità|qtà|quantidade|qtd|impressões|ilość|wyświetlenia|antal|visningar|antall|数量|インプレッション|miktar|adet|množství',
  price:
    'unit price|price|rate|cpm|tkp|tausenderpreis|unit cost|preis|einzelpreis|prix|prix unitaire|precio|precio unitario|unit cost|prijs|stukprijs|eenheidsprijs|prezzo|prezzo unitario|preço|preço unitário|valor unitário|cena|cena netto|cena jednostkowa|pris|単価|单价|birim fiyat|ecpm|avg cpm|avg cpc|average cpm|cena za jednotku',
  service_from:
    'service from|service start|period start|billing period start|billing start date|billing start|period from|from|start|start date|begin|leistung von|leistungsbeginn|von|début|date de début|du|desde|inicio|fecha de inicio|reporting starts|start time|flight start|first day|periode von|dal|data inizio|data início|van|från|fra|开始|開始日|leistungszeitraum von|service period from|service period start|servicio desde|diffusion du|alku|alkupäivä|začiatok|berichtsstart|début des rapports|inicio del informe|inizio dei report|início dos relatórios|first play',
  service_to:
    'service to|service end|period end|billing period end|billing end date|billing end|period to|to|until|end|end date|leistung bis|leistungsende|bis|fin|date de fin|au|hasta|fecha de fin|reporting ends|end time|flight end|last day|periode bis|al|data fine|data fim|tot|t/m|till|til|结束|終了日|leistungszeitraum bis|service period to|service period end|servicio hasta|loppu|loppupäivä|koniec|berichtsende|fin des rapports|fin del informe|fine dei report|término dos relatórios|last play',
  service_month:
    'service month|month of service|mos|billing month|billing period|period|month|buy month|leistungsmonat|leistungszeitraum|monat|mois|période|mes|periodo|service period|service dates|flight dates|billed period|leistungsperiode|periode|mese|mês|maand|miesiąc|månad|利用月|対象月|flight|dates of service|période de diffusion|période de campagne|période de facturation|zeitraum|kampagnenzeitraum|abrechnungszeitraum|laufzeit|periodo de facturación|periodo di riferimento|factuurperiode|campaign dates|campaign period|billing cycle|competência|mês de competência|obdobie|období|jakso|perioada|okres|broadcast month|reporting period|report period|week|week of|week starting|week beginning|week commencing|week ending|woche|kalenderwoche|kw|semaine|competenza|対象期間|服务期间',
  day: 'day|service day|service date|leistungstag|leistungsdatum|jour|día|segments.date|time period|report date|dag|giorno|dia|dzień|interval start|gregorian date|air date|date aired|spot date|sendetag|sendedatum|date de diffusion',
};

/** `Período` and `PERIODO` are one name: systems write headers with accents and without. */
const withoutAccents = (name: string): string => foldName(name.normalize('NFKD').replaceAll(/\p{M}/gu, ''));

const ranks = new Map<string, { readonly field: ReadingField; readonly rank: number }>();
for (const field of readingFields)
  for (const [rank, name] of known[field].split('|').entries()) {
    const folded = withoutAccents(name);
    if (!ranks.has(folded)) ranks.set(folded, { field, rank });
  }

/** Notes in parentheses at the end of a name, such as `(Adv Currency)` or `($)`. */
const note = /(?:\s*[([][^()[\]]{0,40}[)\]])+\s*$/;

/** Currencies and shares that a name says beside its meaning: `Betrag in EUR`, `MwSt 19 %`. */
const beside =
  /\s*(?:\b(?:in\s+)?(?:EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN|CZK|BRL|INR|CAD|AUD|TRY|HUF|MXN|SGD|ZAR)\b|\d+(?:[.,]\d+)?\s*%|[€$£¥]|\bin\s*$)\s*/g;

/** Names found by their words stand behind the known ones. */
const rankOfWords = 1_000;

/** What names say that have no blanks between their words: an amount without its tax, with it, and the tax. */
const easternNames = [
  ['net', /税抜|税別|未税|不含税|공급가|부가세 ?별도/u],
  ['gross', /税込|内税|含税|부가세 ?포함/u],
] as const satisfies readonly (readonly [ReadingField, RegExp])[];

/** The field that the name of a column means, with its rank; undefined for an unknown name. */
export function fieldOfName(
  name: string,
): { readonly field: ReadingField; readonly rank: number } | undefined {
  if (name.replaceAll(/\d+(?:[.,]\d+)?\s*%/g, '').includes('%')) {
    const of = fieldOfName(name.replaceAll('%', ' ').replaceAll(/[([]\s*[)\]]/g, ' '));
    return of?.field === 'tax' || of?.field === 'tax_rate' ? { field: 'tax_rate', rank: 0 } : undefined;
  }
  const known = ranks.get(withoutAccents(name));
  if (known !== undefined) return known;
  for (const [of, words] of easternNames) if (words.test(name)) return { field: of, rank: rankOfWords };
  const field = fieldOfWords(name);
  if (field === 'none') return undefined;
  const shorter =
    ranks.get(withoutAccents(name.replace(note, ''))) ??
    ranks.get(withoutAccents(name.replaceAll(beside, ' ')));
  if (shorter !== undefined) return shorter;
  return field === undefined ? undefined : { field, rank: rankOfWords };
}

/** Whether a cell says that its row is a total. `number` is that of the document. */
export function isTotalLabel(text: string, number = ''): boolean {
  return totalLabel(text, number) !== undefined;
}

/** What a cell says of the total in its row; undefined if it says none. */
export function totalLabel(text: string, number = ''): ReturnType<typeof totalOfWords> {
  if (!isLikeTotal(text)) return undefined;
  const found = totalOfWords(text);
  if (found !== undefined) return found;
  const of = foldName(number);
  const folded = foldName(text);
  const isOfDocument = of !== '' && folded !== of && folded.endsWith(of) && text.length <= 160;
  return isOfDocument ? totalOfWords(text.slice(0, -number.length)) : undefined;
}

/** The type of a line by words; undefined if none of them is in its text. */
export function lineTypeOfWords(text: string): 'tax' | 'credit' | 'commission' | 'fee' | undefined {
  // A large file has few words and many texts.
  if (!wordsIn(text).some(mayBeLineWord)) return undefined;
  for (const [type, words] of lineWords) if (words.test(text)) return type;
  return undefined;
}

/** Whole words of any script: `\b` knows letters without accents alone. */
const anyOf = (...lists: readonly string[]): RegExp =>
  new RegExp(`(?<!\\p{L})(?:${lists.join('|')})(?!\\p{L})`, 'iu');

const lineWords = [
  [
    'credit',
    anyOf(
      'credits?|refunds?|make-?goods?|rebates?|discounts?|gutschrift(?:en)?|erstattung|rückerstattung|rabatte?|nachlass|avoirs?|remboursements?|remises?|abonos?|reembolsos?|descuentos?',
      'creditnota|korting|terugbetaling|rimborso|sconto|storno|crédito|estorno|desconto|korekta|zwrot|rabat|kreditering|値引き?|返金',
    ),
  ],
  [
    'commission',
    anyOf(
      'commission|provision|agenturprovision|comisión|commissie|commissione|provvigione|comissão|prowizja',
    ),
  ],
  [
    'tax',
    anyOf(
      'vat|sales tax|tax|[cis]?gst|utgst|hst|[pq]st|tps|tvq|igic|igv|ppn|sst|alv|áfa|mwst|ust|umsatzsteuer|mehrwertsteuer|tva|iva|impuesto|impuestos|btw|moms|mva|kdv|dph|imposta|imposto|impostos',
      '\\p{L}*消費税',
    ),
  ],
  [
    'fee',
    anyOf(
      'fee|fees|serving|data cost|data costs|platform|surcharge|\\p{L}*gebühr(?:en)?|servicepauschale|pauschale|frais|tarifa|cargo|honorarios',
      'servicekosten|toeslag|spese|diritti|taxa|avgift|opłata|手数料',
    ),
  ],
] as const;

const wordsIn = (text: string): readonly string[] => text.match(/\p{L}+/gu) ?? [];

/** The first letters of each of these words, or what stands at their end. */
const wordBegins = new RegExp(
  lineWords
    .map(([, words]) => words.source.slice('(?<!\\p{L})'.length, -'(?!\\p{L})'.length))
    .join('|')
    .replaceAll(/(?:-\?| )[^|)]*/g, ''),
  'iu',
);

const wordsKept = 10_000;
const asked = new Map<string, boolean>();

/** Whether a word may be the first of those that say the type of a line. The answers to the first words are kept. */
function mayBeLineWord(word: string): boolean {
  const known = asked.get(word);
  if (known !== undefined) return known;
  const found = wordBegins.test(word);
  if (asked.size < wordsKept) asked.set(word, found);
  return found;
}
