import { resolve } from 'node:path';
import type { Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { printing, type Outcome } from '../outcome.js';
import { plain } from '../plain.js';

const place = 'the place: s3://BUCKET/PREFIX, or SCHEME+https://HOST/FOLDER of a connector';

/** `files send` and `files fetch`: between this machine and a place for files, without an instance. */
export function registerFiles(program: Command, deps: CliDeps): void {
  const files = program
    .command('files')
    .description('send files to a place of yours, and fetch files from one');
  files
    .command('send')
    .description('store files at a place, such as statements and exports')
    .argument('<files...>', 'files of this machine')
    .requiredOption('--to <place>', place)
    .option('--json', 'print JSON alone on standard output')
    .action(printing(deps, send));
  files
    .command('fetch')
    .description('fetch what is new at a place into a folder, such as invoices')
    .requiredOption('--from <place>', place)
    .requiredOption('--to <folder>', 'a folder of this machine')
    .option('--json', 'print JSON alone on standard output')
    .action(printing(deps, fetchNew));
}

async function send(
  deps: CliDeps,
  names: string[],
  { to }: { readonly to: string; json?: boolean },
): Promise<Outcome> {
  const { sendFiles } = await import('../up/of-server.js');
  const sent = await sendFiles(
    names.map((name) => resolve(deps.cwd, name)),
    to,
    deps.env,
  );
  if (!sent.ok) return err({ message: sent.error.message });
  const text = sent.value.map(({ name, bytes }) => `Sent ${plain(name)}, ${bytes} bytes.`).join('\n');
  return ok({ json: { sent: [...sent.value] }, text });
}

interface FetchOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

async function fetchNew(deps: CliDeps, { from, to }: FetchOptions): Promise<Outcome> {
  const { fetchFiles } = await import('../up/of-server.js');
  const done = await fetchFiles(from, resolve(deps.cwd, to), deps.env);
  if (!done.ok) return err({ message: done.error.message });
  const { fetched, left } = done.value;
  const lines = fetched.map(({ name, bytes }) => `Fetched ${plain(name)}, ${bytes} bytes.`);
  return ok({
    json: { fetched: [...fetched], left },
    text: [...lines, `New: ${fetched.length}. Here before, or without a usable name: ${left}.`].join('\n'),
  });
}
