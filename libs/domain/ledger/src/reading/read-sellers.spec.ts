import { describe, expect, it } from '@jest/globals';
import { read, readText, shownReading } from './testkit/read-case.js';

/** Files in further layouts of sellers: the documents that a careful person reads in each, and what has to be asked. */
const files: readonly (readonly [
  what: string,
  text: string,
  documents: readonly string[],
  asks: readonly string[],
  currencies?: readonly string[],
])[] = [
  [
    'a German report of Meta, which says the price of each result too',
    'Berichtsstart,Berichtsende,Name der Kampagne,Auslieferung der Kampagne,Ergebnisse,Kosten pro Ergebnis,Ausgegebener Betrag (EUR),Impressionen,Reichweite\n2026-11-01,2026-11-30,Nova Herbst,active,120,10.28,1234.56,412345,98000\n2026-11-01,2026-11-30,Kite,archived,12,2.00,24.00,12345,9000\n',
    ['invoice - 2026-11-01..2026-11-30 EUR 1258.56 0 1258.56'],
    ['number', 'issued'],
  ],
  [
    'days with their zone in the name of the column',
    'Date (UTC),Campaign Name,Campaign ID,Impressions,Clicks,eCPM,CPC,CTR,Amount Spent\n2026-11-01,Nova,t2_a,"10,000",20,$1.23,$0.62,0.200%,$12.30\n2026-11-02,Nova,t2_a,"1,000",2,$1.00,$0.50,0.200%,$1.00\n',
    ['invoice - 2026-11-01..2026-11-02 USD 13.3 0 13.3'],
    ['number', 'issued'],
    ['USD'],
  ],
  [
    'a platform that calls what it bills spending',
    'Day,Advertiser Id,Advertiser,Order Id,Order,Line Id,Line,Advertiser Currency,Impressions,Clicks,Advertiser Spending\n2026-11-01,8,Nova,77,Autumn,991,Pre-roll,EUR,1000,3,12.345678\n2026-11-02,8,Nova,77,Autumn,991,Pre-roll,EUR,2000,3,24.691356\n',
    ['invoice - 2026-11-01..2026-11-02 EUR 37.037034 0 37.037034'],
    ['number', 'issued'],
  ],
  [
    'ranges of days in a column that is called a day',
    'Time period,Campaign name,Campaign ID,Funding source name,Currency,Spend,Impressions,Engagements\n"Nov 1, 2026 – Nov 30, 2026",Nova,8x,IO 77,USD,"$2,500.50","800,000","1,200"\n"Nov 1, 2026 – Nov 30, 2026",Kite,8y,IO 77,USD,$99.50,"9,000",12\n',
    ['invoice - 2026-11-01..2026-11-30 USD 2600 0 2600'],
    ['number', 'issued'],
  ],
  [
    'a sentence before the range of its days',
    'Invoice number: 5123456789\nInvoice date: 30 Nov 2026\nBilling ID: 1234-5678-9012\nCurrency: EUR\nSummary for 1 Nov 2026 - 30 Nov 2026\n\nAccount,Account ID,Description,Quantity,Units,Amount (€)\nNova DE,123-456-7890,Autumn Search,12000,Clicks,"4,512.33"\nNova DE,123-456-7890,Autumn Display,300000,Impressions,"1,200.00"\nNova DE,123-456-7890,Invalid activity,-30,Clicks,(11.20)\nNova DE,123-456-7890,Overdelivery credit,,,-50.00\nNova DE,123-456-7890,Digital Services Tax,,,100.00\n,,,,Subtotal,"5,751.13"\n,,,,VAT (0%),0.00\n,,,,Total,"5,751.13"\n',
    ['invoice 5123456789 2026-11-01..2026-11-30 EUR 5651.13 100 5751.13'],
    [],
  ],
  [
    'a net that credits lower',
    'Invoice Number,Invoice Date,Advertiser,Campaign Id,Campaign Name,Ad Type,Start Date,End Date,Ad Spend,Credits,Net Charge\nWMC-1,2026-11-30,Nova,55,Autumn SP,Sponsored,2026-11-01,2026-11-30,1000.00,-50.00,950.00\nWMC-1,2026-11-30,Nova,56,Autumn SB,Sponsored,2026-11-01,2026-11-30,500.00,0.00,500.00\n',
    ['invoice WMC-1 2026-11-01..2026-11-30 - 1450 0 1450'],
    ['currency'],
  ],
  [
    'screens with their first and last play',
    'Invoice,Invoice Date,Currency,Screen ID,Screen,Plays,First Play,Last Play,Media Cost\nB-1,2026-11-30,CAD,s1,Yonge,1200,2026-11-01 06:00,2026-11-30 23:59,600.00\nB-1,2026-11-30,CAD,s2,Bay,1000,2026-11-01 06:00,2026-11-30 23:59,500.00\n',
    ['invoice B-1 2026-11-01..2026-11-30 CAD 1100 0 1100'],
    [],
  ],
  [
    'the commission of the agency under another name',
    'Show,Episode,Insertion Order,Download Date,Ad Position,Guaranteed Downloads,Actual Downloads,CPM,Gross,Agency (15%),Net\nMorning,12,IO-1,11/10/2026,Mid-roll,"50,000","51,000",$25.00,"$1,250.00",$187.50,"$1,062.50"\nMorning,13,IO-1,11/17/2026,Mid-roll,"50,000","50,500",$25.00,"$1,250.00",$187.50,"$1,062.50"\nTOTAL,,,,,"100,000","101,500",,"$2,500.00",$375.00,"$2,125.00"\n',
    ['invoice - - USD 2125 0 2125'],
    ['number', 'issued'],
    ['USD'],
  ],
  [
    'gross, a discount and a commission before net, and the label of the tax in another column',
    'Anzeigenrechnung;;;;;;;;\nMedienhaus Süd GmbH;;;;;;;;\nRechnungs-Nr.;0026-004711;;;;;;;\nRechnungsdatum;27.11.2026;;;;;;;\nKunden-Nr.;10099;;;;;;;\n;;;;;;;;\nAuftrags-Nr.;Erscheinungstag;Ausgabe;Größe (mm);mm-Preis;Brutto;Rabatt;AE 15%;Netto\n88001;07.11.2026;Süd;400;5,50;2.200,00;-220,00;-297,00;1.683,00\n88002;14.11.2026;Süd;400;5,50;2.200,00;-220,00;-297,00;1.683,00\n;;;;;4.400,00;-440,00;-594,00;3.366,00\n;;;;;;;zzgl. 19% MwSt.;639,54\n;;;;;;;Gesamt;4.005,54\n',
    ['invoice 0026-004711 - - 3366 639.54 4005.54'],
    ['currency'],
  ],
  [
    'a table of the rates of tax below the lines',
    'Rechnung;R-77\nDatum;30.11.2026\nLeistungszeitraum;01.11.2026 - 30.11.2026\n\nPos;Text;Netto EUR;USt %\n1;Display;1.000,00;19\n2;Buchbeilage;200,00;7\n\nSteuersatz;Netto;USt;Brutto\n19 %;1.000,00;190,00;1.190,00\n7 %;200,00;14,00;214,00\nGesamt;1.200,00;204,00;1.404,00\n',
    ['invoice R-77 2026-11-01..2026-11-30 EUR 1200 204 1404'],
    [],
  ],
  [
    'weeks by their numbers',
    'Rechnungsnr;Rechnungsdatum;Leistungszeitraum;Kampagne;Betrag netto;MwSt-Satz;MwSt-Betrag;Betrag brutto\nK-1;30.11.2026;KW 45/2026;Nova;1.000,00 €;19 %;190,00 €;1.190,00 €\nK-1;30.11.2026;KW 46/2026;Nova;1.000,00 €;19 %;190,00 €;1.190,00 €\n',
    ['invoice K-1 2026-11-02..2026-11-15 EUR 2000 380 2380'],
    [],
  ],
  [
    'a Stornorechnung with positive amounts',
    'Stornorechnung;ST-12\nzu Rechnung;R-77\nDatum;30.11.2026\nLeistungszeitraum;Oktober 2026\n\nPos;Text;Netto EUR;USt 19 %;Brutto EUR\n1;Display;1.000,00;190,00;1.190,00\nSumme;;1.000,00;190,00;1.190,00\n',
    ['credit note ST-12 2026-10-01..2026-10-31 EUR -1000 -190 -1190'],
    [],
  ],
  [
    'number and day of an Italian title',
    'Fattura n. 118 del 30/11/2026\nCompetenza: novembre 2026\n\nDescrizione;Q.tà;Prezzo un.;Importo;Aliq. IVA\nCampagna display;1;1.000,00;1.000,00;22\nCampagna video;2;500,00;1.000,00;22\n\nTotale imponibile;;;2.000,00;\nIVA 22%;;;440,00;\nTotale fattura;;;2.440,00;\n',
    ['invoice 118 2026-11-01..2026-11-30 - 2000 440 2440'],
    ['currency'],
  ],
  [
    'the base of the tax as a sum',
    'Factura: F26/0118\nFecha: 30/11/2026\nPeriodo: noviembre 2026\n\nConcepto;Unidades;Precio;Dto. %;Importe\nCampaña display;100;10,00;5;950,00 €\nCampaña vídeo;10;50,00;0;500,00 €\nBase imponible;;;;1.450,00 €\nIVA 21%;;;;304,50 €\nRetención IRPF 15%;;;;-217,50 €\nTOTAL A PAGAR;;;;1.537,00 €\n',
    ['invoice F26/0118 2026-11-01..2026-11-30 EUR 2682.5 304.5 2987'],
    ['total', 'prepaid'],
  ],
  [
    'Japanese names that say net and gross in brackets',
    '請求番号,請求日,利用月,キャンペーン,金額（税抜）,消費税額,請求金額（税込）\nJ-9,2026/11/30,2026/11,秋,"1,200,000円","120,000円","1,320,000円"\nJ-9,2026/11/30,2026/11,冬,"300,000円","30,000円","330,000円"\n',
    ['invoice J-9 2026-11-01..2026-11-30 JPY 1500000 150000 1650000'],
    [],
  ],
  [
    'a Finnish invoice',
    'Laskun numero;Laskun päivämäärä;Jakso;Kuvaus;Veroton;ALV 25,5 %;Verollinen;Valuutta\n1188;30.11.2026;11/2026;Kampanja;1 000,00;255,00;1 255,00;EUR\n',
    ['invoice 1188 2026-11-01..2026-11-30 EUR 1000 255 1255'],
    [],
  ],
  [
    'a Danish total',
    'Fakturanr.;Fakturadato;Periode;Beskrivelse;Antal;Pris;Beløb\n100;30-11-2026;01-11-2026 til 30-11-2026;Banner;1;1.000,00;1.000,00\n100;30-11-2026;01-11-2026 til 30-11-2026;Video;1;500,00;500,00\nSubtotal;;;;;;1.500,00\nMoms (25,00%);;;;;;375,00\nI alt DKK;;;;;;1.875,00\n',
    ['invoice 100 2026-11-01..2026-11-30 - 1500 375 1875'],
    ['currency'],
  ],
  [
    'a Mexican invoice with its Folio',
    'Folio,Fecha,Periodo,Concepto,Subtotal,IVA 16%,Total,Moneda\nA-118,30/11/2026,noviembre 2026,Pauta digital,"$10,000.00","$1,600.00","$11,600.00",MXN\n',
    ['invoice A-118 2026-11-01..2026-11-30 MXN 10000 1600 11600'],
    [],
  ],
  [
    'an Indonesian invoice in rupiah',
    'No. Invoice;Tanggal;Periode;Keterangan;DPP;PPN 11%;Total\nINV/1;30/11/2026;11/2026;Iklan;Rp 10.000.000;Rp 1.100.000;Rp 11.100.000\n',
    ['invoice INV/1 2026-11-01..2026-11-30 IDR 10000000 1100000 11100000'],
    [],
  ],
  [
    'the head of each page and its sum',
    'Invoice P-1,,,\nIssued,2026-11-30,,\nPeriod,2026-11,,\nCampaign,Units,Price,Amount EUR\nA,1,10.00,10.00\nB,2,10.00,20.00\nPage total,,,30.00\nPage 1/2,,,\nInvoice P-1,,,\nCampaign,Units,Price,Amount EUR\nC,3,10.00,30.00\nPage total,,,30.00\nInvoice total,,,60.00\nPage 2/2,,,\n',
    ['invoice P-1 2026-11-01..2026-11-30 EUR 60 0 60'],
    [],
  ],
  [
    'ids that a program wrote as floating point numbers',
    ',Invoice,Issued,Period,PO,Amount,Currency\n0,4711.0,2026-11-30,2026-11,123.0,10.5,EUR\n1,4711.0,2026-11-30,2026-11,124.0,5.0,EUR\n',
    ['invoice 4711 2026-11-01..2026-11-30 EUR 15.5 0 15.5'],
    [],
  ],
  [
    'one document in pairs of a name and a value',
    'Invoice Number,INV-1\nInvoice Date,2026-11-30\nService Period,2026-11\nPO Number,PO-1\nCurrency,EUR\nNet Amount,100.00\nVAT,19.00\nTotal Amount,119.00\n',
    ['invoice INV-1 2026-11-01..2026-11-30 EUR 100 19 119'],
    [],
  ],
  [
    'a summary above its details',
    'Invoice,T-1\nIssued,2026-11-30\nPeriod,2026-11\n\nSummary\nCampaign,Amount EUR\nNova,300.00\nKite,100.00\nTotal,400.00\n\nDetails\nCampaign,Placement,Impressions,Amount EUR\nNova,A,1000,100.00\nNova,B,2000,200.00\nKite,C,1000,100.00\nTotal,,4000,400.00\n',
    ['invoice T-1 2026-11-01..2026-11-30 EUR 400 0 400'],
    [],
  ],
  [
    'instalments below the total',
    'Invoice,Issued,Period,Campaign,Amount,Currency\nB-2,2026-11-30,2026-11,Nova,100.00,EUR\nB-2,2026-11-30,2026-11,Kite,50.00,EUR\nTotal,,,,150.00,EUR\n\nPayment schedule,Due,,,Amount,\n1st instalment,2026-12-15,,,75.00,\n2nd instalment,2027-01-15,,,75.00,\n',
    ['invoice B-2 2026-11-01..2026-11-30 EUR 150 0 150'],
    [],
  ],
  [
    'what is open from before, and the sum with it',
    'Invoice,Date,Period,Description,Amount,Currency\nBF-2,2026-11-30,2026-11,Balance brought forward,500.00,USD\nBF-2,2026-11-30,2026-11,Display,1000.00,USD\nBF-2,2026-11-30,2026-11,Total amount due,1500.00,USD\n',
    ['invoice BF-2 2026-11-01..2026-11-30 USD 1000 0 1000'],
    [],
  ],
  [
    'codes of invoices and credit memos',
    'Doc No,Doc Type,Doc Date,Period,PO,Amount,Currency\nI-1,INV,2026-11-30,2026-11,PO-1,100.00,EUR\nM-1,CM,2026-11-30,2026-11,PO-1,30.00,EUR\n',
    [
      'invoice I-1 2026-11-01..2026-11-30 EUR 100 0 100',
      'credit note M-1 2026-11-01..2026-11-30 EUR -30 0 -30',
    ],
    [],
  ],
  [
    'bills and vendor credits by their numbers',
    'Transaction Type,Number,Date,Period,Memo,Amount,Currency\nBill,B-1,2026-11-30,2026-11,Display,100.00,EUR\nVendor Credit,V-1,2026-11-30,2026-11,Display,30.00,EUR\n',
    [
      'invoice B-1 2026-11-01..2026-11-30 EUR 100 0 100',
      'credit note V-1 2026-11-01..2026-11-30 EUR -30 0 -30',
    ],
    [],
  ],
  [
    'amounts without cents',
    'Invoice;Issued;Period;Line;Amount;Currency\nD-1;2026-11-30;2026-11;A;1.000,-;EUR\nD-1;2026-11-30;2026-11;B;"EUR 2.500,--";EUR\nD-1;2026-11-30;2026-11;C;"250,— €";EUR\n',
    ['invoice D-1 2026-11-01..2026-11-30 EUR 3750 0 3750'],
    [],
  ],
  [
    'tildes between its cells',
    'Invoice~Issued~Period~Campaign~Amount~Currency\nT-1~2026-11-30~2026-11~Nova~10.50~EUR\nT-1~2026-11-30~2026-11~Kite~1.50~EUR\n',
    ['invoice T-1 2026-11-01..2026-11-30 EUR 12 0 12'],
    [],
  ],
  [
    'what is payable after discount and commission',
    'Invoice,Issued,Period,Campaign,Gross Cost,Discount %,Discount,Net Cost,Agency Commission 15%,Net Payable,Currency\nG-1,2026-11-30,2026-11,A,1000.00,10,100.00,900.00,135.00,765.00,EUR\nG-1,2026-11-30,2026-11,B,500.00,10,50.00,450.00,67.50,382.50,EUR\n',
    ['invoice G-1 2026-11-01..2026-11-30 EUR 1147.5 0 1147.5'],
    [],
  ],
  [
    'a last record that counts its records',
    'Invoice,Issued,Period,Campaign,Amount,Currency\nL-1,2026-11-30,2026-11,Nova,10.00,EUR\nL-1,2026-11-30,2026-11,Kite,20.00,EUR\nEND OF FILE,2 records,,,30.00,\n',
    ['invoice L-1 2026-11-01..2026-11-30 EUR 30 0 30'],
    [],
  ],
  [
    'statistics below its lines',
    'Invoice,Issued,Period,Campaign,Amount,Currency\nL-3,2026-11-30,2026-11,Nova,10.00,EUR\nL-3,2026-11-30,2026-11,Kite,20.00,EUR\nCount,,,,2,\nAverage,,,,15.00,\nSum,,,,30.00,\n',
    ['invoice L-3 2026-11-01..2026-11-30 EUR 30 0 30'],
    [],
  ],
  [
    'seconds since 1970',
    'Invoice,Issued,Start,End,Amount,Currency\nE-3,1796040000,1793491200,1795996800,100.00,EUR\n',
    ['invoice E-3 2026-11-01..2026-11-30 EUR 100 0 100'],
    [],
  ],
  [
    'a quarter',
    'Invoice,Issued,Period,Amount,Currency\nE-5,2026-11-30,Q4 2026,100.00,EUR\n',
    ['invoice E-5 2026-10-01..2026-12-31 EUR 100 0 100'],
    [],
  ],
  [
    'two months',
    'Invoice,Issued,Period,Amount,Currency\nE-6,2026-11-30,Oct-Nov 2026,100.00,EUR\nE-6,2026-11-30,Oct-Nov 2026,50.00,EUR\n',
    ['invoice E-6 2026-10-01..2026-11-30 EUR 150 0 150'],
    [],
  ],
  [
    'a month with a short year',
    "Invoice,Issued,Period,Amount,Currency\nE-7,2026-11-30,November '26,100.00,EUR\n",
    ['invoice E-7 2026-11-01..2026-11-30 EUR 100 0 100'],
    [],
  ],
  [
    'two days of one month',
    'Invoice,Issued,Period,Amount,Currency\nE-8,2026-11-30,16.-30.11.2026,100.00,EUR\n',
    ['invoice E-8 2026-11-16..2026-11-30 EUR 100 0 100'],
    [],
  ],
  [
    'days with letters behind them',
    'Invoice,Issued,Period,Amount,Currency\nE-9,2026-11-30,1st - 30th November 2026,100.00,EUR\n',
    ['invoice E-9 2026-11-01..2026-11-30 EUR 100 0 100'],
    [],
  ],
  [
    'a range of ISO 8601',
    'Invoice,Issued,Period,Amount,Currency\nE-10,2026-11-30,2026-11-01/2026-11-30,100.00,EUR\n',
    ['invoice E-10 2026-11-01..2026-11-30 EUR 100 0 100'],
    [],
  ],
  [
    'weeks by their first days',
    'Invoice,Issued,Week of,Station,Amount,Currency\nE-11,2026-11-30,2026-11-02,WABC,100.00,EUR\nE-11,2026-11-30,2026-11-09,WABC,100.00,EUR\n',
    ['invoice E-11 2026-11-02..2026-11-15 EUR 200 0 200'],
    [],
  ],
  [
    'a tax that is exempt',
    'Invoice,Issued,Period,Line,Net,VAT,Gross,Currency\nT-1,2026-11-30,2026-11,A,100.00,exempt,100.00,EUR\nT-1,2026-11-30,2026-11,B,50.00,0.00,50.00,EUR\n',
    ['invoice T-1 2026-11-01..2026-11-30 EUR 150 0 150'],
    [],
  ],
  [
    'a column of signs',
    'Invoice,Issued,Period,Line,Sign,Amount,Currency\nT-2,2026-11-30,2026-11,A,+,100.00,EUR\nT-2,2026-11-30,2026-11,B,-,30.00,EUR\n',
    ['invoice T-2 2026-11-01..2026-11-30 EUR 130 0 130'],
    ['credit_sign'],
  ],
  [
    'a line of the tax that is in the amounts',
    'Invoice,Issued,Period,Line,Amount,Currency\nT-3,2026-11-30,2026-11,Display,100.00,EUR\nT-3,2026-11-30,2026-11,of which VAT 19%,15.97,EUR\n',
    ['invoice T-3 2026-11-01..2026-11-30 EUR 84.03 15.97 100'],
    [],
  ],
  [
    'the tax that is in the amounts below the total',
    'Invoice;Issued;Period;Line;Amount;Currency\nT-4;2026-11-30;2026-11;Display;119,00;EUR\nT-4;2026-11-30;2026-11;Video;238,00;EUR\nTotal;;;;357,00;EUR\ndarin enthalten 19 % MwSt.;;;;57,00;EUR\n',
    ['invoice T-4 2026-11-01..2026-11-30 EUR 300 57 357'],
    [],
  ],
  [
    'the share of a publisher',
    'Invoice,Issued,Period,PO,Revenue,Rev share,Payout,Currency\nT-7,2026-11-30,2026-11,P1,1000.00,70%,700.00,EUR\nT-7,2026-11-30,2026-11,P2,100.00,70%,70.00,EUR\n',
    ['invoice T-7 2026-11-01..2026-11-30 EUR 1100 0 1100'],
    ['amount'],
  ],
  [
    'the value of a contract beside this invoice',
    'Invoice,Issued,Period,PO,Contract value,% billed,Billed to date,This invoice,Currency\nT-15,2026-11-30,2026-11,P1,10000.00,50%,5000.00,2500.00,EUR\nT-15,2026-11-30,2026-11,P2,1000.00,50%,500.00,250.00,EUR\n',
    ['invoice T-15 2026-11-01..2026-11-30 EUR 11000 0 11000'],
    ['amount'],
  ],
  [
    'a credit by the kind of its line',
    'Invoice;Issued;Period;Art;Text;Amount;Currency\nG-1;2026-11-30;2026-11;Media;Display;100.00;EUR\nG-1;2026-11-30;2026-11;Gutschrift;Makegood;30.00;EUR\n',
    ['invoice G-1 2026-11-01..2026-11-30 EUR 130 0 130'],
    ['credit_sign'],
  ],
  [
    'a corrected invoice, which may have its new amounts',
    'Korrekturrechnung Nr.;K-2\nzur Rechnung;R-1\nDatum;30.11.2026\nLeistungszeitraum;November 2026\n\nPos;Text;Netto EUR\n1;Display;800,00\n2;Video;100,00\n',
    ['invoice K-2 2026-11-01..2026-11-30 EUR 900 0 900'],
    ['kind'],
  ],
  [
    'a levy that is in gross beside net and tax',
    'Rechnungsnummer;Datum;Leistungszeitraum;Bezeichnung;Netto;Werbeabgabe 5 %;USt 20 %;Brutto;Währung\nA-1;30.11.2026;11/2026;Plakat;1.000,00;50,00;210,00;1.260,00;EUR\n',
    ['invoice A-1 2026-11-01..2026-11-30 EUR 1050 210 1260'],
    [],
  ],
  [
    'one German document in pairs',
    'Rechnung\nRechnungsnummer:;R-9\nRechnungsdatum:;30.11.2026\nLeistungszeitraum:;November 2026\nKampagne:;Nova\nNettobetrag:;1.000,00 €\nMwSt 19 %:;190,00 €\nBruttobetrag:;1.190,00 €\n',
    ['invoice R-9 2026-11-01..2026-11-30 EUR 1000 190 1190'],
    [],
  ],
  [
    'a tax in the amounts without its rate',
    'Invoice;Issued;Period;Line;Amount;Currency\nT-4;2026-11-30;2026-11;Display;119,00;EUR\nTotal;;;;119,00;EUR\nincluded VAT;;;;19,00;EUR\n',
    ['invoice T-4 2026-11-01..2026-11-30 EUR 119 0 119'],
    ['tax_inside'],
  ],
  [
    'the tax of its total once more',
    'Invoice;Issued;Period;Line;Netto;MwSt;Brutto;Currency\nT-5;2026-11-30;2026-11;Display;100,00;19,00;119,00;EUR\n;;;Gesamt;;;119,00;\n;;;davon MwSt;;;19,00;\n',
    ['invoice T-5 2026-11-01..2026-11-30 EUR 100 19 119'],
    [],
  ],
  [
    'Romanian lei',
    'Număr factură;Data facturii;Perioada;Descriere;Valoare fără TVA;Valoare TVA;Total\nRO-1;30.11.2026;11/2026;Campanie;1.000,00 lei;210,00 lei;1.210,00 lei\n',
    ['invoice RO-1 2026-11-01..2026-11-30 RON 1000 210 1210'],
    [],
  ],
  [
    'a table of one row with number and total above the lines',
    'ACME Media,,\n,,\nInvoice No,Invoice Date,Total Due\nINV-14,2026-11-30,"1,200.00"\n,,\nDescription,Period,Amount USD\nDisplay,2026-11,1000.00\nVideo,2026-11,200.00\n',
    ['invoice INV-14 2026-11-01..2026-11-30 USD 1200 0 1200'],
    [],
  ],
  [
    'a fee of the agency on top, which is no commission',
    'Invoice,Issued,Period,PO,Net,Agency fee,Gross,Currency\nA-1,2026-11-30,2026-11,P1,1000.00,100.00,1100.00,EUR\nA-1,2026-11-30,2026-11,P2,100.00,10.00,110.00,EUR\n',
    ['invoice A-1 2026-11-01..2026-11-30 EUR 1100 110 1210'],
    ['fees', 'gross_less_net'],
  ],
  [
    'a total with the commission in it',
    'Invoice,Issued,Period,PO,Media,Commission,Total,Currency\nA-2,2026-11-30,2026-11,P1,1000.00,100.00,1100.00,EUR\nA-2,2026-11-30,2026-11,P2,100.00,10.00,110.00,EUR\n',
    ['invoice A-2 2026-11-01..2026-11-30 EUR 1210 0 1210'],
    ['amount'],
  ],
  [
    'days and their weeks',
    'Date,Week,Campaign ID,Currency,Spend\n2026-11-30,2026-W49,c1,EUR,10.00\n2026-11-01,2026-W44,c1,EUR,5.00\n',
    ['invoice - 2026-11-01..2026-11-30 EUR 15 0 15'],
    ['number', 'issued'],
  ],
  [
    'two columns of lines below its head, which are no pairs of name and value',
    'Invoice No:,HM-8\nInvoice Date:,10/31/2026\nBilling period:,10/01/2026 - 10/31/2026\n\nDescription,Amount\nDisplay,"$1,200.00"\nAd serving fee,$96.00\nAgency commission,($180.00)\nTotal,"$1,116.00"\n',
    ['invoice HM-8 2026-10-01..2026-10-31 USD 1116 0 1116'],
    [],
    ['USD'],
  ],
  [
    'a table of one row with net, tax and total above the lines',
    'Invoice No,Invoice Date,Net,VAT,Total\nINV-15,2026-11-30,1200.00,240.00,1440.00\n\nDescription,Period,Amount GBP\nDisplay,2026-11,1000.00\nVideo,2026-11,200.00\n',
    ['invoice INV-15 2026-11-01..2026-11-30 GBP 1200 240 1440'],
    [],
  ],
];

