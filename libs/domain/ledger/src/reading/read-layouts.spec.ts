import { describe, expect, it } from '@jest/globals';
import { atOnce } from '@switchyard/values';
import { namesOf, settleReading } from './settle-reading.js';
import type { Cell } from './split-rows.js';
import { read, readText, shownReading } from './testkit/read-case.js';

interface Expected {
  readonly number?: string;
  readonly kind?: 'invoice' | 'credit_note';
  readonly issued?: string;
  readonly due?: string;
  readonly days?: string;
  readonly currency?: string;
  readonly sums: readonly [net: string, tax: string, gross: string];
  readonly lines?: readonly string[];
  readonly asks?: readonly string[];
}

const head = 'Invoice;Issued;Currency;Description;Amount\n';
const row = (amount: string, description = 'Display', currency = 'EUR'): string =>
  `A;2026-11-20;${currency};${description};${amount}\n`;

/** Files in the languages and layouts of sellers. What is not named is not compared. */
const files: readonly (readonly [what: string, text: string, expected: Expected])[] = [
  [
    'a German invoice with net, tax and gross, and its sum',
    'Rechnungsnummer;Rechnungsdatum;Fälligkeitsdatum;Währung;Leistung von;Leistung bis;Bezeichnung;Menge;Einzelpreis;Nettobetrag;MwSt 19 %;Bruttobetrag\nRE-1;30.11.2026;30.12.2026;EUR;01.11.2026;30.11.2026;Display;120.000;12,50;1.500,00;285,00;1.785,00\nRE-1;30.11.2026;30.12.2026;EUR;01.11.2026;30.11.2026;Video;50.000;20,00;1.000,00;190,00;1.190,00\n;;;;;;Summe;;;2.500,00;475,00;2.975,00\n',
    { number: 'RE-1', issued: '2026-11-30', days: '2026-11-01..2026-11-30', sums: ['2500', '475', '2975'] },
  ],
  [
    'a French invoice',
    "N° de facture;Date de facture;Date d'échéance;Devise;Désignation;Quantité;Prix unitaire HT;Montant HT;TVA;Montant TTC\nF-1;30/11/2026;30/12/2026;EUR;Campagne;1;1 234,50 €;1 234,50 €;246,90 €;1 481,40 €\n",
    { number: 'F-1', issued: '2026-11-30', sums: ['1234.5', '246.9', '1481.4'] },
  ],
  [
    'a Spanish invoice',
    'Número de factura;Fecha de emisión;Moneda;Concepto;Base imponible;IVA (21%);Total factura\nFV-26/118;30/11/2026;EUR;Campaña;1.234,56;259,26;1.493,82\n',
    { number: 'FV-26/118', sums: ['1234.56', '259.26', '1493.82'] },
  ],
  [
    'a Dutch invoice',
    'Factuurnummer;Factuurdatum;Vervaldatum;Valuta;Omschrijving;Aantal;Prijs;Bedrag excl. btw;Btw;Bedrag incl. btw\n2026-0118;30-11-2026;30-12-2026;EUR;Display;1;1.234,50;1.234,50;259,25;1.493,75\n',
    { number: '2026-0118', sums: ['1234.5', '259.25', '1493.75'] },
  ],
  [
    'an Italian invoice',
    'Numero fattura;Data fattura;Scadenza;Valuta;Descrizione;Quantità;Prezzo unitario;Imponibile;IVA;Totale\nFT 88;30/11/2026;31/12/2026;EUR;Campagna;1;1.234,50;1.234,50;271,59;1.506,09\n',
    { number: 'FT 88', issued: '2026-11-30', sums: ['1234.5', '271.59', '1506.09'] },
  ],
  [
    'a Brazilian invoice',
    'Nota fiscal;Data de emissão;Vencimento;Moeda;Descrição;Valor unitário;Valor líquido;Impostos;Valor total\nNF-99;30/11/2026;30/12/2026;BRL;Mídia;R$ 1.234,50;R$ 1.234,50;R$ 61,73;R$ 1.296,23\n',
    { number: 'NF-99', currency: 'BRL', sums: ['1234.5', '61.73', '1296.23'] },
  ],
  [
    'a Polish invoice',
    'Numer faktury;Data wystawienia;Termin płatności;Waluta;Nazwa usługi;Ilość;Cena netto;Wartość netto;VAT;Wartość brutto\nFV/11/2026;2026-11-30;2026-12-14;PLN;Kampania;1;1 234,50 zł;1 234,50 zł;283,94 zł;1 518,44 zł\n',
    { number: 'FV/11/2026', sums: ['1234.5', '283.94', '1518.44'] },
  ],
  [
    'an Indian invoice with two taxes, whose currency stands beside its total alone',
    'Invoice No,Invoice Date,PO Number,Taxable Value,CGST 9%,SGST 9%,Total (INR)\nHM/114,30-11-2026,PO-88,"12,50,000.00","1,12,500.00","1,12,500.00","14,75,000.00"\n',
    { number: 'HM/114', currency: 'INR', sums: ['1250000', '225000', '1475000'], asks: [] },
  ],
  [
    'a Japanese invoice',
    '請求書番号,請求日,発注番号,内容,通貨,金額(税抜),消費税,合計\nINV-9,2026年11月30日,PO-4,動画広告,JPY,"1,200,000","120,000","1,320,000"\n',
    { number: 'INV-9', issued: '2026-11-30', sums: ['1200000', '120000', '1320000'], asks: [] },
  ],
  [
    'a French invoice with a discount between two nets, whose range of days shows the order of its days',
    'Facture n°;Date;Période de diffusion;Réf. commande;Devise;Libellé;Montant HT;Remise;Net HT;TVA (20%);TTC\nFA-12;05/11/2026;01/11/2026 au 30/11/2026;PO-1;EUR;Display;10 000,00;-500,00;9 500,00;1 900,00;11 400,00\n',
    { issued: '2026-11-05', days: '2026-11-01..2026-11-30', sums: ['9500', '1900', '11400'], asks: [] },
  ],
  [
    'gross before a discount, and a total with tax on the line',
    'invoice_no|invoice_date|currency|service_month|po|gross_media|discount|net_media|vat_amt|invoice_total\n77|2026-11-20|EUR|2026-11|PO-1|1000.00|-50.00|950.00|180.50|1130.50\n',
    { sums: ['950', '180.5', '1130.5'], asks: [] },
  ],
  [
    'a German invoice with a dash between its days, and a sentence below its sum',
    'Rechnung Nr.;RE-114\nRechnungsdatum;25.11.2026\nLeistungszeitraum;01.11.2026 – 30.11.2026\n\nPos;Kampagne;Bestellung;Impressionen;Netto €\n1;Herbst;PO-1;1.200.000;5.400,00\n;;;Summe netto;5.400,00\n;;;MwSt. 19 %;1.026,00\n;;;Rechnungsbetrag;6.426,00\nZahlbar bis 04.01.2027 ohne Abzug\n',
    {
      number: 'RE-114',
      days: '2026-11-01..2026-11-30',
      currency: 'EUR',
      sums: ['5400', '1026', '6426'],
      asks: [],
    },
  ],
  [
    'flights of American days, of which one shows their order',
    'Invoice,Issued,Currency,Placement,Flight,Booked,Delivered,Rate,Cost\nA,2026-11-20,USD,Home,11/01/26 - 11/07/26,"1,000","980",$10.00,"$9,800.00"\nA,2026-11-20,USD,Video,11/01/26 - 11/30/26,"500","520",$20.00,"$10,000.00"\n',
    { days: '2026-11-01..2026-11-30', sums: ['19800', '0', '19800'], asks: [] },
  ],
  [
    'lines of a part of a month, on two pages',
    'Invoice,Issued,PO,Period,Billable impressions,Net (GBP)\nA,2026-11-20,PO-1,1-15 Nov 2026,100,"5,000.00"\nPage 2 of 2\nInvoice,Issued,PO,Period,Billable impressions,Net (GBP)\nA,2026-11-20,PO-2,"Nov 16–30, 2026",100,"1,250.00"\n',
    { days: '2026-11-01..2026-11-30', currency: 'GBP', sums: ['6250', '0', '6250'], asks: [] },
  ],
  [
    'a Swedish invoice',
    'Fakturanummer;Fakturadatum;Förfallodatum;Valuta;Beskrivning;Belopp exkl. moms;Moms;Totalt\n1001;2026-11-30;2026-12-30;SEK;Annons;12 345,00 kr;3 086,25 kr;15 431,25 kr\n',
    { number: '1001', sums: ['12345', '3086.25', '15431.25'] },
  ],
  [
    'a Japanese invoice, whose currency has no decimals',
    '請求書番号,発行日,支払期限,通貨,品目,数量,単価,金額,消費税,合計\nINV-1,2026年11月30日,2026年12月31日,JPY,ディスプレイ,1,"¥120,000","¥120,000","¥12,000","¥132,000"\n',
    { number: 'INV-1', issued: '2026-11-30', sums: ['120000', '12000', '132000'] },
  ],
  [
    'a French invoice whose last sum is what is to be paid',
    'Facture;Date;Devise;Désignation;Montant HT\nFC-1;30/11/2026;EUR;Bannières;1 350,00\nFC-1;30/11/2026;EUR;Frais techniques;150,00\n;;;Total HT;1 500,00\n;;;TVA 20%;300,00\n;;;Total TTC;1 800,00\n;;;Net à payer;1 800,00\n',
    { sums: ['1500', '300', '1800'], asks: [] },
  ],
  [
    'an invoice of Québec, whose net is a subtotal beside two taxes',
    'No facture;Date;Devise;Description;Sous-total;TPS 5%;TVQ 9,975%;Total\nQC-9;2026-11-30;CAD;Campagne;1 000,00;50,00;99,75;1 149,75\n',
    { sums: ['1000', '149.75', '1149.75'], asks: [] },
  ],
  [
    'plays of quarters of an hour, of which the last one ends at midnight',
    'Invoice,Issued,Currency,Screen,Start,End,Cost\nQ-1,2026-11-20,EUR,A,2026-11-01 00:00,2026-11-01 00:15,1.25\nQ-1,2026-11-20,EUR,A,2026-11-30 23:45,2026-12-01 00:00,1.25\n',
    { days: '2026-11-01..2026-11-30', sums: ['2.5', '0', '2.5'] },
  ],
  [
    'a Danish credit note, which its number says',
    'Kreditnota nr.;Dato;Beskrivelse;Netto;Moms;Brutto;Valuta\nK-9;20-11-2026;Retur;1.000,00;250,00;1.250,00;DKK\n',
    { number: 'K-9', kind: 'credit_note', sums: ['-1000', '-250', '-1250'] },
  ],
  [
    'what one page carries forward to the next',
    'Invoice,Issued,Currency,Campaign,Amount\nO-1,2026-11-20,USD,A,10.00\nCarried forward,,,,10.00\nBrought forward,,,,10.00\nO-1,2026-11-20,USD,B,20.00\nTotal,,,,30.00\n',
    { number: 'O-1', sums: ['30', '0', '30'], asks: [] },
  ],
  [
    'fees of an insertion order beside its media',
    'Invoice number,Invoice date,Insertion Order ID,Description,Invoice amount,Currency\nD-1,2026-11-20,5551,Media cost,100.00,USD\nD-1,2026-11-20,5551,Platform fee,15.00,USD\nD-1,2026-11-20,5551,No fee weeks,5.00,USD\nD-1,2026-11-20,5551,Tech fee (5%),1.00,USD\n',
    { sums: ['121', '0', '121'], lines: ['media 100', 'fee 15', 'media 5', 'fee 1'] },
  ],
  [
    'an invoice of a station, whose last sum is without the commission above it',
    'Invoice,Issued,Currency,Spot,Amount\nS-1,2026-11-20,USD,7:12A,300.00\nS-1,2026-11-20,USD,7:44A,200.00\nGross Total,,,,500.00\nAgency Commission (15%),,,,-75.00\nNet Due,,,,425.00\n',
    { sums: ['425', '0', '425'], asks: [] },
  ],
  [
    'a list of SAP, with lines that are drawn',
    '-----------------------\n|Rechnungsnr.|Rechn.datum|Bezeichnung|Nettobetrag|Währg|\n-----------------------\n|RE-4711|20.11.2026|Display|1.000,00|EUR|\n|RE-4711|20.11.2026|Video|500,50-|EUR|\n-----------------------\n|||Summe|499,50|EUR|\n-----------------------\n',
    { number: 'RE-4711', sums: ['499.5', '0', '499.5'], asks: [] },
  ],
  [
    'gross before discounts, and a column that is net and tax together',
    'Rechnungs-Nr.;Rechnungsdatum;Währung;Brutto;Rabatt 10%;Zwischensumme;AE 15%;Netto;MwSt 19%;Endbetrag\nX-1;20.11.2026;EUR;10.000,00;-1.000,00;9.000,00;-1.350,00;7.650,00;1.453,50;9.103,50\n',
    { sums: ['7650', '1453.5', '9103.5'], asks: [] },
  ],
  [
    'zero in the format of accounting, days as Mediaocean writes them, and a month of two digits',
    'Invoice,Inv date,MOS,Currency,Description,Net\nP-1,NOV20/26,11/26,USD,Display," $ 1,500.00 "\nP-1,NOV20/26,11/26,USD,Make good," $ (250.00)"\nP-1,NOV20/26,11/26,USD,Zero," $ -   "\n',
    { issued: '2026-11-20', days: '2026-11-01..2026-11-30', sums: ['1250', '0', '1250'], asks: [] },
  ],
  [
    'a sentence below the only line',
    'Rechnung;Datum;Leistung;Betrag €\nKU-1;20.11.2026;Influencer;800,00\nGemäß § 19 UStG wird keine Umsatzsteuer berechnet.;;;\n',
    { sums: ['800', '0', '800'], asks: [] },
  ],
  [
    'a Hungarian invoice',
    'Számlaszám;Kelt;Fizetési határidő;Megnevezés;Nettó;ÁFA;Bruttó;Pénznem\nSZ-118;2026.11.20.;2026.12.15.;Hirdetés;100 000;27 000;127 000;HUF\n',
    {
      number: 'SZ-118',
      issued: '2026-11-20',
      sums: ['100000', '27000', '127000'],
      asks: [],
    },
  ],
  [
    'a Korean invoice',
    '세금계산서번호,작성일자,통화,품목,공급가액,세액,합계금액\n118,2026-11-20,KRW,광고,"1,000,000","100,000","1,100,000"\n',
    { number: '118', sums: ['1000000', '100000', '1100000'], asks: [] },
  ],
  [
    'a Swiss file with apostrophes',
    "Rechnungsnr;Datum;Währung;Text;Betrag\nR1;30.11.2026;CHF;Display;1'234.50\nR1;30.11.2026;CHF;Video;12’345.-\n",
    { sums: ['13579.5', '0', '13579.5'] },
  ],
  [
    'groups of India',
    'Invoice No,Invoice Date,Currency,Description,Amount\nIN-1,30-11-2026,INR,Display,"₹12,34,567.50"\nIN-1,30-11-2026,INR,Video,"1,00,000.00"\n',
    { sums: ['1334567.5', '0', '1334567.5'] },
  ],
  ['a credit behind its amount', head + row('100.00 DR') + row('12.50 CR'), { sums: ['87.5', '0', '87.5'] }],
  ['a text that a spreadsheet keeps', head + row('="12.50"'), { sums: ['12.5', '0', '12.5'] }],
  [
    'a report of Google Ads with its preamble and its total',
    'Campaign report\n"November 1, 2026 - November 30, 2026"\nCampaign,Currency code,Campaign ID,Impr.,CTR,Avg. CPC,Cost\nNova,USD,111,"12,345",0.19%,1.23,"1,234.56"\nKite,USD,112,"2,345",0.13%,2.00,6.00\nTotal: Account,USD, --,"14,690",0.18%,1.32,"1,240.56"\n',
    {
      days: '2026-11-01..2026-11-30',
      sums: ['1240.56', '0', '1240.56'],
      lines: ['media 1234.56', 'media 6'],
      asks: ['number', 'issued'],
    },
  ],
  [
    'a report of Meta whose total stands first',
    'Reporting starts,Reporting ends,Campaign name,Amount spent (USD)\n2026-11-01,2026-11-30,,146.90\n2026-11-01,2026-11-30,Nova,123.45\n2026-11-01,2026-11-30,Kite,23.45\n',
    {
      days: '2026-11-01..2026-11-30',
      currency: 'USD',
      sums: ['146.9', '0', '146.9'],
      asks: ['number', 'issued'],
    },
  ],
  [
    'a report of LinkedIn, whose head says in which order its dates are',
    'Campaign Performance Report (in UTC)\n"Report Start: November 1, 2026, 12:00 AM"\n"Report End: November 30, 2026, 11:59 PM"\n\nStart Date (in UTC)\tCurrency\tCampaign Name\tCampaign ID\tTotal Spent\tImpressions\n11/01/2026\tUSD\tNova\t2345\t123.45\t12,345\n11/02/2026\tUSD\tNova\t2345\t23.45\t345\n',
    { days: '2026-11-01..2026-11-30', sums: ['146.9', '0', '146.9'], asks: ['number', 'issued'] },
  ],
  [
    'a report of Snap, whose days end at midnight',
    'Start time,End time,Campaign Name,Campaign ID,Amount Spent,Paid Impressions,Currency\n2026-11-01T00:00:00.000-08:00,2026-11-02T00:00:00.000-08:00,Nova,abc-1,123.45,12345,USD\n',
    { days: '2026-11-01..2026-11-01', sums: ['123.45', '0', '123.45'], asks: ['number', 'issued'] },
  ],
  [
    'a report of TikTok with a total of its results',
    'Campaign name,Campaign ID,Ad group name,Ad group ID,Cost,Impressions,Currency\nNova,17900,Group A,17911,123.45,12345,USD\nTotal of 1 results,-,-,-,123.45,12345,USD\n',
    { sums: ['123.45', '0', '123.45'], lines: ['media 123.45'], asks: ['number', 'issued'] },
  ],
  [
    'a page with head, lines and sums below them',
    'Invoice No:,INV-77\nInvoice Date:,"November 30, 2026"\nDue Date:,"December 30, 2026"\nPO Number:,PO-2101\nBilling period:,"Nov 1, 2026 - Nov 30, 2026"\n\nDescription,Impressions,CPM,Amount\nDisplay,"120,000",10.00,"$1,200.00 USD"\nVideo,"40,000",20.00,"$800.00 USD"\n\nSubtotal,,,"2,000.00 USD"\nSales tax (8%),,,160.00 USD\nTotal due,,,"2,160.00 USD"\n',
    {
      number: 'INV-77',
      issued: '2026-11-30',
      currency: 'USD',
      days: '2026-11-01..2026-11-30',
      sums: ['2000', '160', '2160'],
      lines: ['media 1200', 'media 800', 'tax 160'],
    },
  ],
  [
    'a German page with its tax below the lines',
    'Rechnung Nr. RE-2026-118\nRechnungsdatum: 30.11.2026\nLeistungszeitraum: 01.11.2026 - 30.11.2026\n\nPos;Bezeichnung;Menge;Einzelpreis;Gesamtpreis\n1;Display;120.000;10,00;1.200,00 €\n2;Video;40.000;20,00;800,00 €\n\n;;;Nettobetrag;2.000,00 €\n;;;zzgl. 19 % MwSt;380,00 €\n;;;Rechnungsbetrag;2.380,00 €\n',
    {
      number: 'RE-2026-118',
      issued: '2026-11-30',
      currency: 'EUR',
      days: '2026-11-01..2026-11-30',
      sums: ['2000', '380', '2380'],
    },
  ],
  [
    'a total with tax in the words of its row',
    head + row('1000') + row('1000', 'Subtotal') + row('190', 'VAT 19%') + row('1190', 'Total incl. VAT'),
    { sums: ['1000', '190', '1190'], lines: ['open 1000', 'tax 190'] },
  ],
  [
    'sums of two documents',
    'Invoice;Issued;Currency;Amount\nA;2026-11-20;EUR;10\nA;2026-11-20;EUR;5\nTotal A;;;15\nB;2026-11-20;EUR;7\nTotal B;;;7\nGrand total;;;22\n',
    { number: 'A', sums: ['15', '0', '15'] },
  ],
  [
    'two taxes beside the amount',
    'Invoice;Issued;Currency;Net;GST;PST;Total\nA;2026-11-20;CAD;100.00;5.00;7.00;112.00\n',
    { sums: ['100', '12', '112'] },
  ],
  [
    'a column of rates beside that of the tax',
    'Invoice;Issued;Currency;Net;VAT %;VAT amount;Gross\nA;2026-11-20;EUR;100;19;19;119\nA;2026-11-20;EUR;200;19;38;238\n',
    { sums: ['300', '57', '357'] },
  ],
  [
    'percentages in the column of the tax',
    'Invoice;Issued;Currency;Net;VAT\nA;2026-11-20;EUR;1000;19%\nA;2026-11-20;EUR;2000;7%\n',
    { sums: ['3000', '330', '3330'] },
  ],
  [
    'a number in the column of the tax that may be the rate',
    'Invoice;Issued;Currency;Net;VAT\nA;2026-11-20;EUR;1000;19\nA;2026-11-20;EUR;2000;19\n',
    { sums: ['3000', '38', '3038'], asks: ['tax_is'] },
  ],
  [
    'amounts with tax that say no tax',
    'Invoice;Issued;Currency;Total TTC\nA;2026-11-20;EUR;120\n',
    { sums: ['120', '0', '120'], asks: ['tax_inside'] },
  ],
  [
    'gross that is net and tax',
    'Rechnung;Datum;Währung;Netto;Brutto\nA;20.11.2026;EUR;100,00;119,00\n',
    { sums: ['100', '19', '119'] },
  ],
  [
    'gross that may be before commission',
    'Invoice;Issued;Currency;Gross;Net\nA;2026-11-20;EUR;1000;850\n',
    { sums: ['850', '150', '1000'], asks: ['gross_less_net'] },
  ],
  [
    'commission of the agency with a minus',
    'Invoice;Issued;Currency;Gross;Commission;Net\nA;2026-11-20;EUR;1000;-150;850\n',
    { sums: ['850', '0', '850'] },
  ],
  [
    'gross and the commission that it is paid without',
    'Invoice;Issued;Currency;Gross;Commission\nA;2026-11-20;EUR;1000;150\n',
    { sums: ['850', '0', '850'] },
  ],
  [
    'an accounts payable file of Mediaocean',
    'Vendor,Invoice Number,Client,Prod,Est,Inv Date,MOS,Gross,Net\nHarbor,M-1,NV,AUT,12,11/30/26,11/26,"1,000.00",850.00\n',
    { number: 'M-1', issued: '2026-11-30', sums: ['850', '0', '850'], asks: ['currency'] },
  ],
  [
    'an unsigned credit note by its type',
    'Document type;Invoice number;Invoice date;Currency;Amount\nCredit note;CN-1;2026-11-20;EUR;310.00\n',
    { kind: 'credit_note', sums: ['-310', '0', '-310'] },
  ],
  [
    'an unsigned credit note by its column',
    'Credit note number;Credit note date;Original invoice;Currency;Amount\nCN-9;2026-11-20;INV-7;EUR;310.00\n',
    { kind: 'credit_note', sums: ['-310', '0', '-310'] },
  ],
  [
    'a Gutschrift, which may be a bill of the buyer',
    'Gutschrift;Datum;Bezug;Währung;Betrag\nGS-9;20.11.2026;RE-77;EUR;310,00\n',
    { sums: ['310', '0', '310'], asks: ['kind'] },
  ],
  [
    'a credit without a sign within an invoice',
    head + row('1200') + row('60', 'Discount 5 %'),
    { sums: ['1260', '0', '1260'], asks: ['credit_sign'] },
  ],
  [
    'a credit without a sign that the total deducts',
    head + row('1200') + row('60', 'Discount 5 %') + 'Total;;;;1140\n',
    { sums: ['1140', '0', '1140'], lines: ['open 1200', 'credit -60'] },
  ],
  [
    'a column that repeats the sum of the document',
    'Invoice;Issued;Currency;Line;Amount;Total\nA;2026-11-20;EUR;Display;100;300\nA;2026-11-20;EUR;Video;200;300\n',
    { sums: ['300', '0', '300'] },
  ],
  [
    'the amount of the invoice on each of its lines',
    'Invoice;Issued;Currency;Line;Invoice amount\nA;2026-11-20;EUR;Display;300\nA;2026-11-20;EUR;Video;300\n',
    { sums: ['600', '0', '600'], asks: ['repeated'] },
  ],
  [
    'an amount that is the sum of two unknown columns',
    'Invoice;Issued;Currency;Foo;Bar;Amount\nA;2026-11-20;EUR;100.00;19.00;119.00\n',
    { sums: ['119', '0', '119'], asks: ['amount'] },
  ],
  [
    'amounts in two currencies, of which the file has one',
    'Invoice;Issued;Currency;Amount (USD);Amount (EUR)\nA;2026-11-20;EUR;12.50;11.00\n',
    { sums: ['11', '0', '11'] },
  ],
  [
    'another currency beside the amounts',
    head + row('$12.50'),
    { sums: ['12.5', '0', '12.5'], asks: ['currency'] },
  ],
  [
    'another currency in the name of the column',
    'Invoice;Issued;Currency;Amount (USD)\nA;2026-11-20;EUR;12.50\n',
    { sums: ['12.5', '0', '12.5'], asks: ['currency'] },
  ],
  [
    'the sign of a currency',
    head + row('12.50', 'Display', '€'),
    { currency: 'EUR', sums: ['12.5', '0', '12.5'] },
  ],
  [
    'amounts in cents',
    'Invoice;Issued;Currency;amount_cents\nA;2026-11-20;EUR;1250\nB;2026-11-20;JPY;1250\n',
    { sums: ['12.5', '0', '12.5'] },
  ],
  [
    'a range of days in a cell',
    'Invoice;Issued;Currency;Service period;Amount\nA;2026-11-28;EUR;10/26/2026 - 11/29/2026;100\n',
    { days: '2026-10-26..2026-11-29', sums: ['100', '0', '100'] },
  ],
  [
    'service days that end at the midnight behind their month',
    'Invoice;Issued;Currency;Service from;Service to;Amount\nA;2026-11-28;EUR;2026-10-01T00:00:00Z;2026-11-01T00:00:00Z;100\n',
    { days: '2026-10-01..2026-10-31', sums: ['100', '0', '100'] },
  ],
  [
    'a header that is repeated on each page',
    'Invoice;Issued;Currency;Amount\nA;2026-11-20;EUR;10\nInvoice;Issued;Currency;Amount\nA;2026-11-20;EUR;5\n',
    { sums: ['15', '0', '15'] },
  ],
  [
    'lines behind an empty row',
    'Invoice;Issued;Currency;PO;A;B;C;Amount\nA;2026-11-20;EUR;P1;x;y;z;10\n\n;;;P2;;;;5\n',
    { sums: ['15', '0', '15'], lines: ['media 10', 'media 5'] },
  ],
  [
    'JSON with lines within documents',
    '{"invoices":[{"number":"A","issued":"2026-11-20","currency":"EUR","lines":[{"description":"x","amount":1.5},{"description":"y","amount":2}]}]}',
    { number: 'A', sums: ['3.5', '0', '3.5'] },
  ],
  [
    'JSON Lines',
    '{"invoice":"A","issued":"2026-11-20","currency":"EUR","amount":12.5}\n{"invoice":"A","issued":"2026-11-20","currency":"EUR","amount":2.5}\n',
    { number: 'A', sums: ['15', '0', '15'] },
  ],
  [
    'an invoice of a buying platform, whose total has data and fees beside the media',
    'Invoice Number,Invoice Date,Billing Period,Partner Name,Advertiser Name,Campaign Name,PO Number,Media Cost (USD),Data Cost (USD),TTD Fee (USD),Feature Cost (USD),Total Billable (USD)\nTTD-77,2026-11-30,11/2026,Agency,Nova,Autumn,PO-5,1000.00,120.00,150.00,30.00,1300.00\nTTD-77,2026-11-30,11/2026,Agency,Nova,Winter,PO-6,500.00,0.00,75.00,0.00,575.00\n',
    {
      days: '2026-11-01..2026-11-30',
      currency: 'USD',
      sums: ['1875', '0', '1875'],
      lines: ['media 1000', 'media 500', 'fee 120', 'fee 225', 'fee 30'],
      asks: [],
    },
  ],
  [
    'a total that has a share and a serving fee beside the media',
    'Invoice,Date,Period,Campaign,Media,Tech fee 10%,Ad serving (CPM 0.05),Total,Currency\nTF-1,2026-11-30,2026-11,Nova,1000.00,100.00,5.00,1105.00,EUR\nTF-1,2026-11-30,2026-11,Kite,2000.00,200.00,10.00,2210.00,EUR\n',
    { sums: ['3315', '0', '3315'], lines: ['media 1000', 'media 2000', 'fee 300', 'fee 15'], asks: [] },
  ],
  [
    'what was billed before beside this period, and both together',
    'Invoice,Invoice date,Period,Campaign,This period (USD),Previously billed (USD),Total to date (USD)\nCU-1,2026-11-30,2026-11,Nova,1000.00,500.00,1500.00\nCU-1,2026-11-30,2026-11,Kite,200.00,0.00,200.00\n',
    { sums: ['1700', '0', '1700'], asks: ['amount'] },
  ],
  [
    'a discount for early payment below the total',
    'Verlagsgruppe Nord GmbH & Co. KG;;;;;;\nRechnungs-Nr.: 26/118842;;;;;;\nRechnungsdatum: 30.11.2026;;;;;;\nLeistungszeitraum: November 2026;;;;;;\n;;;;;;\nObjekt;Ausgabe;ET;Format;Anzeigenpreis;Rabatt;Netto-Netto\nNordkurier;KW 45;05.11.26;1/1 4c;12.500,00 €;20 %;10.000,00 €\nNordkurier;KW 47;19.11.26;1/2 4c;7.000,00 €;20 %;5.600,00 €\n;;;;;AE-Provision 15 %;-2.340,00 €\n;;;;;Nettobetrag;13.260,00 €\n;;;;;19 % MwSt.;2.519,40 €\n;;;;;Rechnungsbetrag;15.779,40 €\n;;;;;Skonto 2 % bei Zahlung innerhalb von 10 Tagen;315,59 €\n',
    { number: '26/118842', days: '2026-11-01..2026-11-30', sums: ['13260', '2519.4', '15779.4'], asks: [] },
  ],
  [
    'a line below a total that does not have it',
    'Invoice;Issued;Currency;Campaign;Amount\nA;2026-11-20;EUR;Nova;100\nTotal;;;;100\n;;;Handling;7\n',
    { sums: ['107', '0', '107'], asks: ['below_total'] },
  ],
  [
    'a sum without a label below lines that name what they bill',
    'Régie Publicitaire SAS\nFacture N° : FA2026-11-221\nDate : 30/11/2026\nEchéance : 30/01/2027\n\nSupport;Diffusion du;au;Tarif brut HT;Remise %;Dégressif;Net HT avant remise pro;Remise professionnelle 15 %;Net HT\nLe Quotidien;02/11/2026;08/11/2026;10 000,00;10;1 000,00;9 000,00;1 350,00;7 650,00\nLe Mensuel;01/11/2026;30/11/2026;20 000,00;10;2 000,00;18 000,00;2 700,00;15 300,00\n;;;30 000,00;;3 000,00;27 000,00;4 050,00;22 950,00\nTVA 20 %;;;;;;;;4 590,00\nNet à payer TTC;;;;;;;;27 540,00\n',
    {
      number: 'FA2026-11-221',
      days: '2026-11-01..2026-11-30',
      sums: ['22950', '4590', '27540'],
      asks: ['currency'],
    },
  ],
  [
    'a Japanese page with wide colons, a triangle as minus and a tax that is withheld',
    '株式会社電広\n請求書\n請求書番号：DK-2026-1130\n発行日：令和8年11月30日\nお支払期限：令和8年12月31日\n\n媒体名,掲載期間,数量,単価,金額\nヤフー,2026/11/01〜2026/11/30,1,"1,500,000","1,500,000"\nライン,2026/11/01〜2026/11/15,1,"800,000","800,000"\n小計,,,,"2,300,000"\n消費税（10%）,,,,"230,000"\n源泉徴収税,,,,"▲234,830"\n合計,,,,"2,295,170"\n',
    {
      number: 'DK-2026-1130',
      issued: '2026-11-30',
      sums: ['2065170', '230000', '2295170'],
      asks: ['prepaid', 'currency'],
    },
  ],
  [
    'an invoice in Arabic digits',
    'رقم الفاتورة,تاريخ الفاتورة,الوصف,المبلغ,العملة\nINV-77,٢٠٢٦/١١/٣٠,حملة,١٬٢٣٤٫٥٠,AED\n',
    { issued: '2026-11-30', currency: 'AED', sums: ['1234.5', '0', '1234.5'], asks: [] },
  ],
  [
    'net, tax and gross above the table',
    'Statement of services,,,\nInvoice number,A-1,,\nInvoice date,2026-11-30,,\nTotal net,300.00,,\nVAT 20%,60.00,,\nTotal gross,360.00,,\n,,,\nCampaign,Period,Impressions,Net GBP\nNova,2026-11,1000,100.00\nKite,2026-11,2000,200.00\n',
    { currency: 'GBP', sums: ['300', '60', '360'], asks: [] },
  ],
  [
    'amounts in the currency of their name beside those of each country',
    'Invoice,Issued,Period,Campaign,Local Currency,Local Amount,FX Rate,Amount in EUR\nF-1,2026-11-30,2026-11,Nova,USD,1100.00,0.9091,1000.01\nF-1,2026-11-30,2026-11,Kite,GBP,500.00,1.15,575.00\n',
    { currency: 'EUR', sums: ['1575.01', '0', '1575.01'], asks: [] },
  ],
  [
    'what was prepaid, as a line',
    'Invoice no,Date,Period,Description,Amount (USD)\nPP-1,2026-11-30,2026-11,Ad spend,"5,000.00"\nPP-1,2026-11-30,2026-11,Less: prepaid balance applied,"-3,000.00"\nPP-1,2026-11-30,2026-11,Promotional credit,-200.00\nAmount due,,,,"1,800.00"\n',
    { sums: ['1800', '0', '1800'], asks: ['prepaid'] },
  ],
  [
    'American days with a hyphen between them',
    'Invoice #\tInv Date\tFlight\tLine\tAmount\nUS-5\t11/30/26\t11/1/26-11/30/26\tDisplay\t$1,000.00\nUS-5\t11/30/26\t11/1/26-11/30/26\tMake-good\t($125.50)\nUS-5\t11/30/26\t11/1/26-11/30/26\tAdj\t$50.00-\n',
    { days: '2026-11-01..2026-11-30', sums: ['824.5', '0', '824.5'], asks: ['currency'] },
  ],
  [
    'spots with days of the week, and a commission that is said to be less',
    'Invoice No,WABC-1126-3,,,,,\nBroadcast Month,Nov 2026,10/26/26 - 11/29/26,,,,\nInvoice Date,11/29/2026,,,,,\nDay,Air Date,Air Time,Length,Ad-ID,Program,Amount (USD)\nMO,10/26/26,06:12 AM,:30,NOVA0001H,Morning News,450.00\nTU,10/27/26,06:42 AM,:30,NOVA0001H,Morning News,450.00\nSU,11/29/26,07:12 PM,:15,NOVA0002H,Game,"1,250.00"\nGross,,,,,,"2,150.00"\nLess 15% Commission,,,,,,322.50\nNet,,,,,,"1,827.50"\n',
    { number: 'WABC-1126-3', days: '2026-10-26..2026-11-29', sums: ['1827.5', '0', '1827.5'], asks: [] },
  ],
  [
    'rand',
    'Tax Invoice;Date;Period;Description;Excl Amount;VAT @ 15%;Incl Amount\nZA-1;2026/11/30;Nov-26;Radio;R 12 345,00;R 1 851,75;R 14 196,75\n',
    { currency: 'ZAR', sums: ['12345', '1851.75', '14196.75'], asks: [] },
  ],
  [
    'two taxes of Québec as lines',
    'Invoice,Date,Period,Description,Amount,Currency\nTL-1,2026-11-30,2026-11,Display,1000.00,CAD\nTL-1,2026-11-30,2026-11,GST 5%,50.00,CAD\nTL-1,2026-11-30,2026-11,QST 9.975%,99.75,CAD\nTL-1,2026-11-30,2026-11,TOTAL,1149.75,CAD\n',
    { sums: ['1000', '149.75', '1149.75'], lines: ['open 1000', 'tax 50', 'tax 99.75'], asks: [] },
  ],
  [
    'a net that a discount beside it lowers',
    'Invoice,Issued,Period,Campaign,Net,Discount,Payable,Currency\nA-1,2026-11-30,2026-11,Nova,1000.00,100.00,900.00,EUR\nA-1,2026-11-30,2026-11,Kite,500.00,50.00,450.00,EUR\n',
    { sums: ['1500', '0', '1500'], asks: ['amount'] },
  ],
  [
    'a group of three digits among decimal commas',
    'Invoice,Issued,Period,Campaign,Amount,Currency\nA-5,2026-11-30,2026-11,Nova,"1,234",EUR\nA-5,2026-11-30,2026-11,Kite,"1.234,56",EUR\n',
    { sums: ['1235.794', '0', '1235.794'], asks: ['three_decimals'] },
  ],
  [
    'transactions that failed or were canceled',
    'Invoice,Issued,Period,Campaign,Status,Amount,Currency\nA-15,2026-11-30,2026-11,Nova,Paid,100.00,EUR\nA-15,2026-11-30,2026-11,Kite,Cancelled,250.00,EUR\nA-15,2026-11-30,2026-11,Lark,Failed,50.00,EUR\n',
    { sums: ['400', '0', '400'], asks: ['voided'] },
  ],
  [
    'a fee beside the media without a sum of both',
    'Invoice,Issued,Period,Campaign,Media spend,Agency fee,Currency\nA-25,2026-11-30,2026-11,Nova,1000.00,100.00,EUR\nA-25,2026-11-30,2026-11,Kite,500.00,50.00,EUR\n',
    { sums: ['1500', '0', '1500'], asks: ['fees'] },
  ],
  [
    'a share in the column of the tax beside an amount',
    'Invoice,Issued,Period,Campaign,Tax,Amount,Currency\nA-28,2026-11-30,2026-11,Nova,0.19,1000.00,EUR\nA-28,2026-11-30,2026-11,Kite,0.19,500.00,EUR\n',
    { sums: ['1500', '0.38', '1500.38'], asks: ['tax_is'] },
  ],
];

