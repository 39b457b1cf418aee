import { Option, type Command } from 'commander';
import { isJsonObject, ok, type JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { finish, type Outcome } from '../../outcome.js';
import { getPages, shownAnswer, shownPage, withPages, type PageOptions } from '../../pages.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { atInstance, onInstance, withTarget, type At, type TargetOptions } from '../../target.js';
import { registerTolerances } from './tolerances.js';

interface RunOptions extends TargetOptions {
  readonly period: string;
  readonly client?: string;
  readonly seller?: string;
  readonly tolerance?: string;
  readonly tolerancePercent?: string;
}

interface ListOptions extends PageOptions {
  readonly period?: string;
  readonly seller?: string;
  readonly state?: string;
}

/** `reconcile`, `tolerances list|set|remove` and `breaks list|show|assign|comment|resolve`. */
export function registerBreaks(program: Command, deps: CliDeps): void {
  withTarget(program.command('reconcile'))
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
  const breaks = program.command('breaks').description('differences that somebody must explain');
  withTarget(withPages(breaks.command('list')))
    .description('list differences, newest first')
    .option('--period <month>', 'only those of one month, YYYY-MM')
    .option('--seller <slug>', 'only those of one seller')
    .addOption(
      new Option('--state <state>', 'only those in this state').choices(['open', 'resolved', 'gone']),
    )
    .action(atInstance(deps, list));
  withTarget(breaks.command('show'))
    .description('show one difference with its comments')
    .argument('<id>', 'break id')
    .action(async (id: string, options: TargetOptions) =>
      finish(
        deps,
        options,
        await onInstance(deps, options, async (instance) => {
          const answer = await instance.get(`/v1/breaks/${encodeURIComponent(id)}`);
          return answer.ok ? ok({ json: answer.value, text: detailText(answer.value) }) : answer;
        }),
      ),
    );
  withTarget(breaks.command('assign'))
    .description('assign an open difference to a principal')
    .argument('<id>', 'break id')
    .argument('<principal>', 'name or id')
    .action(async (id: string, owner: string, options: TargetOptions) =>
      finish(deps, options, await act(deps, options, `${id}/assign`, { owner })),
    );
  withTarget(breaks.command('comment'))
    .description('add a comment to a difference')
    .argument('<id>', 'break id')
    .argument('<text>', 'the comment')
    .action(async (id: string, text: string, options: TargetOptions) =>
      finish(deps, options, await act(deps, options, `${id}/comment`, { text })),
    );
  withTarget(breaks.command('resolve'))
    .description('resolve an open difference, with an entry in the ledger')
    .argument('<id>', 'break id')
    .addOption(
      new Option('--as <resolution>', 'how it is resolved')
        .choices(['credit', 'dispute', 'accept', 'write-off', 'corrected'])
        .makeOptionMandatory(),
    )
    .option('--reason <text>', 'the reason, stored in the ledger')
    .action(async (id: string, options: TargetOptions & { readonly as: string; readonly reason?: string }) =>
      finish(
        deps,
        options,
        await act(deps, options, `${id}/resolve`, {
          as: options.as,
          ...(options.reason !== undefined && { reason: options.reason }),
        }),
      ),
    );
}

async function run({ deps, instance, options }: At<RunOptions>): Promise<Outcome> {
  const { period, client, seller, tolerance, tolerancePercent } = options;
  const answer = await instance.post('/v1/reconciliations', {
    period,
    ...(client !== undefined && { client_id: client }),
    ...(seller !== undefined && { seller }),
    ...(tolerance !== undefined && { tolerance }),
    ...(tolerancePercent !== undefined && { tolerance_percent: tolerancePercent }),
  });
  if (!answer.ok) return answer;
  const found = objectsIn(answer.value['breaks']);
  const title = `${cell(answer.value['matched'])} amounts agree, ${found.length} differences are open.`;
  const text = found.length === 0 ? title : `${title}\n${breaksTable(deps, found)}`;
  return ok({ json: answer.value, text });
}

async function list({ deps, instance, options }: At<ListOptions>): Promise<Outcome> {
  const { period, seller, state, all } = options;
  const list = { path: '/v1/breaks', name: 'breaks' };
  const page = await getPages(instance, list, { period, seller, state }, options);
  if (!page.ok) return page;
  const { rows } = page.value;
  const text = rows.length === 0 ? 'There are no differences.' : breaksTable(deps, rows);
  return all === true ? shownPage(page.value, text) : shownAnswer(page.value, text);
}

function act(deps: CliDeps, options: TargetOptions, path: string, body: JsonObject): Promise<Outcome> {
  return onInstance(deps, options, async (instance) => {
    const answer = await instance.post(`/v1/breaks/${path}`, body);
    return answer.ok ? ok({ json: answer.value, text: detailText(answer.value) }) : answer;
  });
}

function breaksTable(deps: CliDeps, found: readonly JsonObject[]): string {
  const head = [
    'Break',
    'Kind',
    'Seller',
    'Buy',
    'Package',
    'Delivered',
    'Third party',
    'Invoiced',
    'Difference',
    'State',
    'Cause',
  ];
  return table(
    deps,
    head,
    found.map((one) => [
      one['break_id'],
      one['kind'],
      one['seller'],
      one['buy'],
      one['package'],
      one['polled'] ?? one['reported'],
      one['third_party'],
      one['invoiced'],
      `${cell(one['difference'])} ${cell(one['currency'])}`,
      one['state'],
      one['cause'],
    ]),
  );
}

function detailText(one: JsonObject): string {
  const shown = [
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
  const lines = shown.flatMap((name) =>
    cell(one[name]) === '' ? [] : [`${name.padEnd(10)} ${cell(one[name])}`],
  );
  const comments = objectsIn(one['comments']).map(
    ({ at, by, text }) => `${cell(at)} ${cell(by)}: ${cell(text)}`,
  );
  const used = one['tolerance'];
  if (isJsonObject(used))
    lines.push(`${'tolerated'.padEnd(10)} ${cell(used['allowed'])} (${cell(used['rule'])})`);
  const resolved =
    one['resolution'] === undefined
      ? []
      : [`resolved as ${cell(one['resolution'])} by ${cell(one['resolved_by'])}: ${cell(one['reason'])}`];
  return [
    `${cell(one['kind'])} at ${cell(one['seller'])}: ${cell(one['difference'])} ${cell(one['currency'])}, ${cell(one['state'])}`,
    cell(one['cause']),
    ...lines,
    ...resolved,
    ...comments,
  ].join('\n');
}
