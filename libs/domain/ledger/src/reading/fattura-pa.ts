import { daysOf, name, type RawInvoice } from './raw-invoice.js';
import { nodeAt, nodesAt, textAt, type XmlNode } from './xml-node.js';

/** Types of FatturaPA that take an amount back; their amounts are positive. */
const creditTypes = new Set(['TD04', 'TD08']);

/** The documents of a FatturaPA file (version 1.2): each body is one. */
export const fatturePa = (root: XmlNode): readonly RawInvoice[] =>
  nodesAt(root, 'FatturaElettronicaBody').map(fatturaOf);

function fatturaOf(body: XmlNode): RawInvoice {
  const general = nodeAt(body, 'DatiGenerali');
  const head = nodeAt(general, 'DatiGeneraliDocumento');
  const sums = nodesAt(body, 'DatiBeniServizi', 'DatiRiepilogo');
  return {
    format: 'fatturapa',
    isCredit: creditTypes.has(textAt(head, 'TipoDocumento')),
    number: textAt(head, 'Numero'),
    issued: textAt(head, 'Data'),
    due: textAt(body, 'DatiPagamento', 'DettaglioPagamento', 'DataScadenzaPagamento'),
    currency: textAt(head, 'Divisa'),
    refersTo: textAt(general, 'DatiFattureCollegate', 'IdDocumento'),
    service: undefined,
    names: [
      ...name('po', textAt(general, 'DatiOrdineAcquisto', 'IdDocumento')),
      ...name('order', textAt(general, 'DatiContratto', 'IdDocumento')),
      ...name('campaign', textAt(general, 'DatiOrdineAcquisto', 'CodiceCommessaConvenzione')),
    ],
    lines: nodesAt(body, 'DatiBeniServizi', 'DettaglioLinee').map((line) => ({
      amount: textAt(line, 'PrezzoTotale'),
      units: textAt(line, 'Quantita').replace(/\.0+$/, ''),
      text: textAt(line, 'Descrizione'),
      names: name('package', textAt(line, 'CodiceArticolo', 'CodiceValore')),
      service: daysOf(textAt(line, 'DataInizioPeriodo'), textAt(line, 'DataFinePeriodo')),
    })),
    charges: [
      ...nodesAt(head, 'DatiCassaPrevidenziale').map((fund) => ({
        amount: textAt(fund, 'ImportoContributoCassa'),
        isCharge: true,
        text: 'Contributo cassa previdenziale',
      })),
      ...nodesAt(sums[0], 'Arrotondamento').map(({ text }) => ({
        amount: text.trim(),
        isCharge: true,
        text: 'Arrotondamento',
      })),
    ],
    taxes: sums.map((sum) => textAt(sum, 'Imposta')),
    net: '',
    gross: textAt(head, 'ImportoTotaleDocumento'),
    prepaid: '',
    rounding: '',
    payable: '',
  };
}
