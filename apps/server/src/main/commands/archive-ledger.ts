import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  archiveColumns,
  archivePages,
  archiveRows,
  archiveTables,
  verifyStretch,
  type ArchiveTable,
  type LedgerPage,
  type LedgerVerification,
} from '@switchyard/ledger';
import {
  archiveMonths,
  lockInstance,
  openDatabase,
  openStore,
  verifyWithFiles,
  type ArchiveJob,
  type ArchiveRefusal,
  type ArchiveStretch,
  type OpenedDatabase,
  type StoredArchive,
} from '@switchyard/store';
import { fileHash, ParquetFile, parquetRows, TableFault, type WrittenFile } from '@switchyard/tables';
import {
  err,
  isJsonObject,
  isoOf,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import { checkMessages, messageFile, writeMessages, type NamedMessages } from './archive-messages.js';
import { systemClock } from '../../platform/clock.js';
import type { ArchivesMonths } from '../../ledger/archive-months.js';
import type { SwitchyardOptions } from '../switchyard-options.js';
import type { StartFailure } from '../../platform/start-failure.js';

type Of = Pick<SwitchyardOptions, 'env' | 'dataDir'> & {
  /** Where the files are: one folder for each archive, and in it one for each organization. */
  readonly folder: string;
};

/** The archived stretch of one organization. */
interface LedgerArchived {
  readonly organization: string;
  readonly entries: bigint;
  /** The last archived block. */
  readonly block: bigint;
  readonly hash: string;
  readonly folder: string;
}

const dayMs = 86_400_000;
/** A full disk, or a folder that cannot be made or written. */
const ofFolder: ReadonlySet<string> = new Set(
  'ENOSPC EDQUOT EACCES EPERM EROFS ENOENT ENOTDIR EISDIR EEXIST'.split(' '),
);

const fileOf = (table: ArchiveTable): string => `${table}.parquet`;
const folderOf = (folder: string, before: string, organizationId: string): string =>
  join(folder, before, organizationId);

/**
 * Moves the ledgers of all organizations before a month to Parquet files, and drops the partitions. The files are read
 * back and verified before anything is dropped (docs/ledger.md#archive).
 */
export async function archiveLedger({
  env,
  dataDir,
  folder,
  before,
}: Of & { readonly before: string }): Promise<Result<readonly LedgerArchived[], StartFailure>> {
  const opened = await openAlone(env, dataDir);
  if (!opened.ok) return opened;
  try {
    const { ownerUrl } = opened.value;
    if (ownerUrl === undefined)
      return err({
        code: 'no_owner',
        message: 'Only the owner of the tables can archive a ledger. Set DATABASE_OWNER_URL.',
      });
    return await archiveInto((job) => archiveMonths(ownerUrl, job), { folder, before });
  } finally {
    await opened.value.stop();
  }
}

interface Into {
  readonly folder: string;
  readonly before: string;
  /** Ends it with `ArchiveStopped` before anything is dropped. */
  readonly stopped?: AbortSignal;
  readonly onWritten?: ArchiveJob['onWritten'];
}

/** Thrown where an archive was stopped: nothing has changed but files that the next one writes again. */
export class ArchiveStopped extends Error {}

/** The same with a function that moves the months. */
export async function archiveInto(
  move: (job: ArchiveJob) => ReturnType<typeof archiveMonths>,
  { folder, before, stopped, onWritten }: Into,
): Promise<Result<readonly LedgerArchived[], StartFailure>> {
  const goOn = (): void => {
    if (stopped?.aborted === true) throw new ArchiveStopped('The archive was stopped.');
  };
  try {
    const done = await move({
      before,
      now: systemClock.now(),
      write: (stretch) =>
        writeStretch(folderOf(folder, before, stretch.organizationId), stretch, { before, goOn }),
      onWritten: async (written, total) => {
        goOn();
        await onWritten?.(written, total);
      },
    });
    if (!done.ok) return done;
    return ok(
      done.value.map(({ organizationId, head }) => ({
        organization: organizationId,
        entries: head.entryTotal,
        block: head.number,
        hash: head.hash,
        folder: folderOf(folder, before, organizationId),
      })),
    );
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!ofFolder.has(code)) throw error;
    return err({ code: 'folder', message: `${folder} cannot be written: ${message}. Nothing was archived.` });
  }
}

