import { createHash } from 'node:crypto';
import { pageHtml, pageTables, writePage, writeTable, type PageDocument } from '@switchyard/tables';
import { z } from 'zod';

/** A rendering of a document in an answer. */
export const documentFile = z.strictObject({
  name: z.string(),
  media_type: z.string(),
  sha256: z.string(),
  content: z.base64().describe('The bytes of the file.'),
});

const types = {
  pdf: 'application/pdf',
  xml: 'application/xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
} as const;

export type RenderedFormat = Exclude<keyof typeof types, 'xml'>;

export async function renderedFile(
  page: PageDocument,
  format: RenderedFormat,
  name: string,
): Promise<z.output<typeof documentFile>> {
  if (format === 'pdf') return fileOf(await writePage(page), format, name);
  if (format === 'xlsx') return fileOf(await writeTable(pageTables(page), 'xlsx'), format, name);
  return fileOf(Buffer.from(pageHtml(page), 'utf8'), format, name);
}

/** Bytes under the name that their file gets. */
export function fileOf(bytes: Buffer, end: keyof typeof types, name: string): z.output<typeof documentFile> {
  return {
    name: `${name}.${end}`,
    media_type: types[end],
    sha256: createHash('sha256').update(bytes).digest('hex'),
    content: bytes.toString('base64'),
  };
}
