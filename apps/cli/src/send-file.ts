import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { err, isJsonObject, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { InstanceClient } from './instance-client.js';
import { objectsIn } from './objects-in.js';
import type { CliFailure, Shown } from './outcome.js';
import { unreadable } from './read-input.js';
import { table } from './table.js';

/** Sends a file to the instance in parts, with one part in memory at a time. Answers its id there. */
export async function sendFile(
  deps: CliDeps,
  instance: InstanceClient,
  file: string,
): Promise<Result<string, CliFailure>> {
  let handle;
  try {
    handle = await open(resolve(deps.cwd, file));
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
    if (bytes === 0) return err({ message: `${file} is empty.` });
    const announced = await instance.post('/v1/files', {
      name: basename(file),
      bytes,
      sha256: hash.digest('hex'),
    });
    if (!announced.ok) return announced;
    const { file_id: id, part_bytes: size } = announced.value;
    if (typeof id !== 'string' || typeof size !== 'number')
      return err({ message: 'The instance takes no files.' });
    for (let part = 0; part * size < bytes; part += 1) {
      const content = Buffer.alloc(Math.min(size, bytes - part * size));
      await handle.read(content, 0, content.length, part * size);
      const sent = await instance.postBytes(`/v1/files/${id}/parts/${part}`, content);
      if (!sent.ok) return sent;
    }
    return ok(id);
  } catch (error) {
    return err(unreadable(file, error));
  } finally {
    await handle?.close();
  }
}

/** The field of each column, with the values of the first rows. Empty without a preview. */
export function previewText(deps: CliDeps, preview: JsonValue | undefined): string {
  if (!isJsonObject(preview)) return '';
  const rows = objectsIn(preview['rows']).slice(0, 3);
  const columns = objectsIn(preview['columns']).map(({ column, field }) => [
    column,
    field ?? 'not read',
    ...rows.map((row) => (typeof column === 'string' ? row[column] : '')),
  ]);
  const head = ['Column', 'Read as', ...rows.map((_, at) => `Row ${at + 1}`)];
  return columns.length === 0 ? '' : `${table(deps, head, columns)}\n`;
}

/** What a command says of a file with refused rows. Undefined if there are none. */
export function refusedRows(
  deps: CliDeps,
  what: string,
  answer: JsonObject,
): Pick<Shown, 'text' | 'failed'> | undefined {
  const refused = objectsIn(answer['refused']);
  if (refused.length === 0) return undefined;
  const rows = refused.map(({ row, reason }) => [row, reason]);
  return {
    text: `${previewText(deps, answer['preview'])}${table(deps, ['Row', 'Reason'], rows)}`,
    failed: `${what}: ${refused.length} ${refused.length === 1 ? 'row' : 'rows'} cannot be read.`,
  };
}
