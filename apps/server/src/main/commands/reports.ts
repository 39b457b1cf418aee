import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  biReaders,
  biViews,
  locateDatabase,
  openStore,
  organizations as organizationsIn,
  readBiView,
  replicaCaughtUp,
  withClient,
  type BiReader,
  type BiRows,
  type BiView,
  type Store,
} from '@switchyard/store';
import { ParquetFile, type WrittenFile } from '@switchyard/tables';
import type { Organization } from '@switchyard/tenancy';
import { csvRow, err, isoOf, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { SwitchyardOptions } from '../switchyard-options.js';
import { atPlace, isPlace, putFile } from './file-places.js';

type Of = Pick<SwitchyardOptions, 'env' | 'dataDir'>;

const refused = (message: string): Result<never, StartFailure> => err({ code: 'reports', message });

/** Makes a role that reads the reports of one organization. The password is shown this once. */
export async function addReader(
  { env, dataDir }: Of,
  { organization: slug, role }: { readonly organization: string; readonly role?: string | undefined },
): Promise<
  Result<{ readonly role: string; readonly password: string; readonly database: string }, StartFailure>
> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  const found = await ofSlug(located.value.appUrl ?? located.value.url, slug);
  if (found === undefined) return refused(`There is no organization ${slug}.`);
  const name = role ?? `bi_${slug.replace(/[^a-z0-9]+/gi, '_').toLowerCase()}`.slice(0, 60);
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name))
    return refused('A role is named by up to 63 small letters, digits and underscores.');
  const password = randomBytes(24).toString('base64url');
  const added = await withClient(located.value.url, (client) =>
    biReaders(client)
      .add(name, found.id, password)
      .catch((error: unknown) => err({ message: lackOfRights(error) })),
  );
  if (!added.ok) return added;
  if (!added.value.ok) return refused(added.value.error.message);
  const { hostname, port, pathname } = new URL(located.value.url);
  return ok({ role: name, password, database: `${hostname}:${port === '' ? '5432' : port}${pathname}` });
}

export async function listReaders({ env, dataDir }: Of): Promise<Result<readonly BiReader[], StartFailure>> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  return withClient(located.value.url, (client) => biReaders(client).list());
}

/** Removes a reader and ends its sessions. */
export async function removeReader({ env, dataDir }: Of, role: string): Promise<Result<void, StartFailure>> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  const removed = await withClient(located.value.url, (client) => biReaders(client).remove(role));
  if (!removed.ok) return removed;
  return removed.value ? ok(undefined) : refused(`There is no reader ${role}.`);
}

const lackOfRights = (error: unknown): string => {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (code === '42501')
    return 'The role of the database may not make roles. Set DATABASE_OWNER_URL to one with createrole.';
  return message ?? 'The role could not be made.';
};

interface ExportOptions extends Of {
  /** Where the files go: a folder for each organization. */
  readonly folder: string;
  readonly format: 'csv' | 'parquet';
  /** `YYYY-MM-DD`; the UTC day before today if absent. */
  readonly day?: string | undefined;
}

interface ExportedOrganization {
  readonly organization: string;
  readonly rows: number;
  /** The path of its manifest below the folder. */
  readonly manifest: string;
}

const dayMs = 86_400_000;

/**
 * The same, to a folder or to a place (docs/guides/connectors.md#a-place-for-files). For a place the files are written to a
 * temporary folder, and sent once all of an organization are there; its manifest goes last.
 */
export async function exportReportsTo({
  to,
  ...options
}: Omit<ExportOptions, 'folder'> & { readonly to: string }): Promise<
  Result<readonly ExportedOrganization[], StartFailure>
