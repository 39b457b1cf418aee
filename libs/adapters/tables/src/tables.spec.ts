import { describe, expect, it } from '@jest/globals';
import { writeXlsx } from 'hucre/xlsx';
import { csvRows } from './csv-rows.js';
import { pdfBytes } from './pdf-bytes.js';
import { csvBytes, workbookBytes } from './table-document.js';
import { TableFault, usualLimits, type TableRow } from './table-row.js';
import { atMost } from './table-thread.js';
import { workbookRows } from './workbook-rows.js';
import { workbookParts, zip } from './testkit/workbook.js';
import { guardWorkbook } from './zip-guard.js';

async function all(batches: AsyncIterable<readonly TableRow[]>): Promise<readonly TableRow[]> {
  const rows: TableRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

async function* text(...chunks: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(Buffer.from(chunk));
}

const csv = (...chunks: readonly string[]) => all(csvRows(text(...chunks), usualLimits));

async function faultOf(read: Promise<unknown>): Promise<readonly [string, number | undefined]> {
  const error: unknown = await read.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof TableFault) return [error.message, error.row];
  throw new Error('It was read.', { cause: error });
}

const sheetParts = (rows: string) => workbookParts([{ name: 'A', rows }]);

const header =
  '<row r="1"><c r="A1" t="inlineStr"><is><t>Buy</t></is></c><c r="B1" t="inlineStr"><is><t>Net</t></is></c></row>';
const book = (rows: string) => zip(sheetParts(header + rows));
const read = (bytes: Buffer, limits = usualLimits) => all(workbookRows(bytes, limits));
const net = (cell: string) => `<row r="2"><c r="A2" t="inlineStr"><is><t>a1</t></is></c>${cell}</row>`;

describe('a CSV file', () => {
  it('is read with any of three separators, with quotes and a byte order mark, split into chunks anywhere', async () => {
    const expected = [{ row: 1, cells: { Buy: 'a;1', Net: '12.50' } }];
    expect(await csv('\uFEFFBuy;Net\r\n"a;', '1"; 12.50\r\n')).toEqual(expected);
    expect(await csv('Buy\tNet\n"a;1"\t12.50')).toEqual(expected);
  });

  it('may have the other separators in its cells', async () => {
    const [german] = await csv('Buy;Net;Re', 'mark\n\na1;1.234,50;x\ty\n');
    expect(german?.cells).toEqual({ Buy: 'a1', Net: '1.234,50', Remark: 'x\ty' });
    const [english] = await csv('Buy,Net\na1;b,12.50');
    expect(english?.cells).toEqual({ Buy: 'a1;b', Net: '12.50' });
  });

  it.each([
    ['names a column twice', 'a,b,a\n1,2,3\n', /names the column a twice/, undefined],
    ['is cut in the middle of a row', 'a,b\n1,2\n3', /another number of cells/, 2],
    ['is cut inside of a quoted cell', 'a,b\n1,2\n3,"x', /cut off/, 2],
    ['has a quotation mark inside of a cell', 'a,b\n1,2\n3,x"y\n', /quotation mark/, 2],
    ['holds U+0000', 'a,b\n1,\u0000\n', /U\+0000/, 1],
    ['has a row that is too long', `a,b\n1,${'x'.repeat(200_000)}\n`, /too long/, 1],
    ['has too many columns', `${'x,'.repeat(300)}y\n`, /more than 200 columns/, undefined],
  ])('that %s is refused with its row and the reason', async (_, file, reason, row) => {
    expect(await faultOf(csv(file))).toEqual([expect.stringMatching(reason), row]);
  });

  it.each([
    ['a header', '', /more than 200 columns/, undefined],
    ['a row', 'a,b\n1,2\n', /another number of cells/, 2],
    ['a row after quoted line breaks', 'a,b\n"1\n,",2\n\n', /another number of cells/, 2],
  ])(
    'with %s of only separators is refused at once, and the rest is not read',
    async (_, start, reason, row) => {
      let requested = 0;
      async function* file(): AsyncGenerator<Buffer> {
        yield await Promise.resolve(Buffer.from(start));
        for (; requested < 50; requested += 1) yield Buffer.alloc(100_000, ',');
      }
      expect(await faultOf(all(csvRows(file(), usualLimits)))).toEqual([expect.stringMatching(reason), row]);
      expect(requested).toBeLessThan(3);
    },
  );

  it('is read in chunks, at any size: its rows are consumed before the next chunk is requested', async () => {
    const line = `a1,${'x'.repeat(2_000)},1.5\n`;
    const chunk = line.repeat(500);
    const chunks = Math.ceil(12_000_000 / chunk.length);
    let requested = 0;
    let taken = 0;
    let ahead = 0;
    async function* file(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from('Buy,Text,Net\n'));
      for (; requested < chunks; requested += 1) {
        ahead = Math.max(ahead, requested * 500 - taken);
        yield Buffer.from(chunk);
      }
    }
    for await (const rows of csvRows(file(), usualLimits)) taken += rows.length;
    expect(taken).toBe(chunks * 500);
    // A batch, and what lies in the streams between: never the file.
    expect(ahead).toBeLessThan(2_500);
  });
});

