import { describe, expect, it } from '@jest/globals';
import { readBankAccount } from './bank-account.js';
import { pain001, paymentCsv, remittanceOf, sepaText, type PaymentFile } from './payment-file.js';

const account = (iban: string, name = 'A', bic?: string) => ({
  ...{ name, iban },
  ...(bic !== undefined && { bic }),
});

const file: PaymentFile = {
  messageId: 'P-7-0123456789abcdef0123',
  madeAt: '2026-11-29T12:00:00Z',
  payOn: '2026-12-01',
  initiator: 'agency.example',
  debtors: new Map([
    ['EUR', account('DE89370400440532013000', 'Agentur')],
    ['JPY', account('GB82WEST12345698765432', 'Agentur')],
  ]),
  transfers: [
    {
      ...{ id: 'a'.repeat(32), seller: 'harbor', currency: 'EUR', amountMicros: 1_234_500_000n },
      ...{
        creditor: account('FR1420041010050500013M02606', 'Fils & <Cie>', 'PSSTFRPPPAR'),
        invoices: ['N/1', 'N 2'],
      },
    },
    {
      ...{ id: 'b'.repeat(32), seller: 'seed', currency: 'JPY', amountMicros: 50_000_000_000n },
      ...{ creditor: account('GB82WEST12345698765432', '株式会社'), invoices: ['J-1'] },
    },
  ],
};

const textsOf = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);

describe('a payment file', () => {
  const xml = pain001(file);

  it('has counts and control sums that agree with its transfers, in a part for each currency', () => {
    expect(textsOf(xml, 'NbOfTxs')).toEqual(['2', '1', '1']);
    expect(textsOf(xml, 'CtrlSum')).toEqual(['51234.50', '1234.50', '50000.00']);
    expect(textsOf(xml, 'InstdAmt')).toEqual(['1234.50', '50000']);
    expect(textsOf(xml, 'PmtInfId')).toEqual([`${file.messageId}-1`, `${file.messageId}-2`]);
    for (const id of [...textsOf(xml, 'PmtInfId'), ...textsOf(xml, 'MsgId'), ...textsOf(xml, 'EndToEndId')])
      expect(id.length).toBeLessThanOrEqual(35);
  });

  it('marks as SEPA what is euro between accounts of SEPA alone, and escapes nothing into markup', () => {
    expect(textsOf(xml, 'ChrgBr')).toEqual(['SLEV', 'SHAR']);
    expect(textsOf(xml, 'Cd')).toEqual(['SEPA']);
    expect(textsOf(xml, 'Nm')).toEqual(['agency.example', 'Agentur', 'Fils + .Cie.', 'Agentur', '....']);
    expect(textsOf(xml, 'Ustrd')).toEqual(['N/1 N 2', 'J-1']);
    expect(xml).not.toContain('PstlAdr');
  });

  it('writes its elements in the order of the standard', () => {
    const order =
      'PmtInfId PmtMtd BtchBookg NbOfTxs CtrlSum PmtTpInf ReqdExctnDt Dbtr DbtrAcct DbtrAgt ChrgBr CdtTrfTxInf';
    const part = xml.slice(xml.indexOf('<PmtInf>'), xml.indexOf('</PmtInf>'));
    const places = order.split(' ').map((name) => part.indexOf(`<${name}>`));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  it('as a table has one row for each transfer', () => {
    expect(paymentCsv(file).split('\r\n')[1]).toBe(
      `${'a'.repeat(32)},2026-12-01,EUR,1234.50,DE89370400440532013000,Fils + .Cie.,FR1420041010050500013M02606,PSSTFRPPPAR,N/1 N 2`,
    );
  });
});

describe('a text of SEPA', () => {
  it('has letters by transliteration, and no character that a bank refuses', () => {
    expect(sepaText('Müller & Söhne, Straße 1', 70)).toBe('Mueller + Soehne, Strasse 1');
    expect(sepaText('Łódź_São//Ñandú', 70)).toBe('Lodz-Sao/Nandu');
    expect(sepaText('//a', 70)).toBe('a');
    expect(sepaText('', 70)).toBe('.');
    expect(sepaText('x'.repeat(200), 70)).toHaveLength(70);
  });

  it('of remittance names as many invoices as fit in 140 characters, and counts the others', () => {
    const many = Array.from({ length: 40 }, (_, at) => `INV-2611-${at}`);
    const text = remittanceOf(many);
    expect(text.length).toBeLessThanOrEqual(140);
    expect(text).toMatch(/^INV-2611-0 .* and \d+ more$/);
    expect(remittanceOf(['A', 'B'])).toBe('A B');
  });
});

it('an IBAN is read with blanks, and refused with a wrong length, check digit or shape', () => {
  expect(readBankAccount({ name: 'A', iban: 'gb82 west 1234 5698 7654 32' })).toMatchObject({
    value: { iban: 'GB82WEST12345698765432' },
  });
  for (const iban of ['GB82WEST1234569876543', 'GB83WEST12345698765432', 'x', 'DE89 3704'])
    expect(readBankAccount({ name: 'A', iban })).toMatchObject({ error: { field: 'iban' } });
  expect(readBankAccount({ name: 'A', iban: 'GB82WEST12345698765432', bic: 'ABC' })).toMatchObject({
    error: { field: 'bic' },
  });
});
