import { basename } from 'node:path';
import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, waitingFor, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';
import { textOf } from '../finance/invoices.js';
import { refusedRows } from '../../send-file.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

/** `limits set|list|remove`: who may spend how much, for whom, and at which seller. */
export function registerLimits(program: Command, deps: CliDeps): void {
  const limits = program.command('limits').description('what may be spent, and what is committed against it');
  request(limits, deps, 'set', {
    describe:
      'set a limit, in place of the one for the same thing and period; another person approves a raise',
    options: {
      '--for <what>': needed(
        'organization, principal:ID, client:ID, brand:DOMAIN, campaign:ID, seller:SLUG, each-buy or new-brand',
      ),
      '--amount <amount>': 'decimal text; all but new-brand need it',
      '--currency <code>': 'of the amount',
      '--per <period>': { help: 'per calendar month (default: in total)', words: ['month'] },
      '--above <what>': { help: 'what happens above the limit (default: ask)', words: ['ask', 'refuse'] },
    },
    route: 'POST /v1/limits',
    text: ({ limit_id: id }, { for: of }) => `Limit ${cell(id)} on ${of} is set.`,
  });
  withTarget(withPages(limits.command('list')))
    .description('list limits with the amounts committed, pending and left')
    .action(atInstance(deps, list));
  request(limits, deps, 'remove <id>', {
    describe: 'remove a limit once another person approves it; committed amounts stay counted',
    of: 'limit id',
    route: 'DELETE /v1/limits/{id}',
    text: (_, { id }) => `${id} is removed.`,
  });
}

const asWritten = 'enter rates that are far from those before them: they are right';

/** `rates set|import`: exchange rates for limits and reports. */
export function registerRates(program: Command, deps: CliDeps): void {
  const rates = program.command('rates').description('exchange rates for limits and reports');
  request(rates, deps, 'set <from> <to> <rate>', {
    describe: 'enter a rate; it replaces one of the same day',
    of: [
      ...['currency', 'currency'],
      'amount of the second currency for one unit of the first, decimal text',
    ],
    options: {
      '--date <date>': needed('from which day on'),
      '--source <text>': needed('source of the rate'),
      '--as-written': asWritten,
    },
    route: 'POST /v1/rates',
    text: (_, { from, to, rate, date }) => `1 ${from} is ${rate} ${to} from ${date} on.`,
  });
  withTarget(rates.command('import'))
    .description('enter the rates of a file, all or none')
    .argument(
      '<file>',
      'CSV with the columns from, to, rate, date and source, a JSON array, or a file of the ECB',
    )
    .option('--source <text>', 'source of rows that name none')
    .option('--as-written', asWritten)
    .action(printing(deps, importRates));
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/limits',
    name: 'limits',
    isAnswer: true,
    columns: {
      Limit: 'limit_id',
      For: (row) =>
        row['name'] === undefined
          ? row['for']
          : `${cell(row['for']).split(':')[0] ?? ''} ${cell(row['name'])}`,
      Amount: (row) =>
        row['for'] === 'new-brand'
          ? 'any'
          : `${cell(row['limit'])} ${cell(row['currency'])}${row['per'] === 'month' ? ' per month' : ''}`,
      Committed: (row) => row['committed'] ?? '',
      Pending: (row) => row['pending'] ?? '',
      Left: (row) =>
        row['left'] ??
        (row['missing_rate_from'] === undefined ? '' : `no rate from ${cell(row['missing_rate_from'])}`),
      Above: 'above',
    },
    none: 'There are no limits.',
  });
}

async function importRates(
  deps: CliDeps,
  file: string,
  {
    source,
    asWritten: isSure,
    ...options
  }: TargetOptions & { readonly source?: string; readonly asWritten?: boolean },
): Promise<Outcome> {
  const text = textOf(deps, file);
  if (!text.ok) return text;
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post('/v1/rates/import', {
      file: { name: basename(file), text: text.value },
      ...(source !== undefined && { source }),
      ...(isSure === true && { as_written: true }),
    });
    if (!answer.ok) return answer;
    const waiting = waitingFor(answer.value);
    if (waiting !== undefined) return ok(waiting);
    const refused = refusedRows(deps, 'No rate was entered', answer.value);
    return ok({
      json: answer.value,
      ...(refused ?? { text: `Rates entered: ${cell(answer.value['imported'])}.` }),
    });
  });
}