/** Days as systems of several countries write them. */
const days = [
  'Friday, November 20, 2026',
  'Fri 20 Nov 2026',
  '20 mei 2026',
  '20 maggio 2026',
  '20 de maio de 2026',
  '20 maja 2026',
  '20. Mai 2026',
  '20 mai 2026',
  '2026年5月20日',
  '20º de mayo de 2026',
] as const;

describe('a file of a seller in another language or layout', () => {
  it.each(files)('with %s is read, or asked about', (_, text, { sums, lines, asks = [], ...expected }) => {
    const { documents, questions, faults } = shownReading(readText(text));
    const [document] = documents;
    expect(faults).toEqual([]);
    expect([document?.net, document?.tax, document?.gross]).toEqual(sums);
    expect(document).toMatchObject(expected);
    if (lines !== undefined) expect(document?.lines).toEqual(lines);
    expect(questions).toEqual(asks);
  });

  it.each(days)('reads the day %s', (written) => {
    const { documents, faults } = readText(`Invoice;Issued;Currency;Amount\nA;${written};EUR;1\n`);
    expect(faults).toEqual([]);
    expect(documents[0]?.issued).toMatch(/^2026-(?:11|05)-20$/);
  });

  it('takes the answers to its questions', () => {
    const answered = (text: string, id: string, option: string) =>
      shownReading(readText(text, { answers: new Map([[id, option]]) })).documents[0];
    const rate = 'Invoice;Issued;Currency;Net;VAT\nA;2026-11-20;EUR;1000;19\nA;2026-11-20;EUR;2000;19\n';
    expect(answered(rate, 'tax_is', 'rate')).toMatchObject({ net: '3000', tax: '570' });
    const inside = 'Invoice;Issued;Currency;Total TTC\nA;2026-11-20;EUR;120\n';
    expect(answered(inside, 'tax_inside', '20')).toMatchObject({ net: '100', tax: '20', gross: '120' });
    const gross = 'Invoice;Issued;Currency;Gross;Net\nA;2026-11-20;EUR;1000;850\n';
    expect(answered(gross, 'gross_less_net', 'commission')).toMatchObject({ net: '850', gross: '850' });
    const credit = head + row('1200') + row('60', 'Discount 5 %');
    expect(answered(credit, 'credit_sign', 'deducted')).toMatchObject({
      net: '1140',
      lines: ['open 1200', 'credit -60'],
    });
    const note = 'Gutschrift;Datum;Währung;Betrag\nGS-9;20.11.2026;EUR;310,00\n';
    expect(answered(note, 'kind', 'credit_note')).toMatchObject({ kind: 'credit_note', net: '-310' });
    const parts = 'Invoice;Issued;Currency;Foo;Bar;Amount\nA;2026-11-20;EUR;100.00;19.00;119.00\n';
    expect(answered(parts, 'amount', 'Foo')).toMatchObject({ net: '100', tax: '19', gross: '119' });
    const dollars = head + row('$12.50');
    expect(answered(dollars, 'currency', 'USD')).toMatchObject({ currency: 'USD' });
    const last =
      'Invoice;Issued;Currency;Amount\nA;2026-11-20;EUR;10\nA;2026-11-20;EUR;5\nA;2026-11-20;EUR;15\n';
    expect(readText(last).questions.map(({ id }) => id)).toEqual(['last_row']);
    expect(answered(last, 'last_row', 'total')).toMatchObject({ net: '15' });
    expect(answered(last, 'last_row', 'line')).toMatchObject({ net: '30' });
  });

  it('asks in which order the days of its head are, if nothing decides', () => {
    const text =
      'Date range:;01/11/2026 - 12/11/2026\n\nInvoice;Issued;Currency;Amount\nA;2026-11-20;EUR;10\n';
    expect(readText(text).questions.map(({ id }) => id)).toEqual(['dates']);
    const answers = new Map([['dates', 'day_first']]);
    expect(shownReading(readText(text, { answers })).documents).toMatchObject([
      { days: '2026-11-01..2026-11-12' },
    ]);
  });

  it('is refused for what cannot be', () => {
    const faultsOf = (text: string) => readText(text).faults.map(({ reason }) => reason);
    expect(faultsOf(head + row('19%'))).toEqual(['Amount: 19% is no number.']);
    expect(faultsOf(head + row('$12.50') + row('€12.50'))).toEqual([
      'The amounts of the document are in several currencies: $, €.',
    ]);
    expect(
      faultsOf('Invoice;Issued;Currency;From;To;Amount\nA;2026-11-20;EUR;2026-11-30;2026-11-01;1\n'),
    ).toEqual(['The service days end (2026-11-01) before they begin (2026-11-30).']);
  });
});

