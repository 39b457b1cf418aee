import { createHash, type Hash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliFailure, Outcome } from '../../outcome.js';
import type { At } from '../../target.js';
import { downloadOrJob, type JobOptions } from '../jobs.js';

export interface ExportOptions extends JobOptions {
  readonly to: string;
}

/** `organizations export --to FOLDER`: a file of JSON lines for each table, and the manifest once all of them are whole. */
export async function exportOrganization(at: At<ExportOptions>): Promise<Outcome> {
  const { deps, options } = at;
  const folder = resolve(deps.cwd, options.to);
  const made = emptyFolder(folder);
  if (!made.ok) return made;
  const tables = new TableFiles(folder);
  const written = await downloadOrJob(
    at,
    '/v1/organization-export',
    lines((line) => tables.take(line)),
  );
  tables.close();
  if (!written.ok) return written;
  const manifest = tables.manifest;
  if (manifest === undefined) return err({ message: 'The export is cut off. Do not use what was written.' });
  const wrong = tables.firstWrong(manifest);
  if (wrong !== undefined)
    return err({
      message: `The digest of ${wrong} is not the one of the manifest. Do not use what was written.`,
    });
  const path = join(folder, 'manifest.json');
  writeFileSync(`${path}.part`, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
  const listed = tablesOf(manifest);
  const rows = listed.reduce((sum, { rows: count }) => sum + count, 0);
  return ok({
    json: { ...manifest, folder },
    text: `${rows} rows of ${listed.length} tables are in ${folder}, and their digests in manifest.json.`,
  });
}

function emptyFolder(folder: string): Result<undefined, CliFailure> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return readdirSync(folder).length === 0 ? ok(undefined) : err({ message: `${folder} is not empty.` });
  } catch (error) {
    return err({
      message: `${folder} cannot be made (${(error as NodeJS.ErrnoException).code ?? 'error'}).`,
    });
  }
}

interface Listed {
  readonly table: string;
  readonly rows: number;
  readonly sha256: string;
}

function tablesOf({ tables }: JsonObject): readonly Listed[] {
  return (Array.isArray(tables) ? tables.filter(isJsonObject) : []).flatMap(({ table, rows, sha256 }) =>
    typeof table === 'string' && typeof rows === 'number' && typeof sha256 === 'string'
      ? [{ table, rows, sha256 }]
      : [],
  );
}

/** The start of a line, before the row as the server wrote it. */
const linePattern = /^\{"table":"([a-z_0-9]+)","row":/;

class TableFiles {
  manifest: JsonObject | undefined;
  readonly #files = new Map<string, { readonly file: number; readonly digest: Hash }>();

  constructor(private readonly folder: string) {}

  take(line: string): void {
    const table = linePattern.exec(line)?.[1];
    if (table === undefined) {
      const read: unknown = JSON.parse(line);
      if (isJsonObject(read) && isJsonObject(read['manifest'])) this.manifest = read['manifest'];
      return;
    }
    const row = `${line.slice(line.indexOf('"row":') + 6, -1)}\n`;
    let known = this.#files.get(table);
    if (known === undefined) {
      known = {
        file: openSync(join(this.folder, `${table}.jsonl`), 'wx', 0o600),
        digest: createHash('sha256'),
      };
      this.#files.set(table, known);
    }
    known.digest.update(row);
    writeSync(known.file, row);
  }

  close(): void {
    for (const { file } of this.#files.values()) closeSync(file);
  }

  firstWrong(manifest: JsonObject): string | undefined {
    const empty = createHash('sha256').digest('hex');
    return tablesOf(manifest).find(({ table, sha256 }) => {
      const known = this.#files.get(table);
      return (known?.digest.digest('hex') ?? empty) !== sha256;
    })?.table;
  }
}

/** Calls `take` with each line that arrives. */
function lines(take: (line: string) => void): Writable {
  let rest = '';
  const decoder = new TextDecoder();
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      try {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = parts.pop() ?? '';
        for (const line of parts) if (line !== '') take(line);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
