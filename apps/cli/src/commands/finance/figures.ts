import type { Command } from 'commander';
import { defined, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { readJsonFile } from '../../read-input.js';
import { table } from '../../table.js';
import { onInstance, withTarget } from '../../target.js';
import { previewText, refusedRows, sendFile } from '../../send-file.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';
import { answersOf, collected, openQuestions } from './read-documents.js';

interface ImportOptions extends JobOptions {
  readonly source: string;
  readonly mapping?: string;
  readonly seller?: string;
  readonly currency?: string;
  readonly answer?: readonly string[];
  readonly dryRun?: boolean;
}

/** `figures import FILE` and `figures pull`. */
export function registerFigures(program: Command, deps: CliDeps): void {
  const figures = program
    .command('figures')
    .description('figures of third parties, for example an ad server, and account statements of sellers');
  withJob(withTarget(figures.command('import')))
    .description(
      'import figures by buy, package and day or month from a file; they are shown beside those of the sellers. Of a file that counts and says no amounts, they are computed at the price of each package',
    )
    .argument('<file>', 'CSV or XLSX with a header row, or a JSON array of objects')
    .requiredOption('--source <name>', 'source of the figures; a later file of the same source replaces them')
    .option('--mapping <file>', 'JSON object: field to column (default: that of the last file of the source)')
    .option('--answer <id=option>', 'answer to a question about the file; may be repeated', collected)
    .option('--seller <slug>', 'seller, if the file has no column for it')
    .option('--currency <code>', 'ISO 4217 code, if the file has no column for it')
    .option('--dry-run', 'show what would be imported, and store nothing')
    .action(printing(deps, importFile));
  request(figures, deps, 'pull', {
    describe: 'ask a seller for the spend and invoices of our account in one month, and store its answer',
    options: {
      '--seller <slug>': needed('slug of the seller'),
      '--period <month>': needed('YYYY-MM'),
      '--account <id>': {
        help: 'id of the account at the seller (default: that of the connection)',
        member: 'account_id',
      },
      '--as-written': 'store a spend far above what was ordered there',
    },
    route: 'POST /v1/figures/pull',
    text: (answer, { seller, period }) => {
      const { currency, total_spend: total, timezone, answer_sha256: hash } = answer;
      const rows = objectsIn(answer['invoices']).map(({ number, amount, status }) => [
        ...[number, amount, currency, status],
      ]);
      const spent = total === undefined ? 'no spend' : `${cell(total)} ${cell(currency)} spent`;
      const text = `${seller} says for ${period}: ${spent}, ${rows.length} invoices (days of ${timezone === undefined ? 'a time zone that it does not name' : cell(timezone)}).\nThe answer is stored, SHA-256 ${cell(hash)}.`;
      const head = ['Invoice', 'Amount', 'Currency', 'Status'];
      return rows.length === 0 ? text : `${text}\n${table(deps, head, rows)}`;
    },
  });
}

async function importFile(deps: CliDeps, file: string, options: ImportOptions): Promise<Outcome> {
  const { source, seller, currency, answer: answered, dryRun } = options;
  const mapping = options.mapping === undefined ? undefined : await readJsonFile(deps, options.mapping);
  if (mapping?.ok === false) return mapping;
  return onInstance(deps, options, async (instance) => {
    const sent = await sendFile(deps, instance, file);
    if (!sent.ok) return sent;
    const body = {
      source,
      file_id: sent.value,
      defaults: defined({ seller, currency }),
      ...answersOf(answered),
      ...(mapping !== undefined && { mapping: mapping.value.value }),
      ...(dryRun === true && { dry_run: true }),
    };
    const done = await answerOrJob(deps, instance, options, { path: '/v1/figures/import', body });
    if (!done.ok) return done;
    if ('shown' in done.value) return done.value.shown;
    const { answer } = done.value;
    const { import_id: id, version, lines } = answer;
    const refused = refusedRows(deps, 'Nothing was stored', answer);
    if (refused !== undefined) return ok({ json: answer, ...refused });
    const asked = openQuestions(answer, 'Nothing was stored');
    if (asked !== undefined) return ok(asked);
    const shown = previewText(deps, answer['preview']) + computedText(deps, answer);
    const summary =
      id === null
        ? `${shown}The file can be read. Rows: ${cell(lines)}. Nothing was stored.`
        : `${shown}Rows stored: ${cell(lines)}. Source ${source}, version ${cell(version)}.`;
    return ok({ json: answer, text: summary });
  });
}

/** What was computed from counts, and the rows that cost nothing known; empty of a file with amounts. */
function computedText(deps: CliDeps, answer: JsonObject): string {
  const computed = objectsIn(answer['computed']).map(
    ({ row, package_id: id, day, basis, amount, currency }) => [
      ...[row, id, day, basis],
      `${cell(amount)} ${cell(currency)}`,
    ],
  );
  const leftOut = objectsIn(answer['left_out']).map(({ row, reason }) => [row, reason]);
  const amounts =
    computed.length === 0
      ? ''
      : `The file has no amounts: they are what was counted at the price of each package.\n${table(deps, ['Row', 'Package', 'Day', 'Counted', 'Amount'], computed)}\n`;
  const others = leftOut.length === 0 ? '' : `${table(deps, ['Row', 'Left out'], leftOut)}\n`;
  return amounts + others;
}
