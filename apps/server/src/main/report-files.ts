import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  biViews,
  openStore,
  readBiView,
  replicaCaughtUp,
  type BiRows,
  type BiView,
  type Store,
} from '@switchyard/store';
import { ParquetFile, type WrittenFile } from '@switchyard/tables';
import type { Organization } from '@switchyard/tenancy';
import { csvRow, err, isoOf, ok, type Result } from '@switchyard/values';
import type { ReportWriter } from '../ledger/report-files.js';
import { systemClock } from '../platform/clock.js';
import type { StartFailure } from '../platform/start-failure.js';
import { atPlace, isPlace, putFile } from './commands/file-places.js';
import type { Settings } from './settings/settings.js';

export type ReportFormat = 'csv' | 'parquet';

/** The views of schema `bi`, each a file (docs/guides/reports.md#files-of-a-day). */
export const reportViews = Object.keys(biViews) as readonly BiView[];

export interface ReportFile extends WrittenFile {
  readonly view: string;
  /** Below the folder or place. */
  readonly path: string;
}

/** Puts a file at a path below the folder or place. `write` writes a draft, which nobody sees under that path. */
export type PutReport = <T>(path: string, write: (draft: string) => Promise<T>) => Promise<T>;

/** The files of an organization are in a folder of its slug. */
type Of = Pick<Organization, 'id' | 'slug'>;

/** Lets `work` put files into a folder or a place. A place that cannot be written is a failure in words for people. */
export async function withReportPlace<T>(
  to: string,
  settings: Settings,
  work: (put: PutReport) => Promise<T>,
): Promise<Result<T, StartFailure>> {
  if (!isPlace(to)) return inFolder(to, work);
  const drafts = await mkdtemp(join(tmpdir(), 'switchyard-reports-'));
  try {
    return await atPlace(to, settings, (place) =>
      work(async (path, write) => {
        const draft = join(drafts, 'draft');
        try {
          const written = await write(draft);
          await putFile(place, path, draft);
          return written;
        } finally {
          await rm(draft, { force: true });
        }
      }),
    );
  } finally {
    await rm(drafts, { recursive: true, force: true });
  }
}

async function inFolder<T>(
  folder: string,
  work: (put: PutReport) => Promise<T>,
): Promise<Result<T, StartFailure>> {
  try {
    return ok(
      await work(async (path, write) => {
        const target = join(folder, path);
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        const draft = `${target}.part`;
        try {
          const written = await write(draft);
          await rename(draft, target);
          return written;
        } finally {
          await rm(draft, { force: true });
        }
      }),
    );
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    return err({ code: 'reports', message: `The folder ${folder} cannot be written: ${message}` });
  }
}

/** How long an export waits for a replica that is behind, in milliseconds. */
const replicaWaitMs = 60_000;

/** Opens what reports are read from: the replica, once it has what the primary has now, or the primary. Close it. */
export async function openReports({
  primaryUrl,
  readUrl,
  appUrl,
}: {
  readonly primaryUrl: string;
  readonly readUrl: string | undefined;
  readonly appUrl: string;
}): Promise<Result<Store, StartFailure>> {
  if (readUrl !== undefined) {
    const caught = await replicaCaughtUp(primaryUrl, readUrl, { clock: systemClock, waitMs: replicaWaitMs });
    if (!caught.ok) return caught;
    if (!caught.value) return err({ code: 'reports', message: stillBehind });
  }
  return ok(openStore(readUrl ?? appUrl, { connections: 2, answerMs: 600_000 }));
}

const stillBehind = `The replica of SWITCHYARD_READ_URL was still behind after ${replicaWaitMs / 1_000} seconds.`;

/** Writes the reports of one organization into the place of the settings; undefined if they name none. */
export function reportWriter(
  settings: Settings,
  open: () => ReturnType<typeof openReports>,
): ReportWriter | undefined {
  const to = settings.SWITCHYARD_REPORTS_TO;
  if (to === undefined) return undefined;
  return {
    views: reportViews,
    write: async ({ organization, view, ...wanted }) => {
      const opened = await open();
      if (!opened.ok) return opened;
      try {
        return await withReportPlace(to, settings, (put) =>
          writeReport(opened.value, put, organization, { ...wanted, view: view as BiView }),
        );
      } finally {
        await opened.value.close();
      }
    },
    finish: ({ organization, ...manifest }) =>
      withReportPlace(to, settings, (put) => writeManifest(put, organization, manifest)),
  };
}

/** Writes one view of a day. A repetition writes the same name again. */
export async function writeReport(
  store: Store,
  put: PutReport,
  { id: organizationId, slug }: Of,
  { view, day, format }: { readonly view: BiView; readonly day: string; readonly format: ReportFormat },
): Promise<ReportFile> {
  const path = join(slug, view, `date=${day}`, `part.${format}`);
  const written = await put(path, (draft) =>
    readBiView(store, { organizationId }, { view, day }, (rows) => writersOf[format](draft, rows)),
  );
  return { view, path, ...written };
}

/** Writes what names all files of a day, with their rows and SHA-256; it comes last. Returns its path. */
export async function writeManifest(
  put: PutReport,
  { slug }: Of,
  { day, files }: { readonly day: string; readonly files: readonly ReportFile[] },
): Promise<string> {
  const path = join(slug, 'manifest', `date=${day}.json`);
  const about = {
    format: 'switchyard.reports.1',
    organization: slug,
    day,
    made_at: isoOf(systemClock.now()),
  };
  await put(path, (draft) => writeFile(draft, `${JSON.stringify({ ...about, files }, null, 2)}\n`));
  return path;
}

const writersOf: Readonly<Record<'csv' | 'parquet', (path: string, rows: BiRows) => Promise<WrittenFile>>> = {
  parquet: async (path, { columns, each }) => {
    const file = new ParquetFile(path, columns);
    await each((rows) => file.write(rows));
    return file.finish();
  },
  csv: async (path, { columns, each }) => {
    const names = Object.keys(columns);
    const file = await open(path, 'w', 0o600);
    const hash = createHash('sha256');
    let rows = 0;
    const put = async (text: string): Promise<void> => {
      hash.update(text);
      await file.writeFile(text);
    };
    try {
      await put(`${csvRow(names)}\r\n`);
      await each(async (part) => {
        rows += part.length;
        await put(
          part.map((row) => `${csvRow(names.map((name) => textOf(row[name] ?? null)))}\r\n`).join(''),
        );
      });
    } finally {
      await file.close();
    }
    return { rows, sha256: hash.digest('hex') };
  },
};

function textOf(value: string | bigint | boolean | Date | null): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}
