import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { PageDocument, PageTable } from './page-document.js';
import { eInvoiceName, pageMetadata } from './page-metadata.js';

const page = { width: 595, height: 842, margin: 48, foot: 36 };
const inner = page.width - 2 * page.margin;
const bottom = page.height - page.margin - page.foot;
const gap = 8;
const ink = '#1a1d21';
const quiet = '#4b5563';
const line = '#dfe2e6';
const accent = '#2f5fd0';

const resolve = createRequire(import.meta.url).resolve;
const fontFiles = {
  plain: '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  bold: '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
} as const;

interface Style {
  readonly size?: number;
  readonly font?: keyof typeof fontFiles;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
}

/** Figures that stand at the right have digits of one width. */
const featuresOf = ({ align }: Style): PDFKit.Mixins.OpenTypeFeatures[] =>
  align === 'right' ? ['tnum'] : [];

/**
 * Writes a document as A4 pages with embedded Inter: Latin, Greek and Cyrillic; any other character is written as its number,
 * `U+4E2D`. The same document makes the same bytes: the dates in the file are those of the document.
 */
export async function pagePdf(document: PageDocument): Promise<Buffer> {
  const created = new Date(document.madeAt);
  const pdf = new PDFDocument({
    size: [page.width, page.height],
    // Texts are placed by hand; a margin of pdfkit would begin a page of its own.
    margins: { top: 0, left: 0, right: 0, bottom: 0 },
    bufferPages: true,
    lang: document.language,
    displayTitle: true,
    tagged: true,
    pdfVersion: '1.7',
    // A hybrid invoice is a PDF/A-3: fonts are embedded, colours have a profile, and its XML is an associated file.
    ...(document.eInvoice !== undefined && { subset: 'PDF/A-3b' as never }),
    info: { Title: document.title, Author: document.from, CreationDate: created, ModDate: created },
  });
  const written = buffer(pdf);
  // What pdfkit writes itself does not escape names for XML.
  Object.assign(pdf, { _addInfo: () => (pdf as unknown as WithMetadata).appendXML(pageMetadata(document)) });
  if (document.eInvoice !== undefined)
    pdf.file(Buffer.from(document.eInvoice, 'utf8'), {
      ...{ name: eInvoiceName, type: 'text/xml', description: 'The invoice as XML (EN 16931)' },
      ...{ creationDate: created, modifiedDate: created, relationship: 'Alternative' },
    });
  for (const [name, file] of Object.entries(fontFiles)) pdf.registerFont(name, resolve(file));
  const sheet = new Sheet(pdf);
  head(sheet, document);
  if (document.bars !== undefined) bars(sheet, document.bars);
  for (const table of document.tables) rowsOf(sheet, table);
  for (const note of document.notes) sheet.paragraph(note, { size: 9 }, 6);
  sheet.y += 10;
  for (const proof of document.proof) sheet.paragraph(proof, { size: 7, color: quiet }, 2);
  feet(pdf, document);
  pdf.end();
  return written;
}

interface WithMetadata {
  appendXML(xml: string): void;
}

/** Places texts from top to bottom, and begins a page where one is full. */
class Sheet {
  y = page.margin;

  constructor(readonly pdf: PDFKit.PDFDocument) {}

  /** Makes sure that this height is left. */
  room(height: number): boolean {
    if (this.y + height <= bottom) return false;
    this.pdf.addPage();
    this.y = page.margin;
    return true;
  }

  /** The height of a text in a width. */
  height(text: string, width: number, style: Style = {}): number {
    this.set(style);
    return this.pdf.heightOfString(this.printable(text, style), { width, features: featuresOf(style) });
  }

  /** A text at a place, wrapped within its width and cut at its height. */
  put(text: string, at: { x: number; y: number; width: number; height?: number }, style: Style = {}): void {
    this.set(style);
    const { align = 'left' } = style;
    const { x, y, width, height } = at;
    this.pdf.text(this.printable(text, style), x, y, {
      ...{ width, align, features: featuresOf(style) },
      ...(height !== undefined && { height, ellipsis: true }),
    });
  }

  paragraph(text: string, style: Style, after: number, tag = 'P'): void {
    const height = this.height(text, inner, style);
    this.room(Math.min(height, bottom - page.margin));
    this.tagged(tag, () => this.put(text, { x: page.margin, y: this.y, width: inner }, style));
    this.y += height + after;
  }

  tagged(tag: string, draw: () => void): void {
    this.pdf.addStructure(this.pdf.struct(tag, {}, draw));
  }