describe('a workbook', () => {
  it('is read with texts, days and numbers as the text in the cell', async () => {
    const bytes = await writeXlsx({
      sheets: [
        {
          name: 'A',
          rows: [
            ['Buy', 'Net', 'Day', null],
            ['a1', 12.5, new Date(Date.UTC(2026, 8, 1)), 'without a column'],
            [null, null, null, null],
            ['a2', -3, '2026-09-02', null],
          ],
        },
      ],
    });
    expect(await read(Buffer.from(bytes))).toEqual([
      { row: 1, cells: { Buy: 'a1', Net: '12.5', Day: '2026-09-01' } },
      { row: 3, cells: { Buy: 'a2', Net: '-3', Day: '2026-09-02' } },
    ]);
  });

  it.each([
    ['a formula', '<c r="B2"><f>1+1</f><v>2</v></c>', /formula/],
    ['1e400', '<c r="B2"><v>1e400</v></c>', /no plain decimal/],
    ['more than 15 digits', '<c r="B2"><v>12345678901234.567891</v></c>', /more than 15 digits/],
  ])('reports %s in a cell, and gives no text for it', async (_, cell, reason) => {
    expect(await read(book(net(cell)))).toEqual([
      { row: 1, cells: { Buy: 'a1', Net: '' }, faults: { Net: expect.stringMatching(reason) } },
    ]);
  });

  it.each([
    ['has macros', zip({ ...sheetParts(header), 'xl/vbaProject.bin': 'x' }), /Macros/],
    ['is a zip bomb', book(net(`<c r="B2"><v>${'1'.repeat(40_000_000)}</v></c>`)), /unpacks to far more/],
    ['lies about its length', zip(sheetParts(header), 5), /damaged or cut off/],
    ['is cut off', book(net('<c r="B2"><v>1</v></c>')).subarray(0, 900), /damaged or cut off/],
    ['is an old Office file', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /old or encrypted/],
    ['is no workbook', zip({ 'a.txt': 'x' }), /no workbook/],
    ['names a column twice', zip(sheetParts(header.replace('Net', 'Buy'))), /twice/],
    ['has a column far to the right', book(net('<c r="XFD2"><v>1</v></c>')), /more than 200 columns/],
    [
      'has entities',
      zip({ ...sheetParts(header), 'xl/worksheets/sheet1.xml': `<!DOCTYPE a [<!ENTITY b "c">]>${header}` }),
      /document type/,
    ],
    [
      'is written with prefixes',
      book(net('').replaceAll('<c ', '<x:c ').replaceAll('</c>', '</x:c>')),
      /cannot be (checked|read)/,
    ],
  ])('that %s is refused', async (_, bytes, reason) => {
    const [message] = await faultOf(read(bytes));
    expect(message).toMatch(reason);
  });

  it.each([
    ['sheets', 'xl/workbook.xml', '<sheet '.repeat(140_000)],
    ['relations', 'xl/_rels/workbook.xml.rels', '<Relationship '.repeat(70_000)],
    ['cells', 'xl/worksheets/sheet1.xml', `<row r="1">${'<c r="A1">'.repeat(39_000)}</row>`],
  ])('of many %s that do not end is read as fast as others', async (_, name, part) => {
    const startedAt = performance.now();
    await read(zip({ ...sheetParts(header), [name]: part })).catch(() => undefined);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('with a single text of many megabytes is refused before it reaches the reader', async () => {
    const long = Buffer.alloc(3_000_000, 'abcdefghijklmnopqrstuvwxyz0123456789').toString('latin1');
    const mixed = Array.from(long).map((letter, at) =>
      at % 7 === 0 ? String.fromCharCode(97 + ((at * at) % 26)) : letter,
    );
    const bytes = book(net(`<c r="B2" t="inlineStr"><is><t>${mixed.join('')}</t></is></c>`));
    const [message] = await faultOf(read(bytes));
    expect(message).toMatch(/too long|unpacks/);
    await expect(guardWorkbook(Buffer.alloc(40_000_001))).rejects.toThrow('40 MB');
  });
});

it('two files are written at once, and the others wait for them in order, also after a failed one', async () => {
  const inTurn = atMost(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const writes = [0, 1, 2, 3, 4].map((at) =>
    inTurn(async () => {
      begun.push(at);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      if (at === 1) throw new Error('It failed.');
      return at;
    }),
  );
  const ended = await Promise.allSettled(writes);
  expect([begun, most]).toEqual([[0, 1, 2, 3, 4], 2]);
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true]);
});

describe('a document', () => {
  const document = {
    title: 'Statement 2026-09',
    madeAt: '2026-10-05T00:00:00.000Z',
    sections: [
      {
        name: 'lines',
        columns: ['seller', 'spend'],
        rows: [
          ['=HYPERLINK("http://evil.example")', '-5.20'],
          ['@sum', '1234567890123456.1'],
          ['中文', '12.5'],
        ],
      },
    ],
  };

  it('as CSV has no text that a spreadsheet reads as a formula, and amounts stay amounts', () => {
    expect(csvBytes(document).toString('utf8')).toBe(
      `record,seller,spend\nlines,"'=HYPERLINK(""http://evil.example"")",-5.20\nlines,'@sum,1234567890123456.1\nlines,中文,12.5\n`,
    );
  });

  it('as a workbook has exact amounts as numbers, and text as text', async () => {
    const rows = await read(Buffer.from(await workbookBytes(document)));
    expect(rows.map(({ cells }) => cells)).toEqual([
      { seller: '=HYPERLINK("http://evil.example")', spend: '-5.2' },
      { seller: '@sum', spend: '1234567890123456.1' },
      { seller: '中文', spend: '12.5' },
    ]);
  });

  it('as PDF has the same bytes each time', async () => {
    const bytes = await pdfBytes(document);
    expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    expect(await pdfBytes(document)).toEqual(bytes);
  });
});
