import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { objectsIn } from '../../objects-in.js';
import { cell } from '../../plain.js';
import { needed, request } from '../../request-command.js';

/** `cases show|act`: what agents that decide have taken back. */
export function registerCases(program: Command, deps: CliDeps): void {
  const cases = program
    .command('cases')
    .description('what agents that decide have taken back, and what is done about it');
  request(cases, deps, 'show <id>', {
    describe: 'show one case',
    of: 'id of the case',
    route: 'GET /v1/cases/{id}',
    text: caseText,
  });
  request(cases, deps, 'act <id>', {
    describe: 'act on a case now, close one that was asked about, or open one again',
    of: 'id of the case',
    options: {
      '--do <act>': {
        help: 'of rights: withdraw, close, reopen; of a list: pause or keep what runs with it',
        member: 'act',
        isNeeded: true,
        words: ['withdraw', 'close', 'reopen', 'pause', 'keep'],
      },
      '--reason <text>': needed('why'),
    },
    route: 'POST /v1/cases/{id}/act',
    text: caseText,
  });
}

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
