import { Option, type Command } from 'commander';
import { defined, isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown, type Outcome } from '../../outcome.js';
import { listed, tableOf, withPages, type Columns, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';
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

interface ResolveOptions extends TargetOptions {
  readonly as: string;
  readonly reason?: string;
}

interface ListOptions extends PageOptions {
  readonly period?: string;
  readonly seller?: string;
  readonly state?: string;
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
    .option('--period <month>', 'only those of one month, YYYY-MM')
    .option('--seller <slug>', 'only those of one seller')
    .addOption(
      new Option('--state <state>', 'only those in this state').choices([
        'open',
        'disputed',
        'resolved',
        'gone',
      ]),
    )
    .action(atInstance(deps, list));
  withTarget(breaks.command('show'))
    .description('show one difference with its comments')
    .argument('<id>', 'break id')
    .action(atInstance(deps, show));
  withTarget(breaks.command('assign'))
    .description('assign an open difference to a principal')
    .argument('<id>', 'break id')
    .argument('<principal>', 'name or id')
    .action(atInstance(deps, (at: At, id: string, owner: string) => act(at, `${id}/assign`, { owner })));
  withTarget(breaks.command('comment'))
    .description('add a comment to a difference')
    .argument('<id>', 'break id')
    .argument('<text>', 'the comment')
    .action(atInstance(deps, (at: At, id: string, text: string) => act(at, `${id}/comment`, { text })));
  withTarget(breaks.command('resolve'))
    .description('resolve an open difference, with an entry in the ledger')
    .argument('<id>', 'break id')
    .addOption(
      new Option('--as <resolution>', 'how it is resolved')
        .choices(['credit', 'dispute', 'accept', 'write-off', 'corrected', 'expected'])
        .makeOptionMandatory(),
    )
    .option('--reason <text>', 'the reason, stored in the ledger')
    .action(
      atInstance(deps, (at: At<ResolveOptions>, id: string) => {
        const { as, reason } = at.options;
        return act(at, `${id}/resolve`, { as, ...defined({ reason }) });
      }),
    );
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

function list(at: At<ListOptions>): Promise<Outcome> {
  const { period, seller, state } = at.options;
  return listed(at, {
    path: '/v1/breaks',
    query: { period, seller, state },
    name: 'breaks',
    isAnswer: true,
    columns,
    none: 'There are no differences.',
  });
}

function show({ instance }: At, id: string): Promise<Outcome> {
  return shown(instance.get(`/v1/breaks/${encodeURIComponent(id)}`), detailText);
}

function act({ instance }: At, path: string, body: JsonObject): Promise<Outcome> {
  return shown(instance.post(`/v1/breaks/${path}`, body), detailText);
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
