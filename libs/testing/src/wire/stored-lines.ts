import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kinds of stored files, by their lines. */
type StoredKind = 'exchanges' | 'messages';

/** Writes a file of lines into the folder `SWITCHYARD_WIRE_FOLDER`. False if it is not set, or there are no lines. */
export function storeForJudging(kind: StoredKind, lines: readonly unknown[]): boolean {
  const folder = process.env['SWITCHYARD_WIRE_FOLDER'];
  if (folder === undefined || lines.length === 0) return false;
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(join(folder, `${randomUUID()}.${kind}.jsonl`), text, { flag: 'wx' });
  return true;
}

/** The lines of each file of that kind. */
export function readStored(folder: string, kind: StoredKind): readonly (readonly unknown[])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(`.${kind}.jsonl`))
    .map((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as unknown),
    );
}
