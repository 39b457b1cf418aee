import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, shown, waitingFor, type Outcome } from '../../outcome.js';
import { listed, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { textOf } from '../finance/invoices.js';
import { refusedRows } from '../../send-file.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface SetOptions extends TargetOptions {
  readonly for: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly per?: string;
  readonly above?: string;
}

interface RateOptions extends TargetOptions {
  readonly date: string;
  readonly source: string;
  readonly asWritten?: boolean;
}

/** `limits set|list|remove`: who may spend how much, for whom, and at which seller. */
export function registerLimits(program: Command, deps: CliDeps): void {
  const limits = program.command('limits').description('what may be spent, and what is committed against it');
  withTarget(limits.command('set'))
    .description(
      'set a limit, in place of the one for the same thing and period; another person approves a raise',
    )
    .requiredOption(
      '--for <what>',
      'organization, principal:ID, client:ID, brand:DOMAIN, campaign:ID, seller:SLUG, each-buy or new-brand',
    )
    .option('--amount <amount>', 'decimal text; all but new-brand need it')
    .option('--currency <code>', 'of the amount')
    .addOption(new Option('--per <period>', 'per calendar month (default: in total)').choices(['month']))
    .addOption(
      new Option('--above <what>', 'what happens above the limit (default: ask)').choices(['ask', 'refuse']),
    )
    .action(atInstance(deps, set));
  withTarget(withPages(limits.command('list')))
    .description('list limits with the amounts committed, pending and left')
    .action(atInstance(deps, list));
  withTarget(limits.command('remove'))
    .description('remove a limit once another person approves it; committed amounts stay counted')
    .argument('<id>', 'limit id')
    .action(atInstance(deps, remove));
}

const asWritten = 'enter rates that are far from those before them: they are right';

/** `rates set|import`: exchange rates for limits and reports. */
export function registerRates(program: Command, deps: CliDeps): void {
  const rates = program.command('rates').description('exchange rates for limits and reports');
  withTarget(rates.command('set'))
    .description('enter a rate; it replaces one of the same day')
    .argument('<from>', 'currency')
    .argument('<to>', 'currency')
    .argument('<rate>', 'amount of the second currency for one unit of the first, decimal text')
    .requiredOption('--date <date>', 'from which day on')
    .requiredOption('--source <text>', 'source of the rate')
    .option('--as-written', asWritten)
    .action(atInstance(deps, setRate));
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

function set({ instance, options }: At<SetOptions>): Promise<Outcome> {
  const { for: of, amount, currency, per, above } = options;
  const body = {
    for: of,
    ...(amount === undefined ? {} : { amount }),
    ...(currency === undefined ? {} : { currency }),
    ...(per === undefined ? {} : { per }),
    ...(above === undefined ? {} : { above }),
  };
  return shown(
    instance.post('/v1/limits', body),
    (answer) => `Limit ${cell(answer['limit_id'])} on ${of} is set.`,
  );
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

function remove({ instance }: At, id: string): Promise<Outcome> {
  return shown(instance.remove(`/v1/limits/${encodeURIComponent(id)}`), () => `${id} is removed.`);
}

function setRate(at: At<RateOptions>, from: string, to: string, rate: string): Promise<Outcome> {
  const { date, source, asWritten: isSure } = at.options;
  const body = { from, to, rate, date, source, ...(isSure === true && { as_written: true }) };
  return shown(at.instance.post('/v1/rates', body), () => `1 ${from} is ${rate} ${to} from ${date} on.`);
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
