import type { Command } from 'commander';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import { commands } from './generated/lists.js';
import { withQuery } from './list-query.js';
import type { ListCommand } from './list-command.js';
import { objectsIn } from './objects-in.js';
import { listed, withPages, type Columns, type PageOptions } from './pages.js';
import { cell } from './plain.js';
import { atInstance, withTarget } from './target.js';

/** Adds the command of every declared list to its group: its filters and its orders are options. */
export function registerLists(program: Command, deps: CliDeps): void {
  for (const [path, words] of Object.entries(byHand)) withQuery(commandAt(program, words), path);
  for (const list of commands) {
    const { word = 'list', path, rows, columns, none, whole, isAnswer } = list;
    withQuery(withTarget(withPages(groupOf(program, list).command(word))), path)
      .description(list.summary)
      .action(
        atInstance<PageOptions, []>(deps, (at) => {
          const { limit, cursor } = at.options;
          const all =
            at.options.all === true || (whole === true && limit === undefined && cursor === undefined);
          return listed(
            { ...at, options: { ...at.options, ...(all && { all }) } },
            {
              ...{ path, name: rows, columns: columnsOf(columns) },
              ...(none !== undefined && { none }),
              ...(isAnswer && { isAnswer }),
            },
          );
        }),
      );
  }
}

/** Lists whose commands are written by hand: they get an option for each filter and order that they have none for. */
export const byHand: Readonly<Record<string, string>> = {
  '/v1/approvals': 'approvals list',
  '/v1/audit': 'audit list',
  '/v1/breaks': 'breaks list',
  '/v1/buys': 'buys',
  '/v1/campaigns': 'campaigns list',
  '/v1/credentials': 'credentials list',
  '/v1/custody': 'custody list',
  '/v1/delegations': 'delegations list',
  '/v1/events': 'events list',
  '/v1/invitations': 'principals invitations',
  '/v1/jobs': 'jobs list',
  '/v1/keys': 'keys list',
  '/v1/ledger/entries/{id}': 'ledger entries',
  '/v1/limits': 'limits list',
  '/v1/notices': 'notices list',
  '/v1/organizations': 'organizations list',
  '/v1/outgoing-events': 'outgoing list',
  '/v1/pacing': 'pacing',
  '/v1/principals': 'principals list',
  '/v1/sellers': 'sellers list',
  '/v1/signatures/refused': 'signatures refused',
};

function commandAt(program: Command, words: string): Command {
  return words.split(' ').reduce((parent, word) => {
    const found = parent.commands.find((child) => child.name() === word);
    if (found === undefined) throw new TypeError(`There is no command ${words}.`);
    return found;
  }, program);
}

function groupOf(program: Command, { group, title }: ListCommand): Command {
  return group.split(' ').reduce((parent, word) => {
    const known = parent.commands.find((child) => child.name() === word);
    return known ?? parent.command(word).description(title);
  }, program);
}

function columnsOf(columns: ListCommand['columns']): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([title, column]) => {
      const { of, each, none = '' } = typeof column === 'string' ? { of: [column] } : column;
      return [
        title,
        (row: JsonObject) =>
          of.map((name) => textIn(row[name], each)).find((text) => text !== undefined) ?? none,
      ];
    }),
  );
}

/** What a cell shows of a member; undefined if it has no value. */
function textIn(value: JsonObject[string] | undefined, each: string | undefined): unknown {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  if (!Array.isArray(value)) return isJsonObject(value) ? pairsOf(value) : value;
  const items = each === undefined ? value : objectsIn(value).map((item) => item[each]);
  return items.map(cell).join(', ');
}

/** The members of an object, each as its name and value. */
const pairsOf = (value: JsonObject): string =>
  Object.entries(value)
    .map(([name, member]) => `${name} ${isJsonObject(member) ? JSON.stringify(member) : cell(member)}`)
    .join(', ');