/** Archives as a job of the instance into a folder of its settings; without `move` another process does it. */
export function monthArchive(
  folder: string,
  move: ((job: ArchiveJob) => ReturnType<typeof archiveMonths>) | undefined,
): ArchivesMonths {
  if (move === undefined) return {};
  return {
    run: async (before, { stopped, tell }) => {
      try {
        const done = await archiveInto(move, { folder: resolve(folder), before, stopped, onWritten: tell });
        if (!done.ok) return done;
        const entries = done.value.reduce((sum, { entries: each }) => sum + each, 0n);
        return ok({ organizations: done.value.length, entries });
      } catch (error) {
        if (error instanceof ArchiveStopped) return ok(undefined);
        throw error;
      }
    },
  };
}

/**
 * Opens the database. That of a data folder must have no running instance: closing it would stop the instance's
 * database.
 */
async function openAlone(env: Of['env'], dataDir: string): Promise<Result<OpenedDatabase, StartFailure>> {
  if ((env['DATABASE_URL'] ?? '') !== '') return openDatabase(env, dataDir);
  const lock = lockInstance(dataDir);
  if (!lock.ok)
    return err({ code: lock.error.code, message: `${lock.error.message} Stop the instance first.` });
  const opened = await openDatabase(env, dataDir);
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  const stop = async (): Promise<void> => {
    await opened.value.stop();
    lock.value.release();
  };
  return ok({ ...opened.value, stop });
}

/** Writes under another name until all is verified, so that a folder with the right name is whole. */
async function writeStretch(
  folder: string,
  stretch: ArchiveStretch,
  { before, goOn }: { readonly before: string; readonly goOn: () => void },
) {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const files = Object.fromEntries(
    archiveTables.map((table) => [table, new ParquetFile(join(part, fileOf(table)), archiveColumns(table))]),
  ) as Record<ArchiveTable, ParquetFile>;
  const { head, previous } = stretch;
  const verdict = await verifyStretch(stretch.pages(), head, previous, async (page) => {
    goOn();
    const rows = archiveRows(page);
    for (const table of archiveTables) await files[table].write(rows[table]);
  });
  const written: Record<string, WrittenFile> = {};
  for (const table of archiveTables) written[fileOf(table)] = await files[table].finish();
  written[messageFile] = await writeMessages(part, stretch.messages());
  await checkMessages(part, { missing: new Set() });
  const again =
    verdict.problems.length > 0
      ? verdict
      : await verifyStretch(pagesIn(part, head.stream), head, previous, () => {
          goOn();
          return Promise.resolve();
        });
  const [problem] = again.problems;
  if (problem !== undefined) {
    const place = again === verdict ? '' : ' in the files';
    return err<ArchiveRefusal>({
      code: 'not_intact',
      message: `The ledger of ${stretch.organizationId} is not intact${place}: ${problem.message} (${problem.code} at ${problem.at}). Nothing was archived.`,
    });
  }
  const document = {
    format: 'switchyard.ledger.archive.1',
    organization: stretch.organizationId,
    before,
    after: { block: (previous?.head.number ?? 0n).toString(), ...(previous && { hash: previous.head.hash }) },
    until: {
      block: head.number.toString(),
      hash: head.hash,
      entries: head.entryTotal.toString(),
      sealed_at: isoOf(head.sealedAt),
    },
    files: written,
  };
  await writeFile(join(part, 'archive.json'), `${JSON.stringify(document, undefined, 2)}\n`, { flush: true });
  await rm(folder, { recursive: true, force: true });
  await syncFolder(part);
  await rename(part, folder);
  for (const each of [dirname(folder), dirname(dirname(folder))]) await syncFolder(each);
  const rowsIn = (table: ArchiveTable): number => written[fileOf(table)]?.rows ?? 0;
  return ok({
    files: written as unknown as JsonObject,
    rows: {
      ledger_entry: rowsIn('entries'),
      ledger_posting: rowsIn('postings'),
      report_version: rowsIn('versions'),
    },
    messages: written[messageFile].rows,
    sums: verdict.sums,
    months: verdict.months,
  });
}

