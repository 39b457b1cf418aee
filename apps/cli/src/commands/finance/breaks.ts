import type { Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import type { Outcome } from '../../outcome.js';
import { listed, tableOf, withPages, type Columns, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';
import { registerAgreements } from './agreements.js';
import { registerTolerances } from './tolerances.js';

interface RunOptions extends JobOptions {
  readonly period: string;
  readonly client?: string;
  readonly seller?: string;
  readonly tolerance?: string;
  readonly tolerancePercent?: string;
}

/** The columns of a list of differences. */
const columns: Columns = {
  Break: 'break_id',
  Kind: 'kind',
  Seller: 'seller',
  Buy: 'buy',
  Package: 'package',
  Delivered: (row) => row['polled'] ?? row['reported'],
  'Third party': 'third_party',
  Invoiced: 'invoiced',
  Difference: (row) => `${cell(row['difference'])} ${cell(row['currency'])}`,
  State: 'state',
  Cause: 'cause',
};

/** `reconcile`, `tolerances list|set|remove` and `breaks list|show|assign|comment|resolve`. */
export function registerBreaks(program: Command, deps: CliDeps): void {
  withJob(withTarget(program.command('reconcile')))
    .description('compare what was ordered, delivered and invoiced in one period')
    .requiredOption('--period <month>', 'YYYY-MM')
    .option('--client <id>', 'only buys of one client')
    .option('--seller <slug>', 'only one seller')
    .option(
      '--tolerance <amount>',
      'tolerated difference, for this run only (default: the stored tolerances)',
    )
    .option(
      '--tolerance-percent <percent>',
      'the same in percent of what was delivered, two decimals at most',
    )
    .action(atInstance(deps, run));
  registerTolerances(program, deps);
  registerAgreements(program, deps);
  const breaks = program.command('breaks').description('differences that somebody must explain');
  withTarget(withPages(breaks.command('list')))
    .description('list differences, newest first')
    .action(atInstance(deps, list));
  request(breaks, deps, 'show <id>', {
    describe: 'show one difference with its comments',
    of: 'break id',
    route: 'GET /v1/breaks/{id}',
    text: detailText,
  });
  request(breaks, deps, 'assign <id> <principal>', {
    describe: 'assign an open difference to a principal',
    of: ['break id', 'name or id'],
    route: 'POST /v1/breaks/{id}/assign',
    members: ({ principal }) => ({ owner: principal }),
    text: detailText,
  });
  request(breaks, deps, 'comment <id> <text>', {
    describe: 'add a comment to a difference',
    of: ['break id', 'the comment'],
    route: 'POST /v1/breaks/{id}/comment',
    text: detailText,
  });
  request(breaks, deps, 'resolve <id>', {
    describe: 'resolve an open difference, with an entry in the ledger',
    of: 'break id',
    options: {
      '--as <resolution>': {
        help: 'how it is resolved',
        isNeeded: true,
        words: ['credit', 'dispute', 'accept', 'write-off', 'corrected', 'expected'],
      },
      '--reason <text>': 'the reason, stored in the ledger',
    },
    route: 'POST /v1/breaks/{id}/resolve',
    text: detailText,
  });
}

async function run({ deps, instance, options }: At<RunOptions>): Promise<Outcome> {
  const { period, client, seller, tolerance, tolerancePercent } = options;
  const body = {
    period,
    ...defined({ client_id: client, seller, tolerance, tolerance_percent: tolerancePercent }),
  };
  const done = await answerOrJob(deps, instance, options, { path: '/v1/reconciliations', body });
  if (!done.ok) return done;
  if ('shown' in done.value) return done.value.shown;
  const { answer } = done.value;
  const found = objectsIn(answer['breaks']);
  const open = answer['breaks'] === undefined ? cell(answer['open']) : String(found.length);
  const title = `Amounts that agree: ${cell(answer['matched'])}. Open differences: ${open}.`;
  const rows =
    found.length > 0
      ? `\n${tableOf(deps, columns, found)}`
      : open === '0'
        ? ''
        : ` See them with: switchyard breaks list --state open --period ${period}`;
  return ok({ json: answer, text: `${title}${rows}` });
}

function list(at: At<PageOptions>): Promise<Outcome> {
  return listed(at, {
    path: '/v1/breaks',
    name: 'breaks',
    isAnswer: true,
    columns,
    none: 'There are no differences.',
  });
}

function detailText(row: JsonObject): string {
  const members = [
    'period',
    'client',
    'brand',
    'campaign',
    'buy',
    'package',
    'ordered',
    'reported',
    'polled',
    'invoiced',
    'third_party',
    'third_party_source',
    'owner',
  ];
  const lines = members.flatMap((name) =>
    cell(row[name]) === '' ? [] : [`${name.padEnd(10)} ${cell(row[name])}`],
  );
  const comments = objectsIn(row['comments']).map(
    ({ at, by, text }) => `${cell(at)} ${cell(by)}: ${cell(text)}`,
  );
  const used = row['tolerance'];
  if (isJsonObject(used))
    lines.push(`${'tolerated'.padEnd(10)} ${cell(used['allowed'])} (${cell(used['rule'])})`);
  const resolved =
    row['resolution'] === undefined
      ? []
      : [`resolved as ${cell(row['resolution'])} by ${cell(row['resolved_by'])}: ${cell(row['reason'])}`];
  return [
    `${cell(row['kind'])} at ${cell(row['seller'])}: ${cell(row['difference'])} ${cell(row['currency'])}, ${cell(row['state'])}`,
    cell(row['cause']),
    ...lines,
    ...resolved,
    ...comments,
  ].join('\n');
}
