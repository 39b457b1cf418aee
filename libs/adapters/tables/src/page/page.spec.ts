import { describe, expect, it } from '@jest/globals';
import { pageHtml } from './page-html.js';
import { pagePdf } from './page-pdf.js';
import { pageTables } from './page-tables.js';
import type { PageDocument } from './page-document.js';

const document = (rows: number): PageDocument => ({
  language: 'en',
  from: 'Nord & Süd <GmbH>',
  title: 'Invoice NS-00001',
  madeAt: '2026-11-30T12:00:00.000Z',
  parties: [{ name: 'To', lines: ['Łódź Ελλάδα Москва', '中文'] }],
  facts: [['Currency', 'EUR']],
  figures: [{ name: 'Delivered', value: '2,480.00 EUR' }],
  bars: { name: 'By day', unit: 'EUR', bars: [{ label: '2026-11-01', value: 2480, text: '2,480.00' }] },
  tables: [
    {
      name: 'Lines',
      columns: [
        { name: 'Description', share: 4 },
        { name: 'Amount', share: 1, isFigure: true },
      ],
      rows: Array.from({ length: rows }, (_, at) => [
        `Media ${String(at)} ${'long words '.repeat(8)}`,
        '1,234.50',
      ]),
      sums: [['Total', '2,480.00']],
    },
  ],
  notes: ['A note.'],
  proof: ['SHA-256 of it'],
});

const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;

describe('a document for people', () => {
  it('is the same PDF each time, with its own fonts, tagged, and without a blank page', async () => {
    const [one, other] = [await pagePdf(document(3)), await pagePdf(document(3))];
    expect(one.equals(other)).toBe(true);
    const text = one.toString('latin1');
    expect(text).toMatch(/\/FontName \/[A-Z]+\+Inter-Regular/);
    expect(text).toContain('/StructTreeRoot');
    expect(pagesOf(one)).toBe(1);
    expect(pagesOf(await pagePdf(document(60)))).toBe(3);
  });

  it('is HTML without scripts, in which every text is escaped', () => {
    const html = pageHtml(document(1), [{ name: 'PDF', href: '/a"b' }]);
    expect(html).toContain('Nord &#38; Süd &#60;GmbH&#62;');
    expect(html).toContain('href="/a&#34;b"');
    expect(html).not.toMatch(/<script|style="|onload/);
  });

  it('is a workbook whose figures are numbers', () => {
    const [about, lines] = pageTables(document(1)).sections;
    expect(about?.rows).toContainEqual(['Currency', 'EUR']);
    expect(lines?.rows.at(-1)).toEqual(['Total', '2480.00']);
  });
});