  rule(y: number, color = line): void {
    this.pdf
      .moveTo(page.margin, y)
      .lineTo(page.margin + inner, y)
      .lineWidth(0.5)
      .strokeColor(color)
      .stroke();
  }

  private set({ size = 9, font = 'plain', color = ink }: Style): void {
    this.pdf.font(font).fontSize(size).fillColor(color);
  }

  /** What the font lacks as its number: it would print a box. */
  private printable(text: string, { font = 'plain' }: Style): string {
    this.pdf.font(font);
    const { _font: known } = this.pdf as unknown as {
      readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } };
    };
    return text.replaceAll(/[^\u0020-\u007E\u00A0-\u00FF]/gu, (character) => {
      const code = character.codePointAt(0) ?? 0;
      if (known.font.hasGlyphForCodePoint(code)) return character;
      return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    });
  }
}

function head(
  sheet: Sheet,
  { from, title, subtitle, mark, lead, parties = [], facts, figures = [] }: PageDocument,
): void {
  if (mark !== undefined) tile(sheet, mark);
  sheet.paragraph(from, { color: quiet }, 4);
  sheet.paragraph(title, { size: 20, font: 'bold' }, 4, 'H1');
  if (subtitle !== undefined) sheet.paragraph(subtitle, { size: 10, color: quiet }, 4);
  sheet.rule(sheet.y + 4, ink);
  sheet.y += 16;
  if (lead !== undefined) sheet.paragraph(lead, { size: 11 }, 12);
  columns(sheet, parties.length, 3, (at, box) => {
    const { name = '', lines = [] } = parties[at] ?? {};
    let y = box.y;
    sheet.put(name, { ...box, y }, { size: 8, color: quiet });
    y += 12;
    for (const text of lines) {
      sheet.put(text, { ...box, y });
      y += sheet.height(text, box.width) + 1;
    }
    return y - box.y;
  });
  columns(sheet, facts.length, 4, (at, box) => {
    const [name = '', value = ''] = facts[at] ?? [];
    sheet.put(name, { ...box, height: 10 }, { size: 7.5, color: quiet });
    sheet.put(value, { ...box, y: box.y + 10 });
    return 10 + sheet.height(value, box.width);
  });
  columns(sheet, figures.length, 5, (at, box) => {
    const { name = '', value = '', note = '' } = figures[at] ?? {};
    sheet.put(name, { ...box, height: 10 }, { size: 7.5, color: quiet });
    sheet.put(
      value,
      { ...box, y: box.y + 11, height: 18 },
      { size: value.length > 12 ? 10 : 14, font: 'bold' },
    );
    sheet.put(note, { ...box, y: box.y + 30, height: 10 }, { size: 7.5, color: quiet });
    return 42;
  });
}

/** Two letters for whom it is, at the right of the title. */
function tile(sheet: Sheet, mark: string): void {
  const size = 40;
  const x = page.margin + inner - size;
  sheet.tagged('P', () => {
    sheet.pdf.roundedRect(x, sheet.y, size, size, 8).fill('#e3e7ee');
    const style: Style = { size: 14, font: 'bold' };
    sheet.put(
      mark,
      { x: x + 4, y: sheet.y + 12, width: size - 8, height: 18 },
      { ...style, align: 'center' },
    );
  });
}

/** Boxes in lines of some columns; `draw` gives the height of each. */
function columns(
  sheet: Sheet,
  count: number,
  most: number,
  draw: (at: number, box: { readonly x: number; readonly y: number; readonly width: number }) => number,
): void {
  for (let from = 0; from < count; from += most) {
    const of = Math.min(most, Math.max(count, 2));
    const width = (inner - (of - 1) * 12) / of;
    sheet.room(60);
    let height = 0;
    sheet.tagged('P', () => {
      for (let at = from; at < Math.min(count, from + most); at += 1)
        height = Math.max(
          height,
          draw(at, { x: page.margin + (at - from) * (width + 12), y: sheet.y, width }),
        );
    });
    sheet.y += height + 12;
  }
}

