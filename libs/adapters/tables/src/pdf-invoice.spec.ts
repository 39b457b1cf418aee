import { expect, it } from '@jest/globals';
import PDFDocument from 'pdfkit';
import { embeddedInvoice } from './pdf-invoice.js';

const invoice = '<rsm:CrossIndustryInvoice xmlns:rsm="urn:x"><ID>1</ID></rsm:CrossIndustryInvoice>';

/** A PDF with these files in it. */
function pdfWith(files: Readonly<Record<string, string>>, compress = true): Promise<Buffer> {
  const document = new PDFDocument({ compress });
  const parts: Buffer[] = [];
  document.on('data', (part: Buffer) => parts.push(part));
  document.text('An invoice');
  for (const [name, text] of Object.entries(files)) document.file(Buffer.from(text), { name });
  const ended = new Promise<Buffer>((resolve) => document.on('end', () => resolve(Buffer.concat(parts))));
  document.end();
  return ended;
}

it.each([true, false])('the electronic invoice in a PDF is found, compressed: %s', async (compress) => {
  const pdf = await pdfWith({ 'notes.txt': 'of a person', 'factur-x.xml': invoice }, compress);
  expect((await embeddedInvoice(pdf))?.toString().trimEnd()).toBe(invoice);
});

it('a PDF without one has none, whatever else is in it', async () => {
  expect(await embeddedInvoice(await pdfWith({}))).toBeUndefined();
  expect(await embeddedInvoice(await pdfWith({ 'a.xml': '<other/>' }))).toBeUndefined();
  expect(await embeddedInvoice(Buffer.from('%PDF-1.7 /EmbeddedFile obj stream'))).toBeUndefined();
});