it('an invoice of the books of vendors, whose amounts are below zero, is asked about', () => {
  const text =
    'Belegnr;Belegart;Belegdatum;Währung;Text;Betrag\n19;KR;20.11.2026;EUR;Display;1.234,56-\n19;KR;20.11.2026;EUR;Video;100,00-\n';
  const by = (kind: string) => shownReading(readText(text, { answers: new Map([['kind', kind]]) }));
  expect(shownReading(readText(text)).questions).toContain('kind');
  expect(by('invoice')).toMatchObject({ documents: [{ kind: 'invoice', net: '1334.56' }], questions: [] });
  expect(by('credit_note')).toMatchObject({ documents: [{ kind: 'credit_note', net: '-1334.56' }] });
});

it('an id of which a spreadsheet kept the first digits is refused', () => {
  const text = 'Invoice,Issued,Currency,Line item ID,Net\nA,2026-11-20,USD,1.23457E+11,100.00\n';
  expect(shownReading(readText(text)).faults).toMatchObject([{ row: 1 }]);
});

it('a word of a column that is also the code of a currency is no currency', () => {
  const all = 'Dimension.ORDER_ID,Dimension.DATE,Column.AD_SERVER_ALL_REVENUE\n123,2026-10-31,1234560000\n';
  expect(shownReading(readText(all))).toMatchObject({
    documents: [{ net: '1234.56' }],
    questions: expect.arrayContaining(['currency']),
  });
  const inLek = 'Invoice,Date,Order,Amount (ALL)\nA,2026-10-31,m1,5.00\n';
  expect(shownReading(readText(inLek)).documents).toMatchObject([{ currency: 'ALL' }]);
});

