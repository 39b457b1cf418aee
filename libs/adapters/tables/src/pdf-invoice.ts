import { promisify } from 'node:util';
import { inflate } from 'node:zlib';

const unpack = promisify(inflate);

/** The most bytes of an embedded invoice, and the most streams of a PDF that are looked at. */
const limits = { bytes: 10_000_000, streams: 500, dictionary: 4_096 } as const;

/** Roots of electronic invoices. */
const roots =
  /<(?:[A-Za-z][\w.-]*:)?(?:CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote|FatturaElettronica)[\s>]/;

/**
 * The electronic invoice that a PDF has as an attachment (Factur-X, ZUGFeRD); undefined if it has none. Its embedded files
 * are found by their streams (ISO 32000-1, 7.11.4): no text of a page is read, and an encrypted PDF has none.
 */
export async function embeddedInvoice(pdf: Buffer): Promise<Buffer | undefined> {
  let at = 0;
  for (let seen = 0; seen < limits.streams; seen += 1) {
    const found = pdf.indexOf('/EmbeddedFile', at, 'latin1');
    if (found < 0) return undefined;
    at = found + 1;
    const start = pdf.indexOf('stream', found, 'latin1');
    const begin = pdf.lastIndexOf(' obj', found, 'latin1');
    if (start < 0 || begin < 0 || start - begin > limits.dictionary) continue;
    const dictionary = pdf.toString('latin1', begin, start);
    // The list of embedded files has the same word in its name.
    if (dictionary.includes('endobj') || !/\/EmbeddedFile\b(?!s)/.test(dictionary)) continue;
    const from = pdf[start + 6] === 0x0d ? start + 8 : start + 7;
    const end = pdf.indexOf('endstream', from, 'latin1');
    if (end < 0) return undefined;
    const bytes = pdf.subarray(from, end);
    const text = dictionary.includes('/FlateDecode') ? await unpacked(bytes) : bytes;
    if (text !== undefined && roots.test(text.toString('latin1', 0, 20_000))) return text;
    at = end;
  }
  return undefined;
}

async function unpacked(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await unpack(bytes, { maxOutputLength: limits.bytes });
  } catch {
    return undefined;
  }
}