describe('a file of a seller in one more layout', () => {
  it.each(files)('with %s is read, or asked about', (_, text, documents, asks, ...[currencies]) => {
    const shown = shownReading(readText(text, currencies === undefined ? {} : { currencies }));
    const read = shown.documents.map(({ kind, number = '-', days = '-', currency = '-', net, tax, gross }) =>
      [kind === 'credit_note' ? 'credit note' : 'invoice', number, days, currency, net, tax, gross].join(' '),
    );
    expect(shown.faults).toEqual([]);
    expect(read).toEqual(documents);
    expect(shown.questions).toEqual(asks);
  });

  it('asks whether another of its tables, with other amounts, may be left out', () => {
    const text =
      'Invoice,X-3\nIssued,2026-11-30\nPeriod,2026-11\n\nCampaign,Amount EUR\nNova,300.00\nKite,100.00\n\nCampaign,Placement,Amount EUR\nLark,A,50.00\nMoon,B,20.00\n';
    const answered = (option: string) =>
      shownReading(readText(text, { answers: new Map([['other_tables', option]]) }));
    expect(shownReading(readText(text))).toMatchObject({ questions: ['other_tables'], faults: [] });
    expect(answered('leave_out')).toMatchObject({ documents: [{ net: '70' }], questions: [], faults: [] });
    expect(answered('refuse').faults).toMatchObject([{ reason: expect.stringContaining('is not read') }]);
  });

  it('is refused where its rows say both invoice and credit note, and nothing tells the documents apart', () => {
    const text =
      'Transaction Type,Period,Amount,Currency\nBill,2026-11,100.00,EUR\nVendor Credit,2026-11,30.00,EUR\n';
    expect(shownReading(readText(text)).faults).toMatchObject([
      { reason: expect.stringContaining('both invoice') },
    ]);
  });

  it('is read in the alphabet in which the names of its header are known', () => {
    // Číslo faktury;Datum vystavení;Období;Částka bez DPH;DPH 21 %;Měna in windows-1250.
    const header =
      'c8ed736c6f2066616b747572793b446174756d20767973746176656eed3b4f62646f62ed3bc8e173746b612062657a204450483b44504820323120253b4dec6e61';
    const bytes = Buffer.concat([
      Buffer.from(header, 'hex'),
      Buffer.from('\n2026118;30.11.2026;11/2026;10 000,00;2 100,00;CZK\n'),
    ]);
    const shown = shownReading(read({ kind: 'text', bytes }));
    expect(shown).toMatchObject({
      documents: [{ number: '2026118', net: '10000', tax: '2100', currency: 'CZK' }],
      questions: [],
      faults: [],
    });
  });

  it('has yen where Shift_JIS has a backslash', () => {
    // 請求書番号,発行日,利用月,金額 in Shift_JIS.
    const header = '90bf8b818f9194d48d862c94ad8d7393fa2c97988a7093fa2c8be08a7a';
    const bytes = Buffer.concat([
      Buffer.from(header, 'hex'),
      Buffer.from('\nJ-1,2026/11/02,2026-11,"\\1,200"\n'),
    ]);
    const answers = new Map([['encoding', 'shift_jis']]);
    expect(shownReading(read({ kind: 'text', bytes }, { answers, currencies: ['JPY'] }))).toMatchObject({
      documents: [{ net: '1200', currency: 'JPY' }],
      faults: [],
    });
  });
});
