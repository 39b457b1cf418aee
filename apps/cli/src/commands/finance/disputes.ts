import { Buffer } from 'node:buffer';
import type { Command } from 'commander';
import { isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { writeFiles } from '../../write-files.js';

/** `disputes open|show|letter|answer|close|reopen`: cases with sellers about amounts of invoices. */
export function registerDisputes(program: Command, deps: CliDeps): void {
  const disputes = program.command('disputes').description('cases with sellers about amounts of invoices');
  request(disputes, deps, 'open', {
    describe: 'dispute an open difference, or an amount of an invoice; it is held and is not paid',
    options: {
      '--break <id>': { help: 'an open difference', member: 'break_id' },
      '--invoice <id>': { help: 'an invoice, with --amount', member: 'invoice_id' },
      '--amount <amount>': 'what is disputed of the invoice',
      '--line <number>': {
        help: 'a line of the invoice; may be given several times',
        member: 'lines',
        read: (text: string, before: readonly number[] = []) => [...before, Number(text)],
      },
      '--reason <text>': needed('why; the letter says it'),
      '--due <day>': { help: 'the seller is asked to answer by then (default: 30 days)', member: 'due_on' },
    },
    route: 'POST /v1/disputes',
    text: detailText,
  });
  const of = 'id or number of the case, for example D-7';
  request(disputes, deps, 'show <id>', {
    describe: 'show one case with what was answered',
    of,
    route: 'GET /v1/disputes/{id}',
    text: detailText,
  });
  withTarget(disputes.command('letter'))
    .argument('<id>', of)
    .description('print the letter of a case to its seller, or write it as a PDF')
    .option('--out <file>', 'write a PDF')
    .action(atInstance(deps, letter));
  request(disputes, deps, 'answer <id>', {
    describe: 'store what the seller has answered',
    of,
    options: {
      '--text <text>': needed('the answer'),
      '--from <side>': { help: 'who said it (default: seller)', words: ['seller', 'us'] },
    },
    route: 'POST /v1/disputes/{id}/answer',
    text: detailText,
  });
  request(disputes, deps, 'close <id>', {
    describe: 'end a case by its outcome; what it held is free',
    of,
    options: {
      '--outcome <outcome>': {
        help: 'what became of the amount',
        isNeeded: true,
        words: ['credited', 'accepted', 'partly', 'withdrawn'],
      },
      '--credit <id>': { help: 'id of the credit note, with credited and partly', member: 'credit_id' },
      '--amount <amount>': 'the part that is credited, with partly',
      '--reason <text>': needed('why'),
    },
    route: 'POST /v1/disputes/{id}/close',
    text: detailText,
  });
  request(disputes, deps, 'reopen <id>', {
    describe: 'open a case again; its end is taken back',
    of,
    options: { '--reason <text>': needed('why') },
    route: 'POST /v1/disputes/{id}/reopen',
    text: detailText,
  });
}

const path = (id: string, act = ''): string => `/v1/disputes/${encodeURIComponent(id)}${act}`;

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
