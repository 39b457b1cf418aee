import { describe, expect, it } from '@jest/globals';
import {
  ciiText,
  readDocuments,
  totalsOf,
  ublText,
  type ClientDocument,
  type ClientLine,
} from '@switchyard/ledger';
import { xmlTree } from '@switchyard/tables';
import { inTurns } from '@switchyard/values';
import { faultsOfCii, faultsOfUbl } from './testkit/en-16931-rules.js';

const party = (name: string, taxId?: string): ClientDocument['entity'] => ({
  name,
  address: { street: 'Hafenstr. 1 & 2', postCode: '20457', city: 'Hamburg', country: 'DE' },
  ...(taxId !== undefined && { taxId }),
});

const line = (net: number, more: Partial<ClientLine> = {}): ClientLine => ({
  ...{ type: 'media', key: `media ${String(net)}`, description: 'Media, Autumn <1>' },
  netMicros: BigInt(net * 100) * 10_000n,
  ...{ taxHundredths: 1900, taxCategory: 'S' },
  ...more,
});

function documentOf(lines: readonly ClientLine[], more: Partial<ClientDocument> = {}): ClientDocument {
  const currency = more.currency ?? 'EUR';
  return {
    ...{ kind: 'invoice', number: 'NS-00001', currency, issuedOn: '2026-10-02', dueOn: '2026-11-01' },
    ...{ serviceFrom: '2026-09-01', serviceTo: '2026-09-30', lines, ...totalsOf(currency, lines) },
    entity: {
      ...party('Nord & Süd GmbH', 'DE123456789'),
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
    },
    client: { ...party('Nova AG', 'FR12345678901'), reference: 'ORDER 7' },
    ...more,
  };
}

const faults = async (document: ClientDocument): Promise<readonly string[]> =>
  faultsOfUbl(await xmlTree(Buffer.from(ublText(document), 'utf8')));

const credit = {
  kind: 'credit_note',
  number: 'NS-00002',
  refersTo: 'NS-00001',
  reason: 'A day fell out',
} as const;

const documents: readonly (readonly [string, ClientDocument])[] = [
  ['an invoice at two rates', documentOf([line(300), line(24.37), line(99.99, { taxHundredths: 700 })])],
  ['an invoice with a line below zero', documentOf([line(300), line(-12.5)])],
  ['a credit note', documentOf([line(-62)], credit)],
  ['a reverse charge', documentOf([line(300, { taxHundredths: 0, taxCategory: 'AE' })])],
  ['an exempt document', documentOf([line(300, { taxHundredths: 0, taxCategory: 'E' })])],
  ['a zero rate', documentOf([line(300, { taxHundredths: 0, taxCategory: 'Z' })])],
  ['what is outside of the scope', documentOf([line(300, { taxHundredths: 0, taxCategory: 'O' })])],
  ['a currency without decimals', documentOf([line(3100)], { currency: 'JPY' })],
];

describe('an e-invoice that we write', () => {
  it.each(documents)('keeps the order of UBL 2.1 and the rules of EN 16931: %s', async (_, document) => {
    expect(await faults(document)).toEqual([]);
  });

  it.each(documents)('keeps the order of CII and is read as the same as its UBL: %s', async (_, document) => {
    const read = async (text: string) => {
      const root = await xmlTree(Buffer.from(text, 'utf8'));
      const wanted = {
        wants: 'documents',
        fileName: 'a.xml',
        today: '2026-12-05',
        answers: new Map(),
      } as const;
      const {
        documents: found,
        questions,
        faults: refused,
      } = await inTurns(readDocuments({ kind: 'xml', root }, wanted));
      return { root, found, questions, refused };
    };
    const [cii, ubl] = [await read(ciiText(document)), await read(ublText(document))];
    expect(faultsOfCii(cii.root)).toEqual([]);
    expect(cii.found).toHaveLength(1);
    const { root: _root, ...said } = cii;
    const { root: _other, ...same } = ubl;
    expect(said).toEqual(same);
  });

  it('is refused by the same rules where a sum, an element or an order is wrong', async () => {
    const text = ublText(documentOf([line(300)]));
    const broken = async (from: string | RegExp, to: string) => {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      return faultsOfUbl(await xmlTree(Buffer.from(changed, 'utf8')));
    };
    expect(await broken(/(<cbc:PayableAmount[^>]*>)357\.00/, '$1358.00')).toEqual(['BR-CO-16']);
    expect(await broken(/(<cac:TaxTotal><cbc:TaxAmount[^>]*>)57\.00/, '$158.00')).toContain('BR-CO-14');
    expect(await broken(/<cbc:DueDate>.*?<\/cbc:DueDate>/, '')).toEqual(['BR-CO-25']);
    expect(await broken(/<cbc:IssueDate>.*?<\/cbc:IssueDate>/, '')).toContain(
      'Invoice/IssueDate is missing here.',
    );
    expect(
      await broken(/(<cbc:ID>NS-00001<\/cbc:ID>)(<cbc:IssueDate>.*?<\/cbc:IssueDate>)/, '$2$1'),
    ).toContain('Invoice/ID is missing here.');
  });
});
