import { Buffer } from 'node:buffer';
import { isJsonObject, ok } from '@switchyard/values';
import type { Outcome } from '../../outcome.js';
import type { At, TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

export interface DocumentOptions extends TargetOptions {
  readonly format?: string;
  readonly out: string;
}

/** Writes a rendering of a document as a file. `of`: the path of the document. */
export async function writeDocument(
  { deps, instance, options: { format = 'pdf', out } }: At<DocumentOptions>,
  of: string,
): Promise<Outcome> {
  const answer = await instance.get(`${of}/document?format=${format}`);
  if (!answer.ok) return answer;
  const { file, ...about } = answer.value;
  const content = isJsonObject(file) && typeof file['content'] === 'string' ? file['content'] : '';
  const written = writeFiles(deps, [{ name: out, content: Buffer.from(content, 'base64') }]);
  return written.ok ? ok({ json: { ...about, out }, text: `Wrote ${out}` }) : written;
}
