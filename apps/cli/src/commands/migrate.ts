import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import { plain } from '../plain.js';

const firstSignIn =
  'The database is new. Start the processes, and sign in with a link that is valid once:\n' +
  '  switchyard principals link operator --data <data folder of a process that answers requests>\n';

/** `migrate`: updates the tables of DATABASE_URL, as one step before the processes of a release start. */
export function registerMigrate(program: Command, deps: CliDeps): void {
  program
    .command('migrate')
    .description('apply missing migrations to the database of DATABASE_URL, and exit')
    .option('--data <dir>', 'data folder (default: .data in this folder)')
    .action(async (options: { readonly data?: string }) => {
      const { migrate } = await import('../up/of-server.js');
      const dataDir = resolve(deps.cwd, options.data ?? defaultDataFolder);
      const done = await migrate({ env: deps.env, dataDir });
      if (!done.ok) {
        deps.stderr.write(`${plain(done.error.message)}\n`);
        deps.exitWith(done.error.code === 'settings' ? 2 : 1);
        return;
      }
      for (const name of done.value) deps.stdout.write(`Applied ${name}\n`);
      if (done.value[0]?.endsWith('_tables') === true) deps.stdout.write(firstSignIn);
      if (done.value.length === 0) deps.stdout.write('Nothing to do: the tables are up to date.\n');
    });
}
