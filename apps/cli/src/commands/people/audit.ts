import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { csvRow, err, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { InstanceClient } from '../../instance-client.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { queryOf } from '../../query-of.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface FilterOptions extends TargetOptions {
  readonly since?: string;
  readonly until?: string;
  readonly actor?: string;
  readonly object?: string;
  readonly action?: string;
  readonly kind?: string;
}

interface ListOptions extends FilterOptions {
  readonly sort?: string;
  readonly limit?: string;
  readonly all?: boolean;
}

interface ExportOptions extends FilterOptions {
  readonly out: string;
  readonly format?: string;
}

/** The most rows of one request: the limit of the server. */
const pageRows = 500;

/** `audit list` and `audit export`: who did what, and which credential was used for what. */
export function registerAudit(program: Command, deps: CliDeps): void {
  const audit = program
    .command('audit')
    .description('the audit log: administrative actions, and uses of credentials');
  filtered(audit.command('list'))
    .description('list them')
    .addOption(new Option('--sort <order>', 'order (default: newest first)').choices(['newest', 'oldest']))
    .option('--limit <count>', 'at most so many (default: 100)')
    .option('--all', 'every row')
    .action(printing(deps, list));
  filtered(audit.command('export'))
    .description('write them to a file, newest first')
    .requiredOption('--out <file>', 'the file, which must not exist')
    .addOption(
      new Option(
        '--format <format>',
        'csv, or jsonl: one JSON object a line (default: by the name of the file)',
      ).choices(['csv', 'jsonl']),
    )
    .action(atInstance(deps, exported));
}

function filtered(command: Command): Command {
  return withTarget(command)
    .option('--since <time>', 'from this date or time on')
    .option('--until <time>', 'before this date or time')
    .option('--actor <id>', 'id or name of a principal, or what used a credential')
    .option('--object <id>', 'id or name of what it was about')
    .option('--action <action>', 'operationId of a route, or purpose of a use')
    .addOption(new Option('--kind <kind>', 'only acts, or only uses').choices(['act', 'credential_use']));
}

async function list(deps: CliDeps, options: ListOptions): Promise<Outcome> {
  const most = options.all === true ? Number.MAX_SAFE_INTEGER : Number(options.limit ?? 100);
  if (!Number.isSafeInteger(most) || most < 1)
    return err({ message: '--limit must be a whole number from 1 on.' });
  return onInstance(deps, options, async (instance) => {
    const events: JsonObject[] = [];
    const read = await eachPage(instance, options, most, (rows) => void events.push(...rows));
    if (!read.ok) return read;
    const rows = events.map((event) => [
      event['at'],
      event['actor'],
      event['action'],
      event['object_kind'],
      event['object_name'] ?? event['object_id'],
      event['outcome'],
      event['code'],
    ]);
    const head = ['At', 'Actor', 'Action', 'Of', 'Object', 'Outcome', 'Code'];
    return ok({ json: events, text: rows.length === 0 ? 'Nothing is recorded.' : table(deps, head, rows) });
  });
}

/** Written row by row, so that a long log needs no memory. An incomplete file is reported. */
async function exported({ deps, instance, options }: At<ExportOptions>): Promise<Outcome> {
  const path = resolve(deps.cwd, options.out);
  const isCsv = (options.format ?? (path.endsWith('.csv') ? 'csv' : 'jsonl')) === 'csv';
  let file: number | undefined;
  let events = 0;
  try {
    // The log is confidential, and an existing file may be the last export.
    file = openSync(path, 'wx', 0o600);
    const to = file;
    if (isCsv) writeSync(to, line(columns));
    const read = await eachPage(instance, options, Number.MAX_SAFE_INTEGER, (rows) => {
      for (const row of rows)
        writeSync(to, isCsv ? line(columns.map((name) => row[name])) : `${JSON.stringify(row)}\n`);
      events += rows.length;
    });
    if (!read.ok) {
      const { message, ...rest } = read.error;
      return err({ ...rest, message: `${path} ends after ${events} rows. ${message}` });
    }
    return ok({ json: { out: path, events }, text: `${events} rows are in ${cell(path)}.` });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const hint = code === 'EEXIST' ? 'Name a file that does not exist.' : undefined;
    return err({ message: `${path} cannot be written (${code}).`, ...(hint !== undefined && { hint }) });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Calls `take` with the rows of each page, until `most` rows came or no page follows. */
async function eachPage(
  instance: InstanceClient,
  { since, until, actor, object, action, kind, sort }: FilterOptions & { readonly sort?: string },
  most: number,
  take: (rows: readonly JsonObject[]) => void,
): Promise<Result<undefined, CliFailure>> {
  const filter = { since, until, actor, object, action, kind, sort };
  // The limit is not part of the cursor, so the last page may be shorter.
  for (let left = most, cursor: string | undefined; left > 0;) {
    const limit = String(Math.min(left, pageRows));
    const answer = await instance.get(`/v1/audit${queryOf({ ...filter, limit, cursor })}`);
    if (!answer.ok) return answer;
    const rows = objectsIn(answer.value['events']);
    take(rows);
    left -= rows.length;
    const next = answer.value['next_cursor'];
    if (typeof next !== 'string') break;
    cursor = next;
  }
  return ok(undefined);
}

const columns = [
  'event_id',
  'kind',
  'at',
  'actor',
  'actor_id',
  'actor_held_by',
  'action',
  'object_kind',
  'object_id',
  'object_name',
  'outcome',
  'code',
  'ended_at',
  'request_id',
  'operation_id',
  'credential_version',
  'detail',
];

function line(values: readonly (JsonValue | undefined)[]): string {
  return `${csvRow(values.map(textOf))}\r\n`;
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
