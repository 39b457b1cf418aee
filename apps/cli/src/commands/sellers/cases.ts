import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { atInstance, withTarget, type At, type TargetOptions } from '../../target.js';

interface ActOptions extends TargetOptions {
  readonly do: string;
  readonly reason: string;
}

/** `cases show|act`: what agents that decide have taken back. */
export function registerCases(program: Command, deps: CliDeps): void {
  const cases = program
    .command('cases')
    .description('what agents that decide have taken back, and what is done about it');
  withTarget(cases.command('show'))
    .description('show one case')
    .argument('<id>', 'id of the case')
    .action(atInstance(deps, ({ instance }: At, id: string) => shown(instance.get(path(id)), caseText)));
  withTarget(cases.command('act'))
    .description('act on a case now, close one that was asked about, or open one again')
    .argument('<id>', 'id of the case')
    .addOption(
      new Option(
        '--do <act>',
        'of rights: withdraw, close, reopen; of a list: pause or keep what runs with it',
      )
        .choices(['withdraw', 'close', 'reopen', 'pause', 'keep'])
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'why')
    .action(
      atInstance(deps, ({ instance, options }: At<ActOptions>, id: string) =>
        shown(instance.post(path(id, '/act'), { act: options.do, reason: options.reason }), caseText),
      ),
    );
}

const path = (id: string, act = ''): string => `/v1/cases/${encodeURIComponent(id)}${act}`;

function caseText(row: JsonObject): string {
  const { kind, subject, owner, state, deadline, reason } = row;
  return [
    `${cell(kind)} ${cell(subject)} by ${cell(owner)}: ${cell(state)}`,
    cell(reason),
    `deadline   ${cell(deadline)}`,
    `id         ${cell(row['case_id'])}`,
    ...objectsIn(row['buys']).map(
      ({ media_buy_id: buy, package_id: item, seller }) =>
        `touches    ${cell(buy)} ${cell(item)} at ${cell(seller)}`,
    ),
    ...objectsIn(row['actions']).map(
      ({ at, act, media_buy_id: buy, outcome, detail }) =>
        `${cell(at)}  ${[act, buy, outcome, detail]
          .filter((text) => text !== undefined)
          .map(cell)
          .join(' ')}`,
    ),
  ].join('\n');
}
