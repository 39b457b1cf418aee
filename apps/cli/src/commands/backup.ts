import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import { printing, type Outcome } from '../outcome.js';
import { plain } from '../plain.js';
import { version } from '../version.js';

interface Options {
  readonly data?: string;
  readonly json?: boolean;
}
interface BackupOptions extends Options {
  readonly to?: string;
  readonly drill?: boolean;
  readonly keep?: number;
  readonly keyringTo?: string;
}
interface RestoreOptions extends Options {
  readonly data: string;
  readonly keyring?: string;
}

/** `backup`, `restore`, `resume`: they work on the database itself. */
export function registerBackup(program: Command, deps: CliDeps): void {
  program
    .command('backup')
    .description('back up the database while it is in use; keys are not part of it')
    .option('--to <folder>', 'where backups are: each is a folder of its own in it')
    .option(
      '--drill',
      'make one, restore it beside the running instance, verify its ledgers, and remove both',
    )
    .option('--keep <count>', 'remove the oldest ones beyond this many', count)
    .option('--keyring-to <folder>', 'copy the keyring there, outside of the backups')
    .option('--data <dir>', 'data folder (default: .data in this folder)')
    .option('--json', 'print JSON alone on standard output')
    .action(printing(deps, makeBackup));
  program
    .command('restore')
    .argument('<folder>', 'the backup')
    .description('restore a backup into a new data folder, or an empty DATABASE_URL; verifies its ledgers')
    .requiredOption('--data <dir>', 'a new data folder')
    .option('--keyring <file>', 'the keyring of the installation, copied into the data folder')
    .option('--json', 'print JSON alone on standard output')
    .action(printing(deps, restoreBackup));
  program
    .command('resume')
    .description('let a restored instance call sellers and send webhooks')
    .option('--data <dir>', 'data folder (default: .data in this folder)')
    .option('--json', 'print JSON alone on standard output')
    .action(printing(deps, resumeRestored));
}

const folderOf = (deps: CliDeps, path = defaultDataFolder): string => resolve(deps.cwd, path);

async function makeBackup(deps: CliDeps, options: BackupOptions): Promise<Outcome> {
  if (options.drill === true) return tryBackup(deps, options);
  const { keep, keyringTo, to } = options;
  if (to === undefined) return err({ message: 'Say with --to where the backup goes.' });
  const { backup } = await import('../up/of-server.js');
  const made = await backup({
    env: deps.env,
    dataDir: folderOf(deps, options.data),
    to: folderOf(deps, to),
    version,
    ...(keep !== undefined && { keep }),
    ...(keyringTo !== undefined && { keyringTo: folderOf(deps, keyringTo) }),
  });
  if (!made.ok) return err({ message: made.error.message });
  const { folder, bytes, ledgers, removed } = made.value;
  const text = [
    `Backup ${plain(folder)}: ${Math.ceil(bytes / 1_000_000)} MB, ${ledgers} ledgers.`,
    ...removed.map((name) => `Removed ${plain(name)}.`),
    'The keys that open its secrets are not in it.',
  ].join('\n');
  return ok({ json: { folder, bytes, ledgers, removed }, text });
}

async function tryBackup(deps: CliDeps, { data, to, keep, keyringTo }: BackupOptions): Promise<Outcome> {
  if (keep !== undefined || keyringTo !== undefined)
    return err({ message: 'A drill keeps nothing: leave out --keep and --keyring-to.' });
  const { drill } = await import('../up/of-server.js');
  const tried = await drill({
    env: deps.env,
    dataDir: folderOf(deps, data),
    version,
    ...(to !== undefined && { within: folderOf(deps, to) }),
  });
  if (!tried.ok) return err({ message: tried.error.message });
  const { bytes, organizations, entries, seconds } = tried.value;
  const text = `A backup of ${Math.ceil(bytes / 1_000_000)} MB was restored within ${seconds} s: ${organizations} ledgers with ${entries} entries are intact, and its secrets open. Both are removed.`;
  return ok({ json: { bytes, organizations, entries, seconds }, text });
}

async function restoreBackup(deps: CliDeps, folder: string, options: RestoreOptions): Promise<Outcome> {
  const { restore } = await import('../up/of-server.js');
  const { keyring } = options;
  const restored = await restore({
    env: deps.env,
    folder: folderOf(deps, folder),
    dataDir: folderOf(deps, options.data),
    ...(keyring !== undefined && { keyring: folderOf(deps, keyring) }),
  });
  if (!restored.ok) return err({ message: restored.error.message });
  const { made_at: madeAt, organizations, entries } = restored.value;
  const text =
    `Restored the backup of ${madeAt}. ${organizations} ledgers with ${entries} entries are intact, and have the heads of the backup.\n` +
    `Start it with: switchyard up --data ${plain(options.data)}\n` +
    'It sends nothing to sellers and buyers until: switchyard resume';
  return ok({ json: { ...restored.value }, text });
}

async function resumeRestored(deps: CliDeps, options: Options): Promise<Outcome> {
  const { resume } = await import('../up/of-server.js');
  const done = await resume({ env: deps.env, dataDir: folderOf(deps, options.data) });
  if (!done.ok) return err({ message: done.error.message });
  const text = done.value
    ? 'Sellers are called, and webhooks are sent again, within a second.'
    : 'It was not paused.';
  return ok({ json: { resumed: done.value }, text });
}

function count(text: string): number {
  const read = Number(text);
  if (!Number.isInteger(read) || read < 1) throw new InvalidArgumentError('Give a whole number from 1 on.');
  return read;
}