it('two columns of amounts that differ without a reason in the file are asked about', () => {
  const discounted = 'Invoice;Issued;Currency;Net;Discount %;Amount\nA;2026-11-20;EUR;100.00;10;90.00\n';
  expect(readText(discounted).questions).toMatchObject([
    { id: 'owed_column', options: [{ example: 'Net: 100' }, { example: 'Amount: 90' }] },
  ]);
  const answered = (option: string) =>
    shownReading(readText(discounted, { answers: new Map([['owed_column', option]]) }));
  expect(answered('amount')).toMatchObject({ documents: [{ net: '90' }], questions: [] });
  expect(answered('net')).toMatchObject({ documents: [{ net: '100' }], questions: [] });
});

it('amounts that a rate of tax does not explain are asked about, and so is a price of spots', () => {
  const discounted =
    'Invoice;Issued;Currency;Gross;Discount;Net;VAT %\nA;2026-11-20;EUR;1000.00;10%;900.00;19%\n';
  const answered = (text: string, id: string, option: string) =>
    shownReading(readText(text, { answers: new Map([[id, option]]) }));
  expect(readText(discounted).questions).toMatchObject([{ id: 'owed_column' }]);
  expect(answered(discounted, 'owed_column', 'net')).toMatchObject({
    documents: [{ net: '900', tax: '171', gross: '1071' }],
    questions: [],
    faults: [],
  });
  expect(answered(discounted, 'owed_column', 'gross')).toMatchObject({ documents: [{ gross: '1000' }] });
  const spots =
    'Invoice Number: 88\nInvoice Date: 11/15/2026\n\nDate,Time,Length,Program,Rate\n10/26/26,6:05a,30,News,$500.00\n11/02/26,7:10p,30,Game,"$1,200.00"\n,,,Gross total,"$1,700.00"\n,,,Agency commission 15%,($255.00)\n,,,Net due,"$1,445.00"\n';
  expect(readText(spots).questions).toMatchObject([
    { id: 'amount', options: [{ option: 'Length' }, { option: 'Rate' }] },
    {},
  ]);
  expect(answered(spots, 'amount', 'Rate')).toMatchObject({
    documents: [{ net: '1445', lines: ['open 500', 'open 1200', 'commission -255'] }],
  });
});

