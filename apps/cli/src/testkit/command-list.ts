import type { Argument, Command, Option } from 'commander';

const argumentOf = (argument: Argument): string =>
  argument.required ? `<${argument.name()}>` : `[${argument.name()}]`;

const optionOf = ({ flags, mandatory, argChoices }: Option): string =>
  [flags, ...(mandatory ? ['required'] : []), ...(argChoices ? [`of ${argChoices.join('|')}`] : [])].join(
    ' ',
  );

/** Every command with its arguments, and a line for each of its options. The options of every command are left out. */
export function commandList(command: Command, words: readonly string[] = []): readonly string[] {
  const own = command.options.map(optionOf).filter((text) => !/^--(data|url|token|json|wide)\b/.test(text));
  const name = [...words, ...command.registeredArguments.map(argumentOf)].join(' ');
  const lines = words.length === 0 ? [] : [name, ...own.sort().map((text) => `  ${text}`)];
  return [
    ...lines,
    ...[...command.commands]
      .sort((one, other) => (one.name() < other.name() ? -1 : 1))
      .flatMap((child) => commandList(child, [...words, child.name()])),
  ];
}
