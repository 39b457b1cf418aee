import type { Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { finish } from '../outcome.js';
import { table } from '../table.js';

interface SettingsOptions {
  readonly json?: boolean;
}

/** `settings`: every environment variable and every option of `up`, and whether the current values are valid. */
export function registerSettings(program: Command, deps: CliDeps): void {
  program
    .command('settings')
    .description('list all settings: environment variables and options of `up`; check those that are set')
    .option('--json', 'print JSON alone on standard output')
    .option('--wide', 'print tables as wide as they are')
    .action(async (options: SettingsOptions) => {
      const { readConfiguration, settingsTable } = await import('../up/of-server.js');
      const variables = Object.entries(settingsTable).map(([name, row]) => ({
        name,
        type: row.type,
        default: row.absentText,
        meaning: row.meaning.replaceAll('`', ''),
        // Values are not shown: one may contain a password.
        is_set: (deps.env[name]?.trim() ?? '') !== '',
      }));
      const rows = [...upOptions(program), ...variables];
      const text = table(
        deps,
        ['Setting', 'Set', 'Value', 'Default', 'Meaning'],
        rows.map((row) => [row.name, row.is_set ? 'yes' : '', row.type, row.default, row.meaning]),
      );
      const read = readConfiguration(deps.env);
      if (read.ok) return finish(deps, options, ok({ json: rows, text }));
      if (options.json !== true) deps.stdout.write(`${text}\n`);
      finish(deps, options, err({ message: read.error.message }));
      deps.exitWith(2);
    });
}

function upOptions(program: Command) {
  const options = program.commands.find((command) => command.name() === 'up')?.options ?? [];
  return options.map(({ flags, description }) => {
    const [name = flags, type = ''] = flags.split(' ');
    return { name: `up ${name}`, type, default: '', meaning: description, is_set: false };
  });
}
