import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { packRow, unpackRow } from './packed-row.js';
import { workbookBytes } from './table-document.js';
import { usualLimits } from './table-row.js';
import { workbookParts, zip } from './testkit/workbook.js';
import { fillMerged, workbookGrid } from './workbook-grid.js';
import { xmlTree, xmlLimits } from './xml-tree.js';

const fileOf = (name: string): Buffer =>
  readFileSync(new URL(`../../../domain/ledger/src/reading/testkit/files/${name}`, import.meta.url));

async function rowsOf(bytes: Buffer) {
  const rows: unknown[] = [];
  for await (const part of workbookGrid(bytes, usualLimits)) rows.push(...part.rows.map(unpackRow));
  return rows;
}

const number = (text: string, more: object = {}) => ({ kind: 'number', text, ...more });
const head = ['Invoice', 'Issued', 'Currency', 'Line', 'Amount'];
const day = { kind: 'date', text: '2026-11-20' };

describe('a workbook', () => {
  it('gives days by their style, numbers as a spreadsheet shows them, and formulas by their stored value', async () => {
    expect(await rowsOf(fileOf('36a-plain.xlsx'))).toEqual([
      head,
      ['VX-36', day, 'USD', 'Display', number('1234.5')],
    ]);
    expect(await rowsOf(fileOf('36d-qty-times-rate.xlsx'))).toEqual([
      head,
      ['VX-36', day, 'USD', 'Display', number('1020', { isFormula: true })],
    ]);
    expect(await rowsOf(fileOf('36e-exponent.xlsx'))).toEqual([
      head,
      ['VX-36', day, 'USD', 'Display', number('1234.5')],
    ]);
  });

  it('of our own writer is read as it was written', async () => {
    const section = {
      name: 's',
      columns: ['a', 'b'],
      rows: [
        ['x', '0.1'],
        ['', '12345678901234567890'],
      ],
    };
    const bytes = await workbookBytes({
      title: 't',
      madeAt: '2026-10-05T00:00:00.000Z',
      sections: [section],
    });
    expect(await rowsOf(Buffer.from(bytes))).toEqual([
      ['a', 'b'],
      ['x', number('0.1')],
      ['', '12345678901234567890'],
    ]);
  });

  it('has the text of merged cells in each of their rows, and a merged number once', () => {
    const rows = [
      ['INV-1', number('300')],
      ['', ''],
      ['', number('5')],
    ].map((cells) => packRow(cells as Parameters<typeof packRow>[0]));
    const place = { at: (at: number) => rows[at], set: (at: number, row: string) => void (rows[at] = row) };
    fillMerged(place, [
      { from: 0, to: 2, column: 0 },
      { from: 0, to: 2, column: 1 },
    ]);
    expect(rows.map(unpackRow)).toEqual([
      ['INV-1', number('300')],
      ['', ''],
      ['INV-1', number('5')],
    ]);
  });

  it('gives shares and ids as their formats show them', async () => {
    const styles =
      '<styleSheet><numFmts><numFmt numFmtId="170" formatCode="000000"/><numFmt numFmtId="171" formatCode="0.0%"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="170"/><xf numFmtId="171"/></cellXfs></styleSheet>';
    const cells = [
      '<c s="1"><v>0.19</v></c>',
      '<c s="2"><v>77</v></c>',
      '<c s="3"><v>-0.025</v></c>',
      '<c s="2"><v>1.5</v></c>',
    ];
    const parts = workbookParts([{ name: 'October', rows: `<row>${cells.join('')}</row>` }]);
    expect(await rowsOf(zip({ ...parts, 'xl/styles.xml': styles }))).toEqual([
      ['19%', '000077', '-2.5%', number('1.5')],
    ]);
  });

  it('has the characters that XML cannot hold, without their escapes', async () => {
    const row =
      '<row><c t="inlineStr"><is><t>X-3_x000D_</t></is></c><c t="str"><v>a_x005F_x000D_b</v></c></row>';
    expect(await rowsOf(zip(workbookParts([{ name: 'October', rows: row }])))).toEqual([
      ['X-3', 'a_x000D_b'],
    ]);
  });

  it('gives the sheet that is named, else the best one that is shown, with the rows that it hides and the other sheets', async () => {
    const row = (text: string, more = '') =>
      `<row${more}><c t="inlineStr"><is><t>${text}</t></is></c><c><v>1</v></c></row>`;
    const bytes = zip(
      workbookParts([
        { name: 'Raw', rows: row('raw').repeat(9), state: 'hidden' },
        { name: 'October', rows: row('a') },
        { name: 'November', rows: `${row('b')}${row('c', ' hidden="1"')}${row('d')}` },
        { name: 'Notes', rows: '' },
      ]),
    );
    const readBy = async (wanted?: string) => {
      let last: unknown;
      for await (const part of workbookGrid(bytes, usualLimits, wanted)) last = part;
      return last;
    };
    expect(await readBy()).toMatchObject({
      sheet: 'November',
      hidden: [1],
      others: [{ sheet: 'October', rows: [packRow(['a', { kind: 'number', text: '1' }])] }],
    });
    expect(await readBy('October')).toMatchObject({
      sheet: 'October',
      hidden: [],
      others: [{ sheet: 'November' }],
    });
  });

  it('gives what a format shows beside a number, and no space that is only as wide', async () => {
    const formats = [
      '#,##0.00\\ "€"',
      '_-* #,##0.00\\ [$USD]_-',
      '_-* #,##0.00\\ _€_-',
      '[$-409]mmm\\-yy',
      '£0.00;-£0.00',
    ];
    const parts = {
      ...workbookParts([
        { name: 'A', rows: `<row>${formats.map((_, at) => `<c s="${at}"><v>9</v></c>`).join('')}</row>` },
      ]),
      'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs>${formats.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`,
    };
    expect(await rowsOf(zip(parts))).toEqual([
      [
        number('9', { sign: '€' }),
        number('9', { sign: 'USD' }),
        number('9'),
        { kind: 'date', text: '1900-01-09' },
        number('9', { sign: '£' }),
      ],
    ]);
  });

  it('that is no workbook is refused', async () => {
    await expect(rowsOf(Buffer.from('PK\u0003\u0004 no workbook'))).rejects.toThrow(/damaged/);
  });
});

describe('an XML document', () => {
  it('becomes a tree of local names', async () => {
    const root = await xmlTree(Buffer.from('<x:a xmlns:x="u" n="1"><b>t<![CDATA[<]]></b></x:a>'));
    expect(root).toEqual({
      name: 'a',
      attributes: expect.objectContaining({ n: '1' }),
      text: '',
      children: [{ name: 'b', attributes: {}, text: 't<', children: [] }],
    });
  });

  it.each([
    ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'],
    ['depth', '<a>'.repeat(xmlLimits.depth + 1)],
    [
      'attributes',
      `<a ${Array.from({ length: xmlLimits.attributes + 1 }, (_, at) => `a${String(at)}="1"`).join(' ')}/>`,
    ],
    ['elements that are not closed', '<a><b></a>'],
    ['another encoding', '<?xml version="1.0" encoding="utf-7"?><a/>'],
  ])('with %s is refused', async (_, text) => {
    await expect(xmlTree(Buffer.from(text))).rejects.toThrow(expect.objectContaining({ name: 'TableFault' }));
  });
});