/** Puts the names in a folder on the disk: after a power cut the files are found, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function pagesIn(folder: string, stream: string): AsyncGenerator<LedgerPage> {
  const rowsOf = (table: ArchiveTable) => parquetRows(join(folder, fileOf(table)), archiveColumns(table));
  return archivePages(stream, {
    blocks: rowsOf('blocks'),
    entries: rowsOf('entries'),
    postings: rowsOf('postings'),
    versions: rowsOf('versions'),
  });
}

/** The result of verifying one organization's ledger with its archives. */
interface ArchiveVerdict {
  readonly organization: string;
  /** Absent if files are missing or damaged: see `fault`. */
  readonly verification?: LedgerVerification;
  /** Messages that archived entries name by hash, and those whose bytes are in the files. */
  readonly messages?: { readonly named: number; readonly proven: number };
  readonly fault?: string;
}

/** Verifies the ledgers that are archived in part from their first entry: files and tables together. */
export async function verifyArchives({
  env,
  dataDir,
  folder,
}: Of): Promise<Result<readonly ArchiveVerdict[], StartFailure>> {
  const opened = await openAlone(env, dataDir);
  if (!opened.ok) return opened;
  // One statement may read for long.
  const store = openStore(opened.value.appUrl, {
    connections: 2,
    answerMs: dayMs,
    preparedStatements: !opened.value.pooled,
  });
  try {
    const { rows } = await store.pool.query<{ id: string }>('select id from organization_ids()');
    const verdicts: ArchiveVerdict[] = [];
    for (const { id: organizationId } of rows) {
      const named = { all: new Set<string>(), missing: new Set<string>() };
      try {
        const verification = await verifyWithFiles(store, { organizationId }, (archives) =>
          checkedPages((before) => folderOf(folder, before, organizationId), archives, named),
        );
        const messages = { named: named.all.size, proven: named.all.size - named.missing.size };
        if (verification !== undefined)
          verdicts.push({ organization: organizationId, verification, messages });
      } catch (error) {
        if (!(error instanceof TableFault)) throw error;
        verdicts.push({ organization: organizationId, fault: error.message });
      }
    }
    return ok(verdicts);
  } finally {
    await store.close();
    await opened.value.stop();
  }
}

async function* checkedPages(
  folderBefore: (month: string) => string,
  archives: readonly StoredArchive[],
  named: NamedMessages,
): AsyncGenerator<LedgerPage> {
  for (const { before, head, files } of archives) {
    const of = folderBefore(before);
    // Archives of earlier versions have no messages.
    for (const name of [...archiveTables.map(fileOf), ...(messageFile in files ? [messageFile] : [])]) {
      const path = join(of, name);
      const recorded = files[name];
      const hash = await fileHash(path).catch((error: unknown) => {
        throw new TableFault(`${path} cannot be read: ${(error as Error).message}`);
      });
      if (!isJsonObject(recorded) || recorded['sha256'] !== hash)
        throw new TableFault(`${path} is not the file that was archived: its SHA-256 differs.`);
    }
    for await (const page of pagesIn(of, head.stream)) {
      for (const { entry } of page.rows) nameMessage(entry?.facts['message'], named);
      yield page;
    }
  }
  // At the end: a message may have come in the month before its entry.
  for (const { before, files } of archives)
    if (messageFile in files) await checkMessages(folderBefore(before), named);
}

function nameMessage(message: JsonValue | undefined, { all, missing }: NamedMessages): void {
  if (!isJsonObject(message) || typeof message['sha256'] !== 'string') return;
  all.add(message['sha256']);
  missing.add(message['sha256']);
}
