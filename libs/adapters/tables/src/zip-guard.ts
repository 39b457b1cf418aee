import type { Readable } from 'node:stream';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { TableFault } from './table-row.js';

/** Limits of a workbook: bytes of the file, number of parts, and unpacked bytes of one part and of all parts. */
export const workbookLimits = {
  fileBytes: 40_000_000,
  parts: 500,
  partBytes: 256_000_000,
  inflatedBytes: 400_000_000,
  /** Unpacked size by packed size, for a part of more than a megabyte. A spreadsheet of numbers has about 10. */
  ratio: 100,
} as const;

/** Parts that run or fetch something. */
const active = /vbaProject|macrosheets|\/activeX\/|\/embeddings\/|\/externalLinks\/|\/ctrlProps\/|customUI/i;

/** A safe workbook: each part was unpacked once and has its stated length. */
export interface GuardedWorkbook {
  readonly parts: readonly string[];
  /** Chunks of one part; none if the part is absent. */
  readonly read: (name: string) => AsyncIterable<Buffer>;
}

/**
 * Checks a workbook (ECMA-376, a zip) before a reader opens it. Throws `TableFault` for a zip bomb, a zip with false
 * lengths, a workbook with macros or outside links, an encrypted or old one, and any other file.
 */
export async function guardWorkbook(bytes: Buffer): Promise<GuardedWorkbook> {
  if (bytes.length > workbookLimits.fileBytes)
    throw new TableFault(
      `A workbook may have ${workbookLimits.fileBytes / 1_000_000} MB at most. Save a larger table as CSV.`,
    );
  if (bytes.length > 4 && bytes.readUInt32BE(0) === 0xd0cf11e0)
    throw new TableFault(
      'This is an old or encrypted Office file. Save it as XLSX without a password, or as CSV.',
    );
  try {
    return await inspect(bytes);
  } catch (error) {
    if (error instanceof TableFault) throw error;
    throw new TableFault('The workbook is damaged or cut off: it is no whole zip file.');
  }
}

async function inspect(bytes: Buffer): Promise<GuardedWorkbook> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true, autoClose: false });
  if (zip.entryCount > workbookLimits.parts) throw new TableFault('The workbook has too many parts.');
  const entries = new Map<string, Entry>();
  let inflated = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName, uncompressedSize, compressedSize } = entry;
    if (active.test(fileName))
      throw new TableFault(
        `Macros, embedded objects and outside links are not taken (${fileName}). Save the table as XLSX without macros, or as CSV.`,
      );
    if (entries.has(fileName) || entry.isEncrypted())
      throw new TableFault(`The part ${fileName} occurs twice or is encrypted.`);
    inflated += uncompressedSize;
    if (
      uncompressedSize > workbookLimits.partBytes ||
      inflated > workbookLimits.inflatedBytes ||
      (uncompressedSize > 1_000_000 && uncompressedSize > compressedSize * workbookLimits.ratio)
    )
      throw new TableFault(`The workbook unpacks to far more than it is (${fileName}): it is not opened.`);
    entries.set(fileName, entry);
  }
  for (const need of ['[Content_Types].xml', 'xl/workbook.xml'])
    if (!entries.has(need)) throw new TableFault(`This zip file is no workbook: it has no ${need}.`);
  // A stated length may be false, and the reader does not check it.
  for (const entry of entries.values()) for await (const _ of await zip.openReadStreamPromise(entry));
  return { parts: [...entries.keys()], read: (name) => readPart(zip, entries.get(name)) };
}

async function* readPart(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer> {
  if (entry !== undefined)
    yield* (await zip.openReadStreamPromise(entry)) as Readable & AsyncIterable<Buffer>;
}
