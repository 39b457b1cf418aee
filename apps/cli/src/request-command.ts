import { Option, type Command } from 'commander';
import type { Routes } from '@switchyard/client';
import { defined, type JsonObject } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { InstanceClient } from './instance-client.js';
import { shown } from './outcome.js';
import { cell } from './plain.js';
import { queryOf } from './query-of.js';
import { atInstance, withTarget, type At } from './target.js';

/** An option: what help says of it, or that and more. */
export type AskedOption =
  | string
  | {
      readonly help?: string;
      /** The member of the request; if absent, the name of the option with underscores. */
      readonly member?: string;
      /** True if the command is refused without it. */
      readonly isNeeded?: true;
      /** The only values that it takes. */
      readonly words?: readonly string[];
      /** Reads its value; `before` is that of an earlier use of the same option. */
      readonly read?: (text: string, before: never) => unknown;
    };

/** An option without which the command is refused. */
export const needed = (help: string, member?: string): AskedOption => ({
  help,
  isNeeded: true,
  ...defined({ member }),
});

/** Arguments by their names, and options by the names that Commander gives them: `--pay-on` is `payOn`. */
type Given = Readonly<Record<string, unknown>>;

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
type ArgumentIn<Words extends string> =
  Words extends `${string} ${'<' | '['}${infer Name}${'>' | ']'}${infer Rest}`
    ? Name | ArgumentIn<Rest>
    : never;
type OptionIn<Flags> = Flags extends `--no-${infer Name}`
  ? Camel<Name>
  : Flags extends `--${infer Name} ${string}`
    ? Camel<Name>
    : Flags extends `--${infer Name}`
      ? Camel<Name>
      : never;

/** The same as texts for people; one that was not given is empty. */
type Texts<Words extends string, Options> = Readonly<
  Record<ArgumentIn<Words> | OptionIn<keyof Options>, string>
>;

/** A command that sends one request and shows its answer. */
interface RequestCommand<Words extends string, Options> {
  readonly describe: string;
  /** What help says of each argument, in their order. */
  readonly of?: string | readonly string[];
  readonly options?: Options;
  /** True for the command of its group that runs if none is named. */
  readonly isDefault?: true;
  /**
   * Arguments fill the parameters of its path in their order, unless an option has the name of a parameter as its member. Other
   * arguments and options are members of the request.
   */
  readonly route: keyof Routes;
  /** Makes the members of the request, where they are not the arguments and options as they are. */
  readonly members?: (given: Given) => Given;
  readonly text: string | ((answer: JsonObject, given: Texts<Words, Options>) => string);
}

/** Adds a command to its group: `words` are its name and its arguments, such as `rename <team> <name>`. */
export function request<
  const Words extends string,
  const Options extends Readonly<Record<string, AskedOption>> = Readonly<Record<string, never>>,
>(group: Command, deps: CliDeps, words: Words, of: RequestCommand<Words, Options>): Command {
  const [name = '', ...places] = words.split(' ');
  const command = withTarget(group.command(name, { isDefault: of.isDefault === true })).description(
    of.describe,
  );
  const helps = [of.of ?? []].flat();
  for (const [at, place] of places.entries()) command.argument(place, helps[at]);
  const asked = Object.entries<AskedOption>(of.options ?? {}).map(([flags, option]) =>
    optionOf(flags, option),
  );
  for (const { option } of asked) command.addOption(option);
  const { route, members, text } = of;
  return command.action(
    atInstance(deps, (at: At, ...values: readonly (string | undefined)[]) => {
      const args = places.map((place, index): Argument => [place.replaceAll(/\W/g, ''), values[index]]);
      const given: Given = { ...at.options, ...Object.fromEntries(args) };
      const answer = send(at, route, asked, args, members?.(given));
      if (typeof text === 'string') return shown(answer, () => text);
      const names = [
        ...args.map(([argument]) => argument),
        ...asked.map(({ option }) => option.attributeName()),
      ];
      const texts = Object.fromEntries(names.map((each) => [each, cell(given[each])]));
      return shown(answer, (found) => text(found, texts as Texts<Words, Options>));
    }),
  );
}

type Argument = readonly [name: string, value: string | undefined];

interface Asked {
  readonly option: Option;
  readonly member: string;
}

function optionOf(flags: string, asked: AskedOption): Asked {
  const { help, member, isNeeded, words, read } = typeof asked === 'string' ? { help: asked } : asked;
  const option = new Option(flags, help);
  if (isNeeded === true) option.makeOptionMandatory();
  if (words !== undefined) option.choices(words);
  if (read !== undefined) option.argParser<unknown>(read as (text: string, before: unknown) => unknown);
  return { option, member: member ?? option.name().replace(/^no-/, '').replaceAll('-', '_') };
}

/** Sends the request of a command; `members` are those of its body or its query. */
function send(
  { instance, options }: At,
  route: keyof Routes,
  asked: readonly Asked[],
  args: readonly Argument[],
  members: Given | undefined,
): ReturnType<InstanceClient['get']> {
  const values = options as Given;
  const own = new Map(asked.map(({ option, member }) => [member, values[option.attributeName()]]));
  const left = [...args];
  const [method, path = ''] = route.split(' ');
  const place = path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = own.has(parameter) ? own.get(parameter) : left.shift()?.[1];
    own.delete(parameter);
    return encodeURIComponent(typeof value === 'string' ? value : '');
  });
  for (const [member, value] of left) own.set(member, value);
  const sent = defined(members ?? Object.fromEntries(own)) as JsonObject;
  if (method === 'POST') return instance.post(place, sent);
  const query = queryOf(Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, cell(value)])));
  return method === 'GET' ? instance.get(place + query) : instance.remove(place + query);
}
