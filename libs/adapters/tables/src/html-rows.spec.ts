import { describe, expect, it } from '@jest/globals';
import { atOnce } from '@switchyard/values';
import { htmlRows, isHtml } from './html-rows.js';
import { usualLimits } from './table-row.js';
import { isXmlWorkbook, xmlSheets } from './xml-workbook.js';
import { xmlTree } from './xml-tree.js';

const rowsOf = (html: string) => atOnce(htmlRows(html, usualLimits));

describe('a page that is saved as a workbook', () => {
  it('gives the rows of its largest table, with tags that nobody closed, entities and spans', () => {
    const html = `<html><head><STYLE>td { a: "<table>" }</STYLE></head><body>
      <table><tr><td>Menu</td></tr></table><!-- <table><tr><td>9</td></tr></table> -->
      <TABLE border=1><tr><th>Invoice<th>Net&nbsp;amount<tr><td>H&amp;M-1</td><td align=right> 1.000,50&#8364;
      <tr><td colspan="2">Total</td><td>1<br>2</td></table></body></html>`;
    expect(isHtml(Buffer.from(html))).toBe(true);
    expect(rowsOf(html)).toEqual([
      ['Invoice', 'Net amount'],
      ['H&M-1', '1.000,50€'],
      ['Total', '', '1 2'],
    ]);
  });

  it('is refused without a table, and beyond the limits', () => {
    expect(() => rowsOf('<html>no</html>')).toThrow(/without a table/);
    expect(() => rowsOf('<table>'.repeat(40))).toThrow(/too deep/);
    expect(() => rowsOf(`<table><tr>${'<td>1'.repeat(usualLimits.columns + 1)}`)).toThrow(/columns/);
    // A span of some bytes is not as many cells as a small page has room for.
    expect(() => rowsOf(`<table>${'<tr><td colspan=200>1'.repeat(20_000)}`)).toThrow(
      /more than 2000000 cells/,
    );
    expect(isHtml(Buffer.from('<?xml version="1.0"?><Invoice/>'))).toBe(false);
  });
});

it('a workbook in one XML file gives the cells of its sheets with their kinds and places', async () => {
  const cell = (type: string, text: string, more = ''): string =>
    `<Cell${more}><Data ss:Type="${type}">${text}</Data></Cell>`;
  const root = await xmlTree(
    Buffer.from(`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Notes"><Table><Row>${cell('String', 'x')}</Row></Table></Worksheet>
<Worksheet ss:Name="Lines"><Table><Row>${cell('String', 'Invoice')}${cell('String', 'Amount', ' ss:Index="3"')}</Row>
<Row ss:Index="4">${cell('DateTime', '2026-11-30T00:00:00.000')}${cell('Number', '12.300000000000001', ' ss:Formula="=1"')}${cell('Error', '#REF!')}</Row></Table></Worksheet></Workbook>`),
  );
  expect(isXmlWorkbook(root)).toBe(true);
  expect(xmlSheets(root, usualLimits)).toEqual([
    {
      sheet: 'Lines',
      rows: [
        ['Invoice', '', 'Amount'],
        [],
        [
          { kind: 'date', text: '2026-11-30' },
          { kind: 'number', text: '12.3', isFormula: true },
          { kind: 'fault', text: 'The cell has the error #REF!.' },
        ],
      ],
    },
    { sheet: 'Notes', rows: [['x']] },
  ]);
});
