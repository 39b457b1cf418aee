import { resolve } from 'node:path';
import type { Command } from 'commander';
import { err, ok } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { defaultDataFolder } from '../../instance-files.js';
import { finish, type Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { table } from '../../table.js';
import { onInstance, withTarget } from '../../target.js';
import { answerOrJob, withJob, type JobOptions } from '../jobs.js';

interface ArchiveOptions extends JobOptions {
  readonly before: string;
  readonly to?: string;
}

/** `ledger archive`: works on the database itself, and needs no running instance; as a job the instance does it. */
export function registerArchive(ledger: Command, deps: CliDeps): void {
  withJob(withTarget(ledger.command('archive')))
    .description(
      'move the ledgers of all organizations before a month to Parquet files; needs the owner of DATABASE_URL',
    )
    .requiredOption('--before <month>', 'the first month that stays, YYYY-MM')
    .option('--to <folder>', 'where the files are written; a job writes to SWITCHYARD_ARCHIVE_FOLDER')
    .action(async (options: ArchiveOptions) =>
      finish(
        deps,
        options,
        await (options.job === true || options.follow === true ? archiveAsJob : archive)(deps, options),
      ),
    );
}

async function archiveAsJob(deps: CliDeps, { before, to, ...options }: ArchiveOptions): Promise<Outcome> {
  if (to !== undefined) return err({ message: 'A job writes to SWITCHYARD_ARCHIVE_FOLDER: leave --to out.' });
  return onInstance(deps, options, async (instance) => {
    const done = await answerOrJob(deps, instance, options, {
      path: '/v1/ledger/archives',
      body: { before },
    });
    if (!done.ok) return done;
    if ('shown' in done.value) return done.value.shown;
    const { answer } = done.value;
    const text = `${cell(answer['entries'])} entries of ${cell(answer['organizations'])} organizations are archived.`;
    return ok({ json: answer, text });
  });
}

const dataFolder = (deps: CliDeps, data = defaultDataFolder): string => resolve(deps.cwd, data);

async function archive(deps: CliDeps, { before, to, data }: ArchiveOptions): Promise<Outcome> {
  if (to === undefined) return err({ message: 'Name the folder of the files with --to.' });
  const { archiveLedger } = await import('../../up/of-server.js');
  const folder = resolve(deps.cwd, to);
  const done = await archiveLedger({ env: deps.env, dataDir: dataFolder(deps, data), folder, before });
  if (!done.ok) return err({ message: done.error.message });
  const archived = done.value.map((result) => ({
    organization: result.organization,
    entries: Number(result.entries),
    block: result.block.toString(),
    hash: result.hash,
    folder: result.folder,
  }));
  const rows = archived.map((row) => [row.organization, row.entries, row.block, row.folder]);
  const text =
    rows.length === 0
      ? 'Nothing was archived: no organization has entries before this month.'
      : `${table(deps, ['Organization', 'Entries', 'Last block', 'Folder'], rows)}\nCheck it at any time: switchyard ledger verify --archive ${cell(to)}`;
  return ok({ json: { before, archived }, text });
}

/** Verifies the ledgers that are archived in part: the files in a folder and the tables together. */
export async function verifyArchive(deps: CliDeps, to: string, data: string | undefined): Promise<Outcome> {
  const { verifyArchives } = await import('../../up/of-server.js');
  const dataDir = dataFolder(deps, data);
  const read = await verifyArchives({ env: deps.env, dataDir, folder: resolve(deps.cwd, to) });
  if (!read.ok) return err({ message: read.error.message });
  if (read.value.length === 0) return err({ message: 'No ledger of this database is archived.' });
  const ledgers = read.value.map(({ organization, verification, messages, fault }) => ({
    organization,
    ok: verification?.ok === true,
    ...(messages && { messages: { ...messages } }),
    ...(verification && { entries: Number(verification.entries), head: verification.head.hash }),
    ...(fault !== undefined && { reason: fault }),
    ...(verification?.problems[0] && {
      reason: verification.problems[0].message,
      problems: verification.problems.map(({ code, message, at }) => ({ code, message, at })),
      problem_total: verification.problemTotal,
    }),
  }));
  const broken = ledgers.find((ledger) => !ledger.ok);
  const rows = ledgers.map((ledger) => [
    ledger.organization,
    ledger.ok ? 'intact' : ledger.reason,
    ledger.entries,
    ledger.messages && `${ledger.messages.proven} of ${ledger.messages.named}`,
    ledger.head,
  ]);
  const json = { ok: broken === undefined, ledgers };
  const text = table(deps, ['Organization', 'State', 'Entries', 'Messages', 'Head'], rows);
  if (broken === undefined) return ok({ json, text });
  return ok({
    json,
    text,
    failed: `The ledger of ${broken.organization} is not intact: ${broken.reason ?? ''}`,
  });
}
