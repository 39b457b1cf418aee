import { Option, type Command } from 'commander';
import { queries } from './generated/lists.js';

/** Adds an option for each member of the query of a list that the command has none for yet. */
export function withQuery(command: Command, path: string): Command {
  for (const { name, words, description } of queries[path] ?? []) {
    const option = optionOf(name, description);
    if (command.options.some(({ long }) => long === option.long)) continue;
    command.addOption(words === undefined ? option : option.choices(words));
  }
  return command;
}

/** The query from the options that `withQuery` has added. */
export function queryFrom(options: object, path: string): Readonly<Record<string, string>> {
  const values = new Map<string, unknown>(Object.entries(options));
  return Object.fromEntries(
    (queries[path] ?? []).flatMap(({ name }) => {
      const value = values.get(optionOf(name).attributeName());
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function optionOf(name: string, description?: string): Option {
  const long = name.replace(/_id$/, '').replaceAll('_', '-');
  return new Option(`--${long} <${placeOf(name, long)}>`, textOf(long, description));
}

/** What the value of an option is called, where the name of the option does not say it. */
const places: Readonly<Record<string, string>> = {
  ...{ brand: 'domain', period: 'month', principal: 'name', seller: 'slug' },
  ...{ since: 'time', sort: 'order', until: 'time' },
};

const placeOf = (name: string, long: string): string =>
  name.endsWith('_id') ? 'id' : (places[name] ?? long);

function textOf(long: string, description: string | undefined): string {
  if (description === undefined) return `only those with this ${long.replaceAll('-', ' ')}`;
  return description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '');
}
