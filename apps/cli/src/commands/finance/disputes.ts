import { Buffer } from 'node:buffer';
import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { several } from '../../read-options.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

interface OpenOptions extends TargetOptions {
  readonly break?: string;
  readonly invoice?: string;
  readonly amount?: string;
  readonly line?: readonly string[];
  readonly reason: string;
  readonly due?: string;
}

interface CloseOptions extends TargetOptions {
  readonly outcome: string;
  readonly credit?: string;
  readonly amount?: string;
  readonly reason: string;
}

/** `disputes open|show|letter|answer|close|reopen`: cases with sellers about amounts of invoices. */
export function registerDisputes(program: Command, deps: CliDeps): void {
  const disputes = program.command('disputes').description('cases with sellers about amounts of invoices');
  withTarget(disputes.command('open'))
    .description('dispute an open difference, or an amount of an invoice; it is held and is not paid')
    .option('--break <id>', 'an open difference')
    .option('--invoice <id>', 'an invoice, with --amount')
    .option('--amount <amount>', 'what is disputed of the invoice')
    .option('--line <number>', 'a line of the invoice; may be given several times', several)
    .requiredOption('--reason <text>', 'why; the letter says it')
    .option('--due <day>', 'the seller is asked to answer by then (default: 30 days)')
    .action(atInstance(deps, open));
  const named = (command: Command): Command =>
    withTarget(command).argument('<id>', 'id or number of the case, for example D-7');
  named(disputes.command('show'))
    .description('show one case with what was answered')
    .action(atInstance(deps, ({ instance }: At, id: string) => shown(instance.get(path(id)), detailText)));
  named(disputes.command('letter'))
    .description('print the letter of a case to its seller, or write it as a PDF')
    .option('--out <file>', 'write a PDF')
    .action(atInstance(deps, letter));
  named(disputes.command('answer'))
    .description('store what the seller has answered')
    .requiredOption('--text <text>', 'the answer')
    .addOption(new Option('--from <side>', 'who said it (default: seller)').choices(['seller', 'us']))
    .action(
      atInstance(
        deps,
        (
          { instance, options }: At<TargetOptions & { readonly text: string; readonly from?: string }>,
          id: string,
        ) => {
          const { text, from } = options;
          return shown(instance.post(path(id, '/answer'), { text, ...defined({ from }) }), detailText);
        },
      ),
    );
  named(disputes.command('close'))
    .description('end a case by its outcome; what it held is free')
    .addOption(
      new Option('--outcome <outcome>', 'what became of the amount')
        .choices(['credited', 'accepted', 'partly', 'withdrawn'])
        .makeOptionMandatory(),
    )
    .option('--credit <id>', 'id of the credit note, with credited and partly')
    .option('--amount <amount>', 'the part that is credited, with partly')
    .requiredOption('--reason <text>', 'why')
    .action(atInstance(deps, close));
  named(disputes.command('reopen'))
    .description('open a case again; its end is taken back')
    .requiredOption('--reason <text>', 'why')
    .action(
      atInstance(deps, ({ instance, options }: At<TargetOptions & { readonly reason: string }>, id: string) =>
        shown(instance.post(path(id, '/reopen'), { reason: options.reason }), detailText),
      ),
    );
}

const path = (id: string, act = ''): string => `/v1/disputes/${encodeURIComponent(id)}${act}`;

function open({ instance, options }: At<OpenOptions>): Promise<Outcome> {
  const { break: breakId, invoice, amount, line, reason, due } = options;
  const body = {
    reason,
    ...defined({ break_id: breakId, invoice_id: invoice, amount, due_on: due, lines: line?.map(Number) }),
  };
  return shown(instance.post('/v1/disputes', body), detailText);
}

function close({ instance, options }: At<CloseOptions>, id: string): Promise<Outcome> {
  const { outcome, credit, amount, reason } = options;
  const body = { outcome, reason, ...defined({ credit_id: credit, amount }) };
  return shown(instance.post(path(id, '/close'), body), detailText);
}

async function letter(
  { deps, instance, options: { out } }: At<TargetOptions & { readonly out?: string }>,
  id: string,
): Promise<Outcome> {
  if (out === undefined)
    return shown(
      instance.get(path(id, '/letter')),
      ({ subject, text }) => `Subject: ${cell(subject)}\n\n${typeof text === 'string' ? text : ''}`,
    );
  const answer = await instance.get(path(id, '/letter?format=pdf'));
  if (!answer.ok) return answer;
  const { file, ...mail } = answer.value;
  const content = isJsonObject(file) && typeof file['content'] === 'string' ? file['content'] : '';
  const written = writeFiles(deps, [{ name: out, content: Buffer.from(content, 'base64') }]);
  return written.ok ? ok({ json: { ...mail, out }, text: `Wrote ${out}` }) : written;
}

function detailText(row: JsonObject): string {
  const { number, seller, invoice, amount, currency, held, reason, due_on: due, state } = row;
  const answers = objectsIn(row['answers']).map(
    ({ at, from, by, text }) => `${cell(at)} ${cell(from)} (entered by ${cell(by)}): ${cell(text)}`,
  );
  const ended =
    row['outcome'] === undefined
      ? []
      : [
          `${cell(row['outcome'])}${row['credited'] === undefined ? '' : ` ${cell(row['credited'])} ${cell(currency)}`}: ${cell(row['closing_note'])}`,
        ];
  return [
    `${cell(number)}: ${cell(amount)} ${cell(currency)} of invoice ${cell(invoice)} of ${cell(seller)}, ${cell(state)}`,
    cell(reason),
    `held       ${cell(held)}`,
    `answer by  ${cell(due)}`,
    `id         ${cell(row['dispute_id'])}`,
    ...answers,
    ...ended,
  ].join('\n');
}
