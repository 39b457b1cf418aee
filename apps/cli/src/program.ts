import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { CliDeps } from './deps.js';

/** Adds one command to the program. */
export type RegisterCommand = (program: Command, deps: CliDeps) => void;

/** The whole command line. It never ends the process: wrong usage is thrown to the caller. */
export function switchyardProgram(deps: CliDeps, commands: readonly RegisterCommand[]): Command {
  const program = new Command('switchyard');
  program
    .description('One agent in front of many: ask, buy and account across all your sellers.')
    .version(installedVersion(), '--version', 'print the version')
    .configureOutput({
      writeOut: (text) => deps.stdout.write(text),
      writeErr: (text) => deps.stderr.write(text),
    })
    .showHelpAfterError('(--help says how)')
    // An option after a subcommand is the subcommand's, also where the list above it has a filter of the same name.
    .enablePositionalOptions()
    .exitOverride();
  program.hook('preAction', (_, command) => {
    if (command.optsWithGlobals<{ wide?: boolean }>().wide === true) delete deps.layout.columns;
  });
  for (const register of commands) register(program, deps);
  takeAll(program);
  inherit(program);
  return program;
}

/** From the manifest at the root of the installation; compiled, bundled or not, this file is three folders deep. */
function installedVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Every list takes `--all`, so that scripts need not know which of them come in pages. */
function takeAll(command: Command): void {
  if (command.name() === 'list' && !command.options.some(({ long }) => long === '--all'))
    command.option('--all', 'every row, as without it');
  command.commands.forEach(takeAll);
}

/** Commander copies settings to a command when it is made: commands made before the parent's `exitOverride` need it too. */
function inherit(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    inherit(child);
  }
}
