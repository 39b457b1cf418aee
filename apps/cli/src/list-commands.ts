import { Option, type Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import { commands, queries } from './generated/lists.js';
import type { ListCommand } from './list-command.js';
import { objectsIn } from './objects-in.js';
import { listed, withPages, type Columns, type PageOptions } from './pages.js';
import { cell } from './plain.js';
import { atInstance, withTarget } from './target.js';

/** Adds `list` to the group of every declared list: its filters and its orders are options. */
export function registerLists(program: Command, deps: CliDeps): void {
  for (const list of commands) {
    const { path, rows, columns, none, whole } = list;
    const command = withQuery(withTarget(withPages(groupOf(program, list).command('list'))), path)
      .description(list.summary)
      .action(
        atInstance<PageOptions, []>(deps, (at) => {
          const { limit, cursor } = at.options;
          const all =
            at.options.all === true || (whole === true && limit === undefined && cursor === undefined);
          return listed(
            { ...at, options: { ...at.options, ...(all && { all }) } },
            {
              ...{ path, name: rows, query: queryFrom(command, path), columns: columnsOf(columns) },
              ...(none !== undefined && { none }),
            },
          );
        }),
      );
  }
}

function groupOf(program: Command, { group, title }: ListCommand): Command {
  return group.split(' ').reduce((parent, word) => {
    const known = parent.commands.find((child) => child.name() === word);
    return known ?? parent.command(word).description(title);
  }, program);
}

/** Adds an option for each member of the query of a list that the command has none for yet. */
export function withQuery(command: Command, path: string): Command {
  for (const { name, words, description } of queries[path] ?? []) {
    const long = longOf(name);
    if (command.options.some((option) => option.long === `--${long}`)) continue;
    const option = new Option(`--${long} <${placeOf(name)}>`, textOf(name, description));
    command.addOption(words === undefined ? option : option.choices(words));
  }
  return command;
}

/** The query from the options that `withQuery` has added. */
export function queryFrom(command: Command, path: string): Readonly<Record<string, string | undefined>> {
  const options = command.opts<Readonly<Record<string, string | undefined>>>();
  return Object.fromEntries(
    (queries[path] ?? []).map(({ name }) => [
      name,
      options[new Option(`--${longOf(name)} <x>`).attributeName()],
    ]),
  );
}

const longOf = (name: string): string => name.replace(/_id$/, '').replaceAll('_', '-');

function placeOf(name: string): string {
  if (name.endsWith('_id')) return 'id';
  if (name === 'since' || name === 'until') return 'time';
  return name === 'sort' ? 'order' : longOf(name);
}

function textOf(name: string, description: string | undefined): string {
  if (description === undefined) return `only those of this ${longOf(name).replaceAll('-', ' ')}`;
  return description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '');
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
  if (!Array.isArray(value)) return typeof value === 'object' ? JSON.stringify(value) : value;
  const items = each === undefined ? value : objectsIn(value).map((item) => item[each]);
  return items.map(cell).join(', ');
}