> {
  if (!isPlace(to)) return exportReports({ ...options, folder: to });
  // Before anything is written: whether there is such a place.
  const known = await atPlace(to, options.env, () => Promise.resolve());
  if (!known.ok) return known;
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-reports-'));
  try {
    const exported = await exportReports({ ...options, folder });
    if (!exported.ok) return exported;
    const sent = await atPlace(to, options.env, async (place) => {
      for (const { manifest } of exported.value) {
        const { files } = JSON.parse(await readFile(join(folder, manifest), 'utf8')) as {
          readonly files: readonly { readonly path: string }[];
        };
        for (const path of [...files.map((file) => file.path), manifest])
          await putFile(place, path, join(folder, path));
      }
    });
    return sent.ok ? exported : sent;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the reports of every organization for a day. Each file is written beside its place and renamed; the manifest
 * with rows and SHA-256 comes last, so whoever sees it has all files. A repetition writes the same names again.
 */
export async function exportReports({
  env,
  dataDir,
  folder,
  format,
  day = isoOf(systemClock.now() - dayMs).slice(0, 10),
}: ExportOptions): Promise<Result<readonly ExportedOrganization[], StartFailure>> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  const replica = await replicaOf(env, located.value.url);
  if (!replica.ok) return replica;
  const store = openStore(replica.value ?? located.value.appUrl ?? located.value.url, {
    connections: 2,
    answerMs: 600_000,
  });
  try {
    const exported: ExportedOrganization[] = [];
    for await (const organization of allOf(store)) {
      const files: (WrittenFile & { readonly view: string; readonly path: string })[] = [];
      for (const view of Object.keys(biViews) as BiView[]) {
        const path = join(organization.slug, view, `date=${day}`, `part.${format}`);
        const written = await readBiView(store, { organizationId: organization.id }, { view, day }, (rows) =>
          inPlace(join(folder, path), (draft) => writersOf[format](draft, rows)),
        );
        files.push({ view, path, ...written });
      }
      const manifest = join(organization.slug, 'manifest', `date=${day}.json`);
      const about = {
        format: 'switchyard.reports.1',
        organization: organization.slug,
        day,
        made_at: isoOf(systemClock.now()),
      };
      await inPlace(join(folder, manifest), (draft) =>
        writeFile(draft, `${JSON.stringify({ ...about, files }, null, 2)}\n`),
      );
      exported.push({
        organization: organization.slug,
        rows: files.reduce((sum, { rows }) => sum + rows, 0),
        manifest,
      });
    }
    return ok(exported);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    return refused(`The folder ${folder} cannot be written: ${message}`);
  } finally {
    await store.close();
  }
}

/** How long an export waits for a replica that is behind, in milliseconds. */
const replicaWaitMs = 60_000;

/** The replica of the settings, once it has what the primary has now; undefined if there is none. */
async function replicaOf(
  env: Of['env'],
  primaryUrl: string,
): Promise<Result<string | undefined, StartFailure>> {
  const configuration = readConfiguration(env);
  if (!configuration.ok) return configuration;
  const { SWITCHYARD_READ_URL: url } = configuration.value.settings;
  if (url === undefined) return ok(undefined);
  const caught = await replicaCaughtUp(primaryUrl, url, { clock: systemClock, waitMs: replicaWaitMs });
  if (!caught.ok) return caught;
  return caught.value
    ? ok(url)
    : refused(`The replica of SWITCHYARD_READ_URL was still behind after ${replicaWaitMs / 1_000} seconds.`);
}

async function inPlace<T>(path: string, write: (draft: string) => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.part`;
  try {
    const written = await write(draft);
    await rename(draft, path);
    return written;
  } finally {
    await rm(draft, { force: true });
  }
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

async function ofSlug(url: string, slug: string): Promise<Organization | undefined> {
  const store = openStore(url, { connections: 1 });
  try {
    return await organizationsIn(store).bySlug(slug);
  } finally {
    await store.close();
  }
}

async function* allOf(store: Store): AsyncGenerator<Organization> {
  const organizations = organizationsIn(store);
  for (const id of await organizations.ids()) {
    const found = await organizations.byId(id);
    if (found !== undefined) yield found;
  }
}