it.each([
  [
    'what is billed of several columns is the one that a person chose',
    'k',
    { amount: 'This period (USD)' },
    ['1200', '0'],
  ],
  [
    'a line below the total is left out where a person says so',
    'below',
    { below_total: 'leave_out' },
    ['100', '0'],
  ],
  ['a payment that is known is no line', 'prepaid', { prepaid: 'known' }, ['4800', '0']],
  ['a fee beside the media is added where a person says so', 'fee', { fees: 'added' }, ['1650', '0']],
  [
    'a transaction that failed is left out where a person says so',
    'failed',
    { voided: 'leave_out' },
    ['100', '0'],
  ],
  [
    'a share in the column of the tax is a rate where a person says so',
    'share',
    { tax_is: 'rate' },
    ['1500', '285'],
  ],
] as const)('%s', (_, which, answers, [net, tax]) => {
  const names = {
    k: 'what was billed before',
    below: 'a line below a total',
    prepaid: 'what was prepaid',
    fee: 'a fee beside the media',
    failed: 'transactions that failed',
    share: 'a share in the column of the tax beside',
  };
  const name = names[which];
  const text = files.find(([what]) => what.startsWith(name))?.[1] ?? '';
  const shown = shownReading(readText(text, { answers: new Map(Object.entries(answers)) }));
  expect(shown).toMatchObject({ documents: [{ net, tax }], questions: [], faults: [] });
});

