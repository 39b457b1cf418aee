import { describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { readCamt053, readMt940 } from './bank-statement.js';
import type { XmlNode } from './xml-node.js';

const node = (
  name: string,
  inside: string | readonly XmlNode[],
  attributes: Record<string, string> = {},
): XmlNode => ({
  ...{ name, attributes },
  text: typeof inside === 'string' ? inside : '',
  children: typeof inside === 'string' ? [] : inside,
});

const amount = (text: string) => node('Amt', text, { Ccy: 'EUR' });
const balance = (code: string, text: string) =>
  node('Bal', [node('Tp', [node('CdOrPrtry', [node('Cd', code)])]), amount(text), node('CdtDbtInd', 'CRDT')]);
const details = (text: string, id: string) =>
  node('TxDtls', [node('Refs', [node('EndToEndId', id)]), node('AmtDtls', [node('TxAmt', [amount(text)])])]);

/** A statement of version 2: its state is a text of its own. */
const camt = (closing: string, parts: readonly XmlNode[]) =>
  node('Document', [
    node('BkToCstmrStmt', [
      node('Stmt', [
        node('Id', 'S1'),
        node('Acct', [node('Id', [node('IBAN', 'DE89370400440532013000')])]),
        balance('OPBD', '100.00'),
        balance('CLBD', closing),
        node('Ntry', [
          amount('30.00'),
          node('CdtDbtInd', 'DBIT'),
          node('Sts', 'BOOK'),
          node('BookgDt', [node('Dt', '2026-11-27')]),
          node('AcctSvcrRef', 'R9'),
          node('NtryDtls', parts),
        ]),
      ]),
    ]),
  ]);

describe('a bank statement as camt.053', () => {
  it('has each transaction of a batch for itself, with a key of its own', () => {
    const read = must(readCamt053(camt('70.00', [details('10.00', 'one'), details('20.00', 'two')])));
    expect(read.entries.map(({ amountMicros, endToEndId }) => [amountMicros, endToEndId])).toEqual([
      [-10_000_000n, 'one'],
      [-20_000_000n, 'two'],
    ]);
    expect(new Set(read.entries.map(({ key }) => key)).size).toBe(2);
  });

  it('keeps a batch whole whose parts do not add up, and is refused if its balances do not', () => {
    const read = must(readCamt053(camt('70.00', [details('10.00', 'one'), details('19.00', 'two')])));
    expect(read.entries.map(({ amountMicros }) => amountMicros)).toEqual([-30_000_000n]);
    expect(readCamt053(camt('71.00', [details('30.00', 'one')]))).toMatchObject({ ok: false });
    expect(readCamt053(node('Invoice', []))).toMatchObject({ ok: false });
  });
});

it('a transaction of camt.053 before charges has the amount of its entry, and keeps its id and what it is for', () => {
  const about = node('RmtInf', [
    node('Strd', [node('RfrdDocInf', [node('Nb', 'INV-7')]), node('CdtrRefInf', [node('Ref', 'RF18 5390')])]),
  ]);
  const one = details('25.00', 'one');
  const alone = camt('70.00', [{ ...one, children: [...one.children, about] }]);
  expect(must(readCamt053(alone)).entries).toMatchObject([
    { amountMicros: -30_000_000n, endToEndId: 'one', text: 'INV-7 RF18 5390' },
  ]);
  const back = {
    ...details('10.00', 'two'),
    children: [...details('10.00', 'two').children, node('CdtDbtInd', 'CRDT')],
  };
  const mixed = must(readCamt053(camt('70.00', [details('40.00', 'one'), back])));
  expect(mixed.entries.map(({ amountMicros }) => amountMicros)).toEqual([-40_000_000n, 10_000_000n]);
});

it('entries of camt.053 have keys of their own where they share a reference, and where a later year counts anew', () => {
  const entry = (day: string, reference?: string) =>
    node('Ntry', [
      ...[amount('1.00'), node('CdtDbtInd', 'DBIT'), node('Sts', 'BOOK')],
      node('BookgDt', [node('Dt', day)]),
      ...(reference === undefined ? [] : [node('AcctSvcrRef', reference)]),
    ]);
  const keys = (...entries: readonly XmlNode[]) =>
    must(
      readCamt053(node('Document', [node('BkToCstmrStmt', [node('Stmt', [node('Id', '1'), ...entries])])])),
    ).entries.map(({ key }) => key);
  const [first, second] = keys(entry('2026-11-27', 'R9'), entry('2026-11-27', 'R9'));
  expect([first, second]).toEqual(['|1|R9', '|1|R9#2']);
  expect(keys(entry('2026-11-27'))).not.toEqual(keys(entry('2027-11-27')));
});

const mt940 = (lines: readonly string[], closing: string): string =>
  [
    '{1:F01BANKDEFFXXXX}{2:O940}{4:',
    ':20:X',
    ':25:10020030/1234567',
    ':28C:1/1',
    ':60F:C261230EUR1000,',
    ...lines,
    `:62F:C260102EUR${closing}`,
    '-}',
  ].join('\n');

it('a transfer of camt.053 that came back is a return by the code of its transaction', () => {
  const code = node('BkTxCd', [node('Domn', [node('Fmly', [node('SubFmlyCd', 'RRTN')])])]);
  const root = camt('130.00', []);
  const entry = root.children[0]?.children[0]?.children.at(-1)?.children ?? [];
  const back = [amount('30.00'), node('CdtDbtInd', 'CRDT'), ...entry.slice(2, -1), code];
  (root.children[0]?.children[0]?.children as XmlNode[]).splice(-1, 1, node('Ntry', back));
  expect(must(readCamt053(root)).entries).toMatchObject([{ isReturn: true, amountMicros: 30_000_000n }]);
});

describe('a bank statement as MT940', () => {
  it('is told from the report of a day that is not over', () => {
    expect(readMt940(':20:VM\n:25:A\n:34F:EURD0,00\n:61:2611301130D10,00NTRFNONREF\n')).toMatchObject({
      ok: false,
      error: expect.stringContaining('MT942'),
    });
  });

  it('has signs, decimal commas, the year of the booking, and the text over several lines', () => {
    const lines = [
      ':61:2612310102D12,5NTRFREF1//B1',
      ':86:166?00LASTSCHRIFT?20EREF+abc123?21SVWZ+INV',
      '-99?22 more',
      ':61:2701020102RD2,50NTRFREF2//B2',
      ':86:free text /EREF/xyz-9/',
    ];
    const read = must(readMt940(mt940(lines, '990,00')));
    expect(read.entries).toMatchObject([
      {
        amountMicros: -12_500_000n,
        bookedOn: '2027-01-02',
        endToEndId: 'abc123',
        isReturn: false,
        currency: 'EUR',
      },
      { amountMicros: 2_500_000n, bookedOn: '2027-01-02', endToEndId: 'xyz-9', isReturn: true },
    ]);
    expect(read.entries[0]?.text).toContain('INV-99 more');
  });

  it('keeps references with a slash and a second line, and no text behind the closing balance', () => {
    const lines = [':61:2612310102D10,NTRFINV/26/7//B1', 'more of it', ':86:/EREF/abc/'];
    const text = mt940(lines, '990,').replace(':28C:1/1', ':28:7').replace('-}', ':86:/EREF/other/\n-}');
    expect(must(readMt940(text)).entries).toMatchObject([
      { text: 'INV/26/7 more of it /EREF/abc/', endToEndId: 'abc', key: expect.stringContaining('|7|B1|') },
    ]);
  });

  it('is refused where it was cut off before its closing balance', () => {
    const text = mt940([':61:2612310102D10,NTRFREF1'], '990,').split('\n:62F')[0] ?? '';
    expect(readMt940(text)).toMatchObject({ ok: false, error: expect.stringMatching(/cut off/) });
  });

  it('gives a transaction another key where a later year has a statement of the same number', () => {
    const keys = [':61:2612310102D1,NTRFNONREF', ':61:2712310102D1,NTRFNONREF'].map(
      (line) => must(readMt940(mt940([line], '999,'))).entries[0]?.key,
    );
    expect(new Set(keys).size).toBe(2);
  });

  it('is refused if a line cannot be read or its balances do not agree', () => {
    expect(readMt940(mt940([':61:2612310102X12,5NTRF'], '1000,'))).toMatchObject({ ok: false });
    expect(readMt940(mt940([':61:2612310102D12,5NTRFREF1'], '1000,'))).toMatchObject({ ok: false });
    expect(readMt940('a;b\n1;2')).toMatchObject({ ok: false });
  });
});
