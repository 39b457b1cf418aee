import { resolve } from 'node:path';
import type { Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import { printing, type Outcome } from '../outcome.js';
import { plain } from '../plain.js';
import { table } from '../table.js';

interface Options {
  readonly data?: string;
  readonly json?: boolean;
}

/** `keyring list`, `keyring new`, `keyring add`, `keyring remove ID`: the local file of master keys. No key is ever printed. */
export function registerKeyring(program: Command, deps: CliDeps): void {
  const keyring = program.command('keyring').description('the master keys in the local keyring');
  const at = (command: Command): Command =>
    command
      .option('--data <dir>', 'data folder (default: .data in this folder)')
      .option('--json', 'print JSON alone on standard output');
  at(keyring.command('list'))
    .description('list the keys, and how many records of the database are under each')
    .action(printing(deps, list));
  at(keyring.command('new'))
    .description('make a keyring with one key, before the first start; replaces none')
    .action(printing(deps, make));
  at(keyring.command('add'))
    .description('add a key that wraps nothing yet; `credentials rewrap --to ID` makes it the one that wraps')
    .action(printing(deps, add));
  at(keyring.command('remove'))
    .description('remove a key that no record needs; backups from before still need it')
    .argument('<id>', 'key id')
    .action(printing(deps, remove));
}

const placeOf = (deps: CliDeps, { data = defaultDataFolder }: Options) => ({
  env: deps.env,
  dataDir: resolve(deps.cwd, data),
});

async function list(deps: CliDeps, options: Options): Promise<Outcome> {
  const { listKeyring } = await import('../up/of-server.js');
  const keys = await listKeyring(placeOf(deps, options));
  if (!keys.ok) return err({ message: keys.error.message });
  const rows = keys.value.map((key) => [key.key_id, key.in_use ? 'yes' : 'no', String(key.records)]);
  return ok({ json: { keys: keys.value }, text: table(deps, ['Key', 'In use', 'Records'], rows) });
}

async function make(deps: CliDeps, options: Options): Promise<Outcome> {
  const { newKeyring } = await import('../up/of-server.js');
  const made = await newKeyring(placeOf(deps, options));
  if (!made.ok) return err({ message: made.error.message });
  const text = `Made ${plain(made.value.file)} with the key ${plain(made.value.key_id)}. Keep a copy where no backup is: without it nothing opens.`;
  return ok({ json: { ...made.value }, text });
}

async function add(deps: CliDeps, options: Options): Promise<Outcome> {
  const { addKeyringKey } = await import('../up/of-server.js');
  const added = await addKeyringKey(placeOf(deps, options));
  if (!added.ok) return err({ message: added.error.message });
  const text = [
    `Added ${plain(added.value.key_id)}. Copy the keyring to every host, then:`,
    `switchyard credentials rewrap --to ${plain(added.value.key_id)}`,
  ].join('\n');
  return ok({ json: { ...added.value }, text });
}

async function remove(deps: CliDeps, id: string, options: Options): Promise<Outcome> {
  const { removeKeyringKey } = await import('../up/of-server.js');
  const removed = await removeKeyringKey(placeOf(deps, options), id);
  if (!removed.ok) return err({ message: removed.error.message });
  return ok({ json: { ...removed.value }, text: `Removed ${plain(id)}. Backups from before still need it.` });
}
