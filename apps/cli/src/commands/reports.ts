import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import { printing, type Outcome } from '../outcome.js';
import { cell, plain } from '../plain.js';
import { atInstance, withTarget, type At } from '../target.js';
import { answerOrJob, withFollow, type JobOptions } from './jobs.js';

interface Options {
  readonly data?: string;
  readonly json?: boolean;
}
interface AddOptions extends Options {
  readonly role?: string;
}
interface ExportOptions extends Options {
  readonly to: string;
  readonly format: 'csv' | 'parquet';
  readonly day?: string;
}

interface WriteOptions extends JobOptions {
  readonly format: 'csv' | 'parquet';
  readonly day?: string;
  readonly daily?: boolean;
}

/** `reports readers` and `reports export` work on the database itself, `reports write` on the instance. */
export function registerReports(program: Command, deps: CliDeps): void {
  const reports = program
    .command('reports')
    .description('figures for tools of your own: roles that read them, and files');
  const readers = reports
    .command('readers')
    .description('roles of PostgreSQL that read the figures of one organization');
  const common = (command: Command): Command =>
    command
      .option('--data <dir>', 'data folder (default: .data in this folder)')
      .option('--json', 'print JSON alone on standard output');
  common(readers.command('add'))
    .description('make a role; its password is shown this once')
    .argument('<organization>', 'slug of the organization')
    .option('--role <name>', 'name of the role (default: bi_ and the slug)')
    .action(printing(deps, add));
  common(readers.command('list')).description('list the roles').action(printing(deps, list));
  common(readers.command('remove'))
    .description('end the sessions of a role, and remove it')
    .argument('<role>', 'name of the role')
    .action(printing(deps, remove));
  common(reports.command('export'))
    .description('write the figures of every organization for a day to files, with a manifest')
    .requiredOption(
      '--to <place>',
      'where the files go, a folder for each organization: a folder, a bucket as s3://BUCKET/PREFIX, or the place of a connector',
    )
    .addOption(
      new Option('--format <format>', 'format of the files').choices(['csv', 'parquet']).default('parquet'),
    )
    .option('--day <day>', 'YYYY-MM-DD (default: yesterday, UTC)', day)
    .action(printing(deps, exportFiles));
  withFollow(withTarget(reports.command('write')))
    .description(
      'write the figures of your organization for a day to files, as a job: to the place of SWITCHYARD_REPORTS_TO',
    )
    .addOption(
      new Option('--format <format>', 'format of the files').choices(['csv', 'parquet']).default('parquet'),
    )
    .option('--day <day>', 'YYYY-MM-DD (default: yesterday, UTC)', day)
    .option('--daily', 'and each day after it: the next job waits in `jobs list`; cancel it to end that')
    .action(atInstance(deps, write));
}

async function write({ deps, instance, options }: At<WriteOptions>): Promise<Outcome> {
  const { format, day: of, daily, follow } = options;
  const body = { format, ...(of !== undefined && { day: of }), ...(daily === true && { daily }) };
  const as = { follow: follow === true, job: follow !== true };
  const done = await answerOrJob(deps, instance, as, { path: '/v1/report-files', body });
  if (!done.ok) return done;
  if ('shown' in done.value) return done.value.shown;
  const { answer } = done.value;
  return ok({ json: answer, text: `${cell(answer['rows'])} rows, ${cell(answer['manifest'])}` });
}

const at = (deps: CliDeps, { data }: Options) => ({
  env: deps.env,
  dataDir: resolve(deps.cwd, data ?? defaultDataFolder),
});

async function add(deps: CliDeps, organization: string, options: AddOptions): Promise<Outcome> {
  const { addReader } = await import('../up/of-server.js');
  const added = await addReader(at(deps, options), { organization, role: options.role });
  if (!added.ok) return err({ message: added.error.message });
  const { role, password, database } = added.value;
  const text = [
    `Role      ${plain(role)}`,
    `Password  ${password}`,
    `Database  ${plain(database)}`,
    'The password is not shown again. It reads the views of schema bi, for example: select * from bi.spend_daily',
  ].join('\n');
  return ok({ json: { role, password, database }, text });
}

async function list(deps: CliDeps, options: Options): Promise<Outcome> {
  const { listReaders } = await import('../up/of-server.js');
  const found = await listReaders(at(deps, options));
  if (!found.ok) return err({ message: found.error.message });
  const rows = found.value.map(({ role, organization, createdAt }) => ({
    role,
    organization,
    created_at: createdAt.toISOString(),
  }));
  const text = rows
    .map((row) => `${plain(row.role)}  ${plain(row.organization)}  ${row.created_at}`)
    .join('\n');
  return ok({ json: { readers: rows }, text: text === '' ? 'There are no readers.' : text });
}

async function remove(deps: CliDeps, role: string, options: Options): Promise<Outcome> {
  const { removeReader } = await import('../up/of-server.js');
  const removed = await removeReader(at(deps, options), role);
  if (!removed.ok) return err({ message: removed.error.message });
  return ok({ json: { removed: role }, text: `The role ${plain(role)} is removed.` });
}

async function exportFiles(deps: CliDeps, options: ExportOptions): Promise<Outcome> {
  const { exportReports, isPlace } = await import('../up/of-server.js');
  const { format, to } = options;
  const done = await exportReports({
    ...at(deps, options),
    to: isPlace(to) ? to : resolve(deps.cwd, to),
    format,
    day: options.day,
  });
  if (!done.ok) return err({ message: done.error.message });
  const text = done.value
    .map(({ organization, rows, manifest }) => `${plain(organization)}: ${rows} rows, ${plain(manifest)}`)
    .join('\n');
  return ok({ json: { organizations: done.value.map((each) => ({ ...each })) }, text });
}

function day(text: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new InvalidArgumentError('Give a day as YYYY-MM-DD.');
  return text;
}
