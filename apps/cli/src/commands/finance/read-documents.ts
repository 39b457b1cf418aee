import type { Command } from 'commander';
import { defined, ok, type JsonObject, type JsonValue } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { printing, type Outcome, type Shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { sendFile } from '../../send-file.js';
import { table } from '../../table.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';

/** What commands say of a file that is read. */
export interface ReadingOptions extends TargetOptions {
  readonly seller: string;
  readonly answer?: readonly string[];
  readonly total?: string;
  readonly number?: string;
  readonly period?: string;
  readonly issued?: string;
  readonly due?: string;
  readonly currency?: string;
}

/** Collects an option that may be repeated. */
export const collected = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
];

export function withReading(command: Command): Command {
  return withTarget(command)
    .argument('<file>', 'CSV, text, XLSX, JSON, or an e-invoice in XML (UBL, CII)')
    .requiredOption('--seller <slug>', 'slug of the seller')
    .option('--answer <id=option>', 'answer to a question of the preview; may be repeated', collected)
    .option('--total <amount>', 'what all documents of the file add up to, net or gross')
    .option('--number <number>', 'invoice number, if the file has none')
    .option('--period <month>', 'month that it bills, YYYY-MM, if the file does not say it')
    .option('--issued <day>', 'day of issue, YYYY-MM-DD, if the file has none')
    .option('--due <day>', 'due date, YYYY-MM-DD (default: by the terms of the seller)')
    .option('--currency <code>', 'ISO 4217 code, if the file has none');
}

/** The members of a request that these options make. */
export function readingBody({
  answer,
  total,
  number,
  period,
  issued,
  due,
  currency,
}: ReadingOptions): JsonObject {
  const defaults = defined({ invoice_number: number, period, issued_on: issued, due_on: due, currency });
  return {
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...answersOf(answer),
    ...(total !== undefined && { control_total: total }),
  };
}

/** The member `answers` of a request; none without an answer. */
export function answersOf(given: readonly string[] = []): {
  readonly answers?: Readonly<Record<string, string>>;
} {
  if (given.length === 0) return {};
  const answers = given.map((text): readonly [string, string] => {
    const at = text.indexOf('=');
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  });
  return { answers: Object.fromEntries(answers) };
}

/** `invoices preview FILE`. */
export function registerPreview(invoices: Command, deps: CliDeps): void {
  withReading(invoices.command('preview'))
    .description('show how a file is read, its documents, and what it leaves open; book nothing')
    .action(printing(deps, previewFile));
}

function previewFile(deps: CliDeps, file: string, options: ReadingOptions): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const sent = await sendFile(deps, instance, file);
    if (!sent.ok) return sent;
    const body = { seller: options.seller, file_id: sent.value, ...readingBody(options) };
    const answer = await instance.post('/v1/invoices/preview', body);
    return answer.ok ? ok({ json: answer.value, text: previewOf(deps, answer.value) }) : answer;
  });
}

function previewOf(deps: CliDeps, answer: JsonObject): string {
  const documents = objectsIn(answer['documents']).map(
    ({
      number,
      kind,
      issued,
      service_from: from,
      service_to: to,
      currency,
      net,
      tax,
      gross,
      line_total: lines,
    }) => [
      number ?? '?',
      kind,
      issued ?? '?',
      from ?? '?',
      to ?? '?',
      net,
      tax,
      gross,
      currency ?? '?',
      lines,
    ],
  );
  const head = ['Number', 'Kind', 'Issued', 'From', 'To', 'Net', 'Tax', 'Gross', 'Currency', 'Lines'];
  const checks = objectsIn(answer['checks']).map(
    ({ text, ok: isRight }) => `${isRight === true ? 'ok' : 'DIFFERS'}: ${cell(text)}`,
  );
  const refused = objectsIn(answer['refused']).map(({ row, reason }) => `row ${cell(row)}: ${cell(reason)}`);
  return [table(deps, head, documents), ...checks, ...refused, ...questionLines(answer['questions'])].join(
    '\n',
  );
}

function questionLines(questions: JsonValue | undefined): readonly string[] {
  return objectsIn(questions).flatMap(({ id, why, options }) => [
    cell(why),
    ...objectsIn(options).map(
      ({ option, example }) => `  --answer ${cell(id)}=${cell(option)}    ${cell(example)}`,
    ),
  ]);
}

/** What a command prints of a file that leaves something open; undefined if it leaves nothing open. */
export function openQuestions(answer: JsonObject, what = 'Nothing was booked'): Shown | undefined {
  if (objectsIn(answer['questions']).length === 0) return undefined;
  const text = [`${what}. The file leaves something open:`, ...questionLines(answer['questions'])].join('\n');
  return { json: answer, text, exit: 5 };
}

/** What a command prints of booked documents. */
export function bookedText(deps: CliDeps, answer: JsonObject): string {
  const rows = objectsIn(answer['invoices']).map(
    ({ invoice_id: id, number, kind, service_from: from, service_to: to, net, tax, gross }) => [
      id,
      number,
      kind,
      from,
      to,
      net,
      tax,
      gross,
    ],
  );
  // The result of a job names a hundred at most.
  if (rows.length === 0 && typeof answer['documents'] === 'number')
    return `${cell(answer['documents'])} documents are booked. See them with: switchyard invoices list`;
  return table(deps, ['Invoice', 'Number', 'Kind', 'From', 'To', 'Net', 'Tax', 'Gross'], rows);
}