describe('a credit note whose text names an invoice', () => {
  const note = (text: string) =>
    readText(
      `Document;Type;Date;Period;Description;Amount;Currency\nCN-77;Credit note;2026-11-20;2026-10;${text};-450;USD\n`,
    );
  const settled = (text: string, answers: Readonly<Record<string, string>> = {}) => {
    const invoices = new Map(
      ['inv202677', 're9', 'cn77'].map((folded) => [folded, { from: '2026-10-01', to: '2026-10-31' }]),
    );
    const known = {
      buys: new Map(),
      invoices,
      today: '2026-11-29',
      answers: new Map(Object.entries(answers)),
    };
    return atOnce(settleReading(note(text), known));
  };

  it('proposes it where it is the only one that is known, and takes it where a person says so', () => {
    const asked = settled('Credit CN-77 for invoice INV-2026-77, see PO-1');
    expect(asked.questions).toMatchObject([
      { id: 'refers_to', options: [{ option: 'INV-2026-77' }, { option: 'none' }] },
    ]);
    expect(asked.documents[0]?.refersTo).toBeUndefined();
    expect(settled('for RE 9', { refers_to: 'RE9' })).toMatchObject({
      questions: [],
      documents: [{ refersTo: 'RE9' }],
    });
    const none = settled('for RE 9', { refers_to: 'none' });
    expect([none.questions, none.documents[0]?.refersTo]).toEqual([[], undefined]);
  });

  it('proposes nothing where it names several known ones, or none', () => {
    for (const text of ['INV-2026-77 and RE 9', 'for INV-2026-78', 'refund'])
      expect(settled(text)).toMatchObject({ questions: [] });
  });
});

it('a sign of several currencies means the one in which the seller sells, else those that it can mean are proposed', () => {
  const text = head + row('$12.50', 'Display', '');
  expect(shownReading(readText(text, { currencies: ['USD'] }))).toMatchObject({
    documents: [{ currency: 'USD' }],
    questions: [],
  });
  expect(readText(text, { currencies: ['USD'] }).checks).toMatchObject([{ check: 'currency', ok: true }]);
  const kroner = readText(head + row('12,50 kr.', 'Display', ''), { currencies: ['USD'] });
  expect(kroner.questions).toMatchObject([
    { id: 'currency', options: expect.arrayContaining([{ option: 'DKK', example: '12.5 DKK' }]) },
  ]);
});

describe('a workbook', () => {
  const head = ['Invoice', 'Issued', 'Service month', 'Currency', 'Net'];
  const gridOf = (...rows: readonly (readonly Cell[])[]) => ({
    rows: rows.length,
    cells: (row: number) => rows[row] ?? [],
  });
  const line = (net: string) => ['A', '2026-11-20', '2026-11', 'EUR', net];
  const readBy = (content: object, answers: readonly (readonly [string, string])[] = []) =>
    shownReading(
      read(
        { kind: 'workbook', sheet: 'November', grid: gridOf(head, line('10'), line('5')), ...content },
        { answers: new Map(answers) },
      ),
    );

  it('asks which of its sheets with amounts is billed', () => {
    const others = [
      { sheet: 'October', grid: gridOf(head, line('7')) },
      { sheet: 'Contacts', grid: gridOf(['Name', 'Mail'], ['a', 'b'], ['c', '1']) },
    ];
    expect(readBy({ others })).toMatchObject({ documents: [{ net: '15' }], questions: ['sheet'] });
    expect(readBy({ others }, [['sheet', 'November']]).questions).toEqual([]);
    expect(readBy({ others: others.slice(1) }).questions).toEqual([]);
  });

  it.each([
    ['€', 'USD', ['currency']],
    ['$', 'USD', []],
    ['M', 'USD', []],
  ])('asks where the format of its amounts shows %s and the currency is %s', (sign, currency, questions) => {
    const shown = ['A', '2026-11-20', '2026-11', currency, { kind: 'number', text: '10', sign } as const];
    expect(readBy({ grid: gridOf(head, shown) }).questions).toEqual(questions);
  });

  it('asks whether rows that it does not show are billed, if that makes a difference', () => {
    const hidden = new Set([2]);
    expect(readBy({ hidden }).questions).toEqual(['hidden_rows']);
    expect(readBy({ hidden }, [['hidden_rows', 'read']])).toMatchObject({
      documents: [{ net: '15' }],
      questions: [],
    });
    expect(readBy({ hidden }, [['hidden_rows', 'leave_out']])).toMatchObject({
      documents: [{ net: '10' }],
      questions: [],
    });
    expect(readBy({ hidden: new Set([7]) }).questions).toEqual([]);
  });
});