function bars(sheet: Sheet, { name, unit, bars: values }: NonNullable<PageDocument['bars']>): void {
  const height = 90;
  sheet.room(height + 50);
  sheet.paragraph(`${name}, ${unit}`, { size: 11, font: 'bold' }, 6, 'H2');
  const largest = Math.max(...values.map(({ value, planned = 0 }) => Math.max(value, planned)), 0);
  const most = Math.max(...values.map(({ value }) => value), 0);
  const width = inner / Math.max(values.length, 1);
  const base = sheet.y + height;
  const draw = (): void => {
    const tallOf = (value: number): number =>
      largest > 0 ? Math.max(0, (value / largest) * (height - 14)) : 0;
    for (const [at, { value }] of values.entries()) {
      const tall = tallOf(value);
      const x = page.margin + at * width + width * 0.12;
      sheet.pdf.rect(x, base - tall, width * 0.76, tall).fill(accent);
    }
    const plan = values.flatMap(({ planned }, at) => (planned === undefined ? [] : [[at, planned] as const]));
    for (const [at, planned] of plan) {
      const x = page.margin + at * width;
      const y = base - tallOf(planned);
      sheet.pdf
        .moveTo(x, y)
        .lineTo(x + width, y)
        .lineWidth(0.8)
        .dash(3, { space: 2 })
        .strokeColor(ink)
        .stroke();
    }
    sheet.pdf.undash();
    sheet.rule(base, quiet);
    const top = values.find(({ value }) => value === most);
    const small = { size: 7, color: quiet };
    if (top !== undefined)
      sheet.put(
        `most: ${top.text} on ${top.label}${plan.length > 0 ? '; dashed: the plan' : ''}`,
        { x: page.margin, y: sheet.y, width: inner },
        { ...small, align: 'right' },
      );
    for (const [at, { label }] of values.entries())
      if (at % 7 === 0)
        sheet.put(label.slice(-5), { x: page.margin + at * width, y: base + 3, width: 40 }, small);
  };
  const alt = `${name}: ${values.map(({ label, text }) => `${label} ${text}`).join(', ')}`;
  sheet.pdf.addStructure(sheet.pdf.struct('Figure', { alt: alt.slice(0, 2_000) }, draw));
  sheet.y = base + 24;
}

function rowsOf(sheet: Sheet, { name, columns: all, rows, sums = [] }: PageTable): void {
  sheet.room(60);
  sheet.y += 4;
  sheet.paragraph(name, { size: 11, font: 'bold' }, 6, 'H2');
  const shares = all.reduce((sum, { share }) => sum + share, 0);
  const widths = all.map(({ share }) => (inner * share) / shares);
  const xs = widths.map((_, at) => page.margin + widths.slice(0, at).reduce((sum, width) => sum + width, 0));
  const table = sheet.pdf.struct('Table');
  sheet.pdf.addStructure(table);
  const styleOf = (at: number, style: Style): Style => ({
    ...style,
    align: all[at]?.isFigure === true ? 'right' : 'left',
  });
  const row = (cells: readonly string[], style: Style, tag: 'TH' | 'TD'): void => {
    const textWidth = (at: number) => (widths[at] ?? 0) - gap;
    const height = Math.min(
      Math.max(...cells.map((text, at) => sheet.height(text, textWidth(at), style)), 10),
      bottom - page.margin - 40,
    );
    if (sheet.room(height + 6) && tag === 'TD')
      row(
        all.map((column) => column.name),
        headStyle,
        'TH',
      );
    const struct = sheet.pdf.struct('TR');
    table.add(struct);
    for (const [at, text] of cells.entries())
      struct.add(
        sheet.pdf.struct(tag, {}, () => {
          const x = (xs[at] ?? page.margin) + (all[at]?.isFigure === true ? gap : 0);
          sheet.put(text, { x, y: sheet.y, width: textWidth(at), height: height + 2 }, styleOf(at, style));
        }),
      );
    struct.end();
    sheet.y += height + 4;
    sheet.rule(sheet.y - 2);
  };
  const headStyle: Style = { size: 7.5, color: quiet };
  row(
    all.map((column) => column.name),
    headStyle,
    'TH',
  );
  for (const cells of rows) row(cells, { size: 8.5 }, 'TD');
  for (const cells of sums) row(cells, { size: 8.5, font: 'bold' }, 'TD');
  table.end();
  sheet.y += 10;
}

/** The foot of every page, once their number is known. */
function feet(pdf: PDFKit.PDFDocument, { title, from }: PageDocument): void {
  const { count } = pdf.bufferedPageRange();
  for (let at = 0; at < count; at += 1) {
    pdf.switchToPage(at);
    const y = page.height - page.margin - 6;
    const sheet = new Sheet(pdf);
    pdf.addStructure(
      pdf.struct('P', {}, () => {
        const style: Style = { size: 7.5, color: quiet };
        sheet.put(`${from}, ${title}`, { x: page.margin, y, width: inner * 0.8, height: 10 }, style);
        const right = { x: page.margin + inner * 0.8, y, width: inner * 0.2, height: 10 };
        sheet.put(`${String(at + 1)} / ${String(count)}`, right, { ...style, align: 'right' });
      }),
    );
  }
}
