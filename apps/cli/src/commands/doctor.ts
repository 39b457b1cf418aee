import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import { finish } from '../outcome.js';
import { plain } from '../plain.js';

interface DoctorOptions {
  readonly data?: string;
  readonly fix?: boolean;
  readonly json?: boolean;
}

/** `doctor`: looks at the machine, the database and the network of an installation, and says what to do. */
export function registerDoctor(program: Command, deps: CliDeps): void {
  program
    .command('doctor')
    .description(
      'check this installation: machine, settings, database, keys, network; exit 1 if something is wrong',
    )
    .option('--data <dir>', 'data folder (default: .data in this folder)')
    .option('--fix', 'repair what needs no decision, such as the modes of files')
    .option('--json', 'print JSON alone on standard output')
    .action(async (options: DoctorOptions) => {
      const { examine } = await import('../up/of-server.js');
      const dataDir = resolve(deps.cwd, options.data ?? defaultDataFolder);
      const checks = await examine({ env: deps.env, dataDir, fix: options.fix === true });
      const errors = checks.filter(({ state }) => state === 'error').length;
      const warnings = checks.filter(({ state }) => state === 'warning').length;
      const lines = checks.flatMap(({ id, state, what, detail, remedy, fixed }) => [
        `${state.padEnd(8)} ${id.padEnd(15)} ${plain(what)}: ${plain(detail)}`,
        ...(fixed === undefined ? [] : [`         ${plain(fixed)}`]),
        ...(state === 'ok' || state === 'skipped' ? [] : [`         ${remedy}`]),
      ]);
      const text = `${lines.join('\n')}\n${errors} errors, ${warnings} warnings. Each line has a section in docs/runbooks/operate.md.`;
      finish(deps, options, ok({ json: { errors, warnings, checks }, text }));
      if (errors > 0) deps.exitWith(1);
    });
}