describe('a currency that the name of a column says by a sign', () => {
  const text = (column: string): string => `Invoice,Issued,PO,${column}\nA,2026-10-31,PO-1,12.50\n`;

  it.each(['Amount ($)', 'Amount ¥', 'Amount (kr)'])('is not that of the seller: %s', (column) => {
    expect(shownReading(readText(text(column), { currencies: ['EUR'] })).questions).toContain('currency');
  });

  it('is that of the seller where it can be, and no other one where it is certain', () => {
    const read = (column: string) =>
      shownReading(readText(text(column), { currencies: ['CAD'] })).documents.map(({ currency }) => currency);
    expect([read('Amount ($)'), read('Amount (R$)'), read('Amount')]).toEqual([['CAD'], ['BRL'], ['CAD']]);
  });
});

it('the number of a document is what its label says, before what a title says', () => {
  const text =
    'Invoice 7 of Prompt Media\nInvoice number:;X-11\nInvoice date:;2026-10-31\nCurrency;EUR\n\nPO;Description;Net amount\nP-1;Display;500.25\n';
  expect(shownReading(readText(text)).documents).toMatchObject([{ number: 'X-11' }]);
});

describe('a price of one unit', () => {
  it.each(['Unit price', 'CPM', 'TKP', 'Einzelpreis'])('is never taken as what is billed: %s', (column) => {
    const text = `Invoice;Issued;Currency;PO;Quantity;${column}\nA;2026-10-31;EUR;P-1;10;12,50\n`;
    expect(() => readText(text)).toThrow(/no amount/);
    const spots = `Invoice;Issued;Currency;PO;${column}\nA;2026-10-31;EUR;P-1;12,50\n`;
    expect(shownReading(readText(spots)).questions).toContain('amount');
  });
});

describe('rows that are not what they look like', () => {
  it('are a tax where the only name in the row is one, as below the campaigns of a French invoice', () => {
    const text =
      'Campagne;Commande;Montant HT\nRentrée;CMD-77;5 555,55 €\nHiver;CMD-78;1 500,00 €\nTotal HT;;7 055,55 €\nTVA 20 %;;1 411,11 €\nTotal TTC;;8 466,66 €\n';
    expect(shownReading(readText(text))).toMatchObject({
      documents: [{ net: '7055.55', tax: '1411.11', gross: '8466.66' }],
      checks: ['total ok', 'total ok'],
    });
  });

  it('are sums where a name ends with the word of one, right or wrong', () => {
    const rows = (first: string): string =>
      `Invoice,Issued,Currency,Campaign,PO,Amount\nA,2026-10-31,EUR,Autumn,PO-1,100.00\nA,2026-10-31,EUR,Autumn,PO-2,50.00\n,,,Autumn subtotal,,${first}\nA,2026-10-31,EUR,Winter,PO-3,10.00\n,,,Winter total,,10.00\n`;
    const right = shownReading(readText(rows('150.00')));
    expect(right).toMatchObject({ documents: [{ net: '160' }], checks: ['total ok', 'total ok'] });
    expect(shownReading(readText(rows('155.00'))).questions).toContain('total');
  });

  it.each(['S/H', 'Soll/Haben', 'D/C', 'Dr/Cr'])(
    'are asked about where a column %s says credits',
    (column) => {
      const credit = column.startsWith('S') ? 'H' : 'C';
      const text = `Invoice;Issued;Currency;PO;Amount;${column}\nA;2026-10-31;EUR;P-1;1.000,00;${column[0] ?? ''}\nA;2026-10-31;EUR;P-1;57,25;${credit}\n`;
      expect(shownReading(readText(text)).questions).toContain('credit_sign');
      const answers = new Map([['credit_sign', 'deducted']]);
      expect(shownReading(readText(text, { answers })).documents).toMatchObject([{ net: '942.75' }]);
    },
  );

  it.each([
    'Amount ($000s)',
    "Amount ('000)",
    'Amount (USD 000)',
    'Amount $k',
    'Amount in thousands',
    'Montant (k€)',
  ])('are in thousands where the column is called %s', (column) => {
    const text = `Invoice,Issued,PO,"${column}"\nA,2026-10-31,PO-1,12.5\n`;
    expect(shownReading(readText(text)).documents).toMatchObject([{ net: '12500' }]);
  });
});

describe('what a file says of its document', () => {
  const lines = 'Pos;Bezeichnung;Netto EUR\n1;Minderlieferung;500,00\nSumme;;500,00\n';

  it('makes it a credit note where its number is called so and it names an invoice', () => {
    const read = (head: string) => shownReading(readText(`${head}Datum;15.11.2026\n${lines}`));
    expect(read('Gutschrift Nr.;GS-77\nzur Rechnung;R-5512\n').documents).toMatchObject([
      { kind: 'credit_note', number: 'GS-77', net: '-500' },
    ]);
    expect(read('Credit Note No;CN-77\n').documents).toMatchObject([{ kind: 'credit_note', net: '-500' }]);
    expect(read('Gutschrift Nr.;GS-77\n').questions).toContain('kind');
    expect(read('Rechnung Nr.;R-77\n').documents).toMatchObject([{ kind: 'invoice', net: '500' }]);
  });

  it.each([
    ['Betrag (TEUR)', '', 'EUR'],
    ['Amount (kUSD)', '', 'USD'],
    ['Betrag', 'EUR', 'EUR'],
  ])('gives the currency of %s %s, before what the seller sells in', (name, cell, currency) => {
    const text = `Rechnungsnr;Datum;${name};Mena faktúry\nA;02.11.2026;12,5;${cell}\n`;
    expect(shownReading(readText(text, { currencies: ['GBP'] })).documents).toMatchObject([{ currency }]);
  });

  it.each([
    ['du 01/10/2026 au 31/10/2026', '2026-10-01..2026-10-31'],
    ['vom 01.10.2026 bis 31.10.2026', '2026-10-01..2026-10-31'],
    ['01/10/2026 a 31/10/2026', '2026-10-01..2026-10-31'],
    ['01.10.2026-31.10.2026', '2026-10-01..2026-10-31'],
    ['10/1/2026,10/31/2026', '2026-10-01..2026-10-31'],
    ['2026/10/01~2026/10/31', '2026-10-01..2026-10-31'],
    ['od 1. 10. 2026 do 31. 10. 2026', '2026-10-01..2026-10-31'],
  ])('gives the days of %s, above the table and in a column', (written, days) => {
    const above = `Report period;"${written}"\nInvoice;Issued;Amount\nA;2026-11-02;5.00\n`;
    expect(shownReading(readText(above)).documents).toMatchObject([{ days }]);
    const within = `Invoice;Issued;Amount;Período\nA;2026-11-02;5.00;"${written}"\n`;
    expect(shownReading(readText(within)).documents).toMatchObject([{ days }]);
  });

  it('gives the whole weeks of a broadcast month', () => {
    const text = 'Invoice;Issued;Amount;Broadcast Month\nA;2026-11-02;5.00;Oct 26\n';
    expect(shownReading(readText(text)).documents).toMatchObject([{ days: '2026-09-28..2026-10-25' }]);
    const above = 'Broadcast month;October 2026\nInvoice;Issued;Amount\nA;2026-11-02;5.00\n';
    expect(shownReading(readText(above)).documents).toMatchObject([{ days: '2026-09-28..2026-10-25' }]);
  });

  it('is found in a Japanese file once a person says its encoding, which is asked before anything else', () => {
    // 請求書番号,発行日,金額 in Shift_JIS, where no letter is one of windows-1252.
    const header = '90bf8b818f9194d48d862c94ad8d7393fa2c8be08a7a';
    const bytes = Buffer.concat([
      Buffer.from(header, 'hex'),
      Buffer.from('\nJ-1,2026/11/02,"1,200'),
      Buffer.from('897e220a', 'hex'),
    ]);
    expect(shownReading(read({ kind: 'text', bytes }))).toMatchObject({
      documents: [],
      questions: ['encoding'],
    });
    const answers = new Map([
      ['encoding', 'shift_jis'],
      ['currency', 'JPY'],
    ]);
    const { documents } = shownReading(read({ kind: 'text', bytes }, { answers }));
    expect(documents).toMatchObject([{ issued: '2026-11-02', currency: 'JPY' }]);
  });

  it('counts each line once where a tax stands in the column of the numbers, and a line is the sum of those above', () => {
    const head = 'Invoice,Date,Campaign,Amount,Currency\nV-1,02NOV2026,A,100.00,EUR\n';
    const tax = shownReading(
      readText(
        `${head}V-1,02NOV2026,B,50.00,EUR\nSub-total,,,150.00,EUR\nGST 10%,,,15.00,EUR\nTotal Due,,,165.00,EUR\n`,
      ),
    );
    expect(tax.documents).toMatchObject([
      { number: 'V-1', issued: '2026-11-02', net: '150', tax: '15', gross: '165' },
    ]);
    const lines = shownReading(readText(`${head},,B,200.00,\n,,C,300.00,\n`));
    expect(lines).toMatchObject({
      documents: [{ net: '600' }],
      questions: expect.arrayContaining(['last_row']),
    });
  });

  it('is a range of days in several cells where it has commas and no quotation marks', () => {
    const text = 'Date range: Oct 1, 2026 - Oct 31, 2026\nInvoice,Issued,Amount\nA,2026-11-02,5.00\n';
    expect(shownReading(readText(text)).documents).toMatchObject([{ days: '2026-10-01..2026-10-31' }]);
  });

  it('asks which of debit and credit is owed, and deducts the other', () => {
    const text =
      'Invoice;Issued;Description;Debit;Credit;Currency\nA;2026-11-01;Display;5,000.00;;USD\nA;2026-11-01;Makegood;;250.00;USD\n';
    expect(shownReading(readText(text)).questions).toContain('owed_side');
    const answered = (side: string) =>
      shownReading(readText(text, { answers: new Map([['owed_side', side]]) })).documents;
    expect(answered('debit')).toMatchObject([{ net: '4750', kind: 'invoice' }]);
    expect(answered('credit')).toMatchObject([{ net: '-4750', kind: 'credit_note' }]);
  });

  it('stands once for a JSON document with lines, within the answer of a service too', () => {
    const invoice = {
      invoiceNumber: 'J-1',
      invoiceDate: '2026-11-01',
      currencyCode: 'EUR',
      servicePeriod: { from: '2026-10-01', to: '2026-10-31' },
      lineItems: [
        { name: 'A', purchaseOrder: 'PO-1', netAmount: '4.50' },
        { name: 'B', purchaseOrder: 'PO-1', netAmount: '10.50' },
      ],
      taxAmount: '2.85',
      totalAmount: '17.85',
    };
    const expected = [
      {
        number: 'J-1',
        currency: 'EUR',
        days: '2026-10-01..2026-10-31',
        net: '15',
        tax: '2.85',
        gross: '17.85',
      },
    ];
    for (const file of [
      invoice,
      [invoice],
      { data: { invoices: [invoice] } },
      { status: 'ok', data: { invoice } },
    ])
      expect(shownReading(readText(JSON.stringify(file)))).toMatchObject({
        documents: expected,
        checks: expect.arrayContaining(['document_total ok']),
        faults: [],
        questions: [],
      });
    const wrong = { ...invoice, totalAmount: '18.85' };
    expect(shownReading(readText(JSON.stringify(wrong))).faults).toHaveLength(1);
  });
});

