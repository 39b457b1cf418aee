import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, shown, type CliFailure, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { readJsonFile, unreadable } from '../../read-input.js';
import { table } from '../../table.js';
import { previewText, refusedRows, sendFile } from '../../send-file.js';
import { atInstance, onInstance, withTarget, type At } from '../../target.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';
import { registerInvoiceLife } from './invoice-life.js';
import { registerPayables } from './payables.js';
import {
  bookedText,
  openQuestions,
  readingBody,
  registerPreview,
  withReading,
  type ReadingOptions,
} from './read-documents.js';

interface ImportOptions extends ReadingOptions, JobOptions {
  readonly mapping?: string;
  readonly dryRun?: boolean;
}

/** `invoices preview FILE`, `invoices import FILE`, `invoices show ID`, and the commands of `registerPayables`. */
export function registerInvoices(program: Command, deps: CliDeps): void {
  const invoices = program.command('invoices').description('invoices of sellers');
  registerPreview(invoices, deps);
  withJob(withReading(invoices.command('import')))
    .description(
      'book all invoices and credit notes of a file, or none; exit code 5 if the file leaves something open',
    )
    .option('--mapping <file>', 'JSON object: field to column; reads one invoice, row by row')
    .option('--dry-run', 'show what would be booked, and book nothing')
    .action(printing(deps, importFile));
  registerPayables(program, invoices, deps);
  registerInvoiceLife(program, invoices, deps);
  withTarget(invoices.command('attach'))
    .description('attach a PDF to an invoice; its bytes and their hash are stored')
    .argument('<id>', 'invoice id')
    .argument('<file>', 'PDF of 25 MB at most')
    .action(atInstance(deps, attach));
  request(invoices, deps, 'show <id>', {
    describe: 'show one invoice with its lines',
    of: 'invoice id',
    route: 'GET /v1/invoices/{id}',
    text: (answer) => detailText(deps, answer),
  });
}

async function importFile(deps: CliDeps, file: string, options: ImportOptions): Promise<Outcome> {
  const mapping = options.mapping === undefined ? undefined : await readJsonFile(deps, options.mapping);
  if (mapping?.ok === false) return mapping;
  return onInstance(deps, options, async (instance) => {
    const sent = await sendFile(deps, instance, file);
    if (!sent.ok) return sent;
    const body = {
      seller: options.seller,
      file_id: sent.value,
      ...readingBody(options),
      ...(mapping !== undefined && { mapping: mapping.value.value }),
      ...(options.dryRun === true && { dry_run: true }),
    };
    const done = await answerOrJob(deps, instance, options, { path: '/v1/invoices/import', body });
    if (!done.ok) return done;
    if ('shown' in done.value) return done.value.shown;
    const { answer } = done.value;
    const { lines, total, currency: code } = answer;
    const refused = refusedRows(deps, 'Nothing was booked', answer);
    if (refused !== undefined) return ok({ json: answer, ...refused });
    const asked = openQuestions(answer);
    if (asked !== undefined) return ok(asked);
    if (options.dryRun !== true) return ok({ json: answer, text: bookedText(deps, answer) });
    const preview = previewText(deps, answer['preview']);
    const what = `Lines: ${cell(lines)}. Total: ${cell(total)} ${cell(code)}.`;
    const summary = `${preview}The file can be read. ${what} Nothing was booked.`;
    return ok({ json: answer, text: summary });
  });
}

/** The contents of a file, as text. */
export function textOf(deps: CliDeps, file: string): Result<string, CliFailure> {
  try {
    return ok(readFileSync(resolve(deps.cwd, file), 'utf8'));
  } catch (error) {
    return err(unreadable(file, error));
  }
}

async function attach({ deps, instance }: At, id: string, file: string): Promise<Outcome> {
  const sent = await sendFile(deps, instance, file);
  if (!sent.ok) return sent;
  const path = `/v1/invoices/${encodeURIComponent(id)}/attachments`;
  return shown(instance.post(path, { file_id: sent.value }), (answer) => detailText(deps, answer));
}

function detailText(deps: CliDeps, row: JsonObject): string {
  const rows = objectsIn(row['lines']).map(lineCells);
  const { number, seller, period, total, currency, file, original_sha256: hash, line_total: all } = row;
  const title = `Invoice ${cell(number)} of ${cell(seller)} for ${cell(period)}: ${cell(total)} ${cell(currency)}`;
  const head = ['Line', 'Buy', 'Package', 'PO', 'Units', 'Amount', 'Description'];
  const more =
    typeof all === 'number' && all > rows.length ? [`The first ${rows.length} of ${all} lines.`] : [];
  const attached = objectsIn(row['attachments']).map(
    ({ name, bytes, sha256 }) => `attached ${cell(name)}, ${cell(bytes)} bytes, SHA-256 ${cell(sha256)}`,
  );
  return [
    title,
    `${words(row['kind'])}${row['refers_to'] === undefined ? '' : ` for ${cell(row['refers_to'])}`}, ${words(row['state'])}, issued ${cell(row['issued_on'])}, due ${cell(row['due_on'])}, paid ${cell(row['paid'] ?? '0')}`,
    `from ${cell(file)}, SHA-256 ${cell(hash)}`,
    ...attached,
    table(deps, head, rows),
    ...more,
  ].join('\n');
}

/** `part_paid` is `part paid`. */
const words = (value: unknown): string => cell(value).replaceAll('_', ' ');

const lineCells = (row: JsonObject) =>
  isJsonObject(row)
    ? [
        row['line'],
        row['seller_media_buy_id'],
        row['package_id'],
        row['po_number'],
        row['units'],
        row['amount'],
        row['description'],
      ]
    : [];
