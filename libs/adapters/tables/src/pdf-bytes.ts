import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import type { DocumentSection, TableDocument } from './table-document.js';

const page = { width: 842, height: 595, margin: 36 };
const size = 8;
const lineHeight = 11;
/** In Courier every character is 0.6 of the font size wide. */
const charWidth = size * 0.6;
const lineChars = Math.floor((page.width - 2 * page.margin) / charWidth);

/**
 * Writes the tables as text on A4 pages. The same document makes the same bytes: the dates in the file are those of the
 * document. It uses the standard fonts of PDF; a character that they lack is written as its number, `U+4E2D`.
 */
export async function pdfBytes(document: TableDocument): Promise<Buffer> {
  const { title, madeAt, sections } = document;
  const created = new Date(madeAt);
  const pdf = new PDFDocument({
    size: [page.width, page.height],
    margin: page.margin,
    autoFirstPage: false,
    info: { Title: title, CreationDate: created, ModDate: created },
  });
  const written = buffer(pdf);
  let y = page.height;
  let number = 0;
  const line = (text: string, font = 'Courier'): void => {
    if (y + lineHeight > page.height - page.margin) {
      pdf.addPage();
      number += 1;
      y = page.margin;
      const foot = `${title}, page ${number}`;
      pdf.font('Courier').fontSize(size);
      pdf.text(printable(foot), page.margin, page.height - page.margin + 4, { lineBreak: false });
    }
    pdf.font(font).fontSize(size).text(printable(text), page.margin, y, { lineBreak: false });
    y += lineHeight;
  };
  line(title, 'Courier-Bold');
  for (const section of sections) {
    line('');
    line(section.name, 'Courier-Bold');
    linesOf(section).forEach((text, at) => line(text, at === 0 ? 'Courier-Bold' : 'Courier'));
  }
  pdf.end();
  return written;
}

/** Rows as lines; a longer row continues, indented, on the next line. */
function linesOf({ columns, rows }: DocumentSection): readonly string[] {
  const all = [columns, ...rows];
  const widths = columns.map((_, at) =>
    Math.min(
      40,
      all.reduce((most, row) => Math.max(most, printable(row[at] ?? '').length), 0),
    ),
  );
  return all.flatMap((row) => {
    const text = row
      .map((cell, at) => printable(cell).padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
    const parts = [text.slice(0, lineChars)];
    for (let at = lineChars; at < text.length; at += lineChars - 4)
      parts.push(`    ${text.slice(at, at + lineChars - 4)}`);
    return parts;
  });
}

/** The standard fonts have the characters of Latin-1. */
function printable(text: string): string {
  return text.replaceAll(
    /[^\u0020-\u007E\u00A1-\u00FF]/gu,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