describe('a file of a thousand documents', () => {
  it('keeps a few lines of each, and is judged by the names of more', () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => {
      const number = `A-${String(Math.floor(at / 30))}`;
      return `${number};2026-11-20;2026-11-01;2026-11-30;EUR;${at % 30 === 29 ? 'the-last' : 'buy-1'};1.00\n`;
    });
    const reading = readText(
      `Invoice;Issued;Service from;Service to;Currency;Order ID;Amount\n${rows.join('')}`,
    );
    expect([reading.documents.length, reading.questions, reading.faults]).toEqual([1_000, [], []]);
    expect(
      new Set(reading.documents.map(({ lines, lineTotal }) => [lines.length, lineTotal].join())),
    ).toEqual(new Set(['20,30']));
    const names = atOnce(namesOf(reading)).map(({ text }) => text);
    expect(names).toEqual(['buy-1', 'the-last']);
  });
});

describe('a report that counts and says no amount', () => {
  const countsOf = (text: string, answers: Readonly<Record<string, string>> = {}) => {
    const reading = readText(text, { wants: 'figures', answers: new Map(Object.entries(answers)) });
    return {
      lines: reading.documents.flatMap(({ lines }) =>
        lines.map(({ counts, serviceFrom }) => [serviceFrom, Object.fromEntries(counts ?? [])]),
      ),
      questions: reading.questions.map(({ id, options }) => [id, ...options.map(({ option }) => option)]),
      faults: reading.faults,
    };
  };
  const day = '2026-09-01';

  it.each([
    [
      'Day,Order ID,Impressions,Clicks,CTR\n2026-09-01,7,"12,000",30,0.25 %\n',
      { impressions: '12000', clicks: '30' },
    ],
    // A point between groups: whole numbers alone are counted.
    ['Datum;Auftrag;Impressionen;Klicks\n01.09.2026;7;12.000;30\n', { impressions: '12000', clicks: '30' }],
    ['Day,Order ID,Impressions (000)\n2026-09-01,7,12.5\n', { impressions: '12500' }],
    ['Day,Order ID,Imps,CPM\n2026-09-01,7,12000.0,3.5\n', { impressions: '12000' }],
    [
      'Day,Order ID,Video Views,100% Completes,Video Completions\n2026-09-01,7,900,5,450\n',
      { views: '900', completed_views: '450' },
    ],
    [
      'Day,Order ID,Viewable Impressions,Invalid Impressions\n2026-09-01,7,800,12\n',
      { viewable_impressions: '800' },
    ],
    ['Day,Order ID,Total Impressions,Billable Impressions\n2026-09-01,7,900,850\n', { impressions: '850' }],
    [
      'Day,Start Date,End Date,Order ID,Impressions\n2026-09-01,2026-08-01,2026-10-31,7,900\n',
      { impressions: '900' },
    ],
    ['Order ID,Line item ID,Date,Total impressions\n7,9,2026-09-01,900\n', { impressions: '900' }],
  ])('is read by its units: %s', (text, counts) => {
    expect(countsOf(text)).toEqual({ lines: [[day, counts]], questions: [], faults: [] });
  });

  it('checks its total, and asks which of two columns of one unit is paid', () => {
    const text = (total: number) =>
      `Day,Order ID,Total Ads,SIVT-free Ads\n2026-09-01,7,900,850\n2026-09-02,7,100,90\nTotal,,${String(total)},940\n`;
    const question = ['counted_impressions', 'Total Ads', 'SIVT-free Ads'];
    expect(countsOf(text(1_000)).questions).toEqual([question]);
    const answered = countsOf(text(1_000), { counted_impressions: 'SIVT-free Ads' });
    expect(answered).toMatchObject({
      questions: [],
      lines: [
        [day, { impressions: '850' }],
        ['2026-09-02', { impressions: '90' }],
      ],
    });
    expect(countsOf(text(1_001), { counted_impressions: 'Total Ads' }).questions).toEqual([
      ['total', 'lines', 'refuse'],
    ]);
  });

  it('has rows that count some of its units', () => {
    const text = 'Day,Order ID,Impressions,Clicks\n2026-09-01,7,900,-\n2026-09-02,7,-,3\n';
    expect(countsOf(text)).toMatchObject({
      questions: [],
      faults: [],
      lines: [
        [day, { impressions: '900' }],
        ['2026-09-02', { clicks: '3' }],
      ],
    });
  });

  it('is refused where a count is no whole number, and is no invoice', () => {
    expect(() =>
      readText('Day,Order ID,Total Ads,In-View Ads,In-View %,IVT Ads\n2026-09-01,7,900,700,77.8,9\n'),
    ).toThrow(/No column of the file holds an amount/);
    expect(countsOf('Day,Order ID,Clicks\n2026-09-01,7,12.5\n2026-09-01,7,3\n').faults).toEqual([
      { row: 1, reason: 'Clicks: 12.5 is no whole number.' },
    ]);
    expect(() => readText('Day,Order ID,Impressions\n2026-09-01,7,12000\n')).toThrow(
      /No column of the file holds an amount/,
    );
  });

  it('is not meant where a column may be an amount', () => {
    const { questions } = readText('Day,Order ID,Impressions,Charge value\n2026-09-01,7,12000,9.5\n', {
      wants: 'figures',
    });
    expect(questions).toEqual([]);
    const [line] = readText('Day,Order ID,Impressions,Charge value\n2026-09-01,7,12000,9.5\n', {
      wants: 'figures',
    }).documents.flatMap(({ lines }) => lines);
    expect([line?.amountMicros, line?.counts]).toEqual([9_500_000n, undefined]);
  });
});
