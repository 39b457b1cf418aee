import { Option, type Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { finish, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import type { InstanceClient } from '../../instance-client.js';
import { queryOf } from '../../query-of.js';
import { onInstance, withTarget } from '../../target.js';
import { writeFiles } from '../../write-files.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';

interface ExportOptions extends JobOptions {
  readonly period?: string;
  readonly format?: string;
  readonly again?: string;
  readonly batch?: string;
  readonly part?: string;
  readonly out: string;
}

/** Accounting software whose files are rendered from a batch. */
const systems = ['netsuite', 'sap', 'quickbooks', 'xero'];

/** `journal export` and `journal accounts set`: the export to accounting. */
export function registerBooks(program: Command, deps: CliDeps): void {
  const journal = program.command('journal').description('export of ledger entries for accounting software');
  withJob(withTarget(journal.command('export')))
    .description('export the entries of a period that were not exported yet')
    .option('--period <month>', 'YYYY-MM')
    .option('--format <format>', `of the file: ${systems.join(', ')}, csv, or that of a connector`)
    .option('--batch <batch>', 'an earlier batch in --format, by its number or id')
    .addOption(
      new Option(
        '--part <part>',
        'what the files have (default: journal, which is what has no document)',
      ).choices(['journal', 'bills', 'credits']),
    )
    .option('--again <batch>', 'the same bytes of an earlier batch, by its number or id')
    .requiredOption('--out <file>', 'where to write it')
    .action(async (options: ExportOptions) => finish(deps, options, await workOf(deps, options)));
  const accounts = journal.command('accounts').description('account codes of the accounting software');
  request(accounts, deps, 'set <account> <code>', {
    describe: 'set the code that an account of the ledger, or a seller, has in the books',
    of: [
      'name of an account, vendor:SLUG, subsidiary, company_code, cost_centre, no_tax or tracking',
      'its code in the accounting software',
    ],
    options: {
      '--name <name>': 'its name there',
      '--system <system>': `in this system alone (default: in all): ${systems.join(', ')}, or that of a connector`,
    },
    route: 'POST /v1/journal/accounts',
    text: (_, { account, code }) => `${account} is ${code} in the books.`,
  });
}

function workOf(deps: CliDeps, options: ExportOptions): Promise<Outcome> {
  const { again: named, batch } = options;
  if (named !== undefined) return again(deps, named, options);
  return batch === undefined
    ? exported(deps, options)
    : onInstance(deps, options, (instance) => rendered(deps, instance, { ...options, batch }));
}

/** Writes the files of a batch in the layout of a system; a second one beside the first, under its own name. */
async function rendered(
  deps: CliDeps,
  instance: InstanceClient,
  { batch, format, part, out }: ExportOptions & { readonly batch: string },
): Promise<Outcome> {
  if (format === undefined || format === 'csv')
    return err({ message: `Give --format with --batch: ${systems.join(', ')}. For CSV give --again.` });
  const answer = await instance.get(
    `/v1/journal/batches/${encodeURIComponent(batch)}/files${queryOf({ format, part })}`,
  );
  if (!answer.ok) return answer;
  const files = objectsIn(answer.value['files']);
  const named = files.map(({ name, content }, at) => ({
    name: at === 0 ? out : `${out.replace(/\.csv$/, '')}-${cell(name)}`,
    content: typeof content === 'string' ? content : '',
  }));
  const written = writeFiles(deps, named);
  if (!written.ok) return written;
  const { files: _files, ...about } = answer.value;
  const names = named.map(({ name }) => name);
  return ok({ json: { ...about, out: names }, text: `Wrote ${names.join(' and ')}` });
}

function exported(deps: CliDeps, options: ExportOptions): Promise<Outcome> {
  const { period, format, out } = options;
  const isRendered = format !== undefined && format !== 'csv';
  if (period === undefined || format === undefined)
    return Promise.resolve(
      err({ message: 'Give --period or --batch with --format, or --again with a batch.' }),
    );
  return onInstance(deps, options, async (instance) => {
    // The batch is the set of entries: its layout is chosen when it is rendered.
    const body = { period, format: isRendered ? 'csv' : format };
    const done = await answerOrJob(deps, instance, options, { path: '/v1/journal/exports', body });
    if (!done.ok) return done;
    if ('shown' in done.value) return done.value.shown;
    const { answer } = done.value;
    const already = objectsIn(answer['already']);
    const before = already.map(batchText).join('\n');
    const { batch } = answer;
    if (!isJsonObject(batch)) {
      const how = isRendered
        ? `--batch ${cell(already[0]?.['number'])} --format ${format}`
        : `--again ${cell(already[0]?.['number'])}`;
      const text =
        already.length === 0
          ? `No entry is booked in ${period}.`
          : `Everything was exported already, and nothing was written:\n${before}\nWrite a file of it: switchyard journal export ${how} --out ${out}`;
      return ok({ json: { batch: null, already }, text });
    }
    if (isRendered) {
      const made = await rendered(deps, instance, { ...options, batch: cell(batch['number']) });
      if (made.ok) return made;
      const hint = `Batch ${cell(batch['number'])} has these entries. Mend it, and then: switchyard journal export --batch ${cell(batch['number'])} --format ${format} --out ${out}`;
      return err({ ...made.error, hint: [made.error.hint, hint].filter(Boolean).join('\n') });
    }
    const written = write(deps, out, batch);
    if (!written.ok) return written;
    const { file: _file, ...shown } = batch;
    const text = `Wrote ${out}: ${batchText(batch)}`;
    return ok({
      json: { batch: { ...shown, out }, already },
      text: before === '' ? text : `${text}\nExported before:\n${before}`,
    });
  });
}

function again(deps: CliDeps, named: string, options: ExportOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.get(`/v1/journal/batches/${encodeURIComponent(named)}`);
    if (!answer.ok) return answer;
    const written = write(deps, options.out, answer.value);
    if (!written.ok) return written;
    const { file: _file, ...shown } = answer.value;
    return ok({
      json: { ...shown, out: options.out },
      text: `Wrote ${options.out}: ${batchText(answer.value)}`,
    });
  });
}

function write(deps: CliDeps, out: string, batch: JsonObject): Result<undefined, CliFailure> {
  const { file, number } = batch;
  const written = writeFiles(deps, [{ name: out, content: typeof file === 'string' ? file : '' }]);
  if (written.ok) return written;
  const hint = `The batch is exported. Get its file with: switchyard journal export --again ${cell(number)} --out FILE`;
  return err({ ...written.error, hint });
}

const batchText = (row: JsonObject): string =>
  `batch ${cell(row['number'])}, ${cell(row['entries'])} entries in ${cell(row['lines'])} lines as ${cell(row['format'])}, exported ${cell(row['exported_at'])}`;
