import { randomBytes } from 'node:crypto';
import {
  biReaders,
  locateDatabase,
  openStore,
  organizations as organizationsIn,
  withClient,
  type BiReader,
  type Store,
} from '@switchyard/store';
import type { Organization } from '@switchyard/tenancy';
import { err, isoOf, ok, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import {
  openReports,
  reportViews,
  withReportPlace,
  writeManifest,
  writeReport,
  type ReportFile,
  type ReportFormat,
} from '../report-files.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { SwitchyardOptions } from '../switchyard-options.js';

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
  /** A folder, or a place (docs/guides/connectors.md#a-place-for-files). In it is a folder for each organization. */
  readonly to: string;
  readonly format: ReportFormat;
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
 * Writes the reports of every organization for a day. The manifest of an organization with rows and SHA-256 comes last, so
 * whoever sees it has all files. A repetition writes the same names again.
 */
export async function exportReports({
  env,
  dataDir,
  to,
  format,
  day = isoOf(systemClock.now() - dayMs).slice(0, 10),
}: ExportOptions): Promise<Result<readonly ExportedOrganization[], StartFailure>> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok) return located;
  const configuration = readConfiguration(env);
  if (!configuration.ok) return configuration;
  const { settings } = configuration.value;
  // Before anything is read: whether there is such a place.
  const known = await withReportPlace(to, settings, () => Promise.resolve());
  if (!known.ok) return known;
  const { url, appUrl = url } = located.value;
  const opened = await openReports({ primaryUrl: url, readUrl: settings.SWITCHYARD_READ_URL, appUrl });
  if (!opened.ok) return opened;
  const store = opened.value;
  try {
    return await withReportPlace(to, settings, async (put) => {
      const exported: ExportedOrganization[] = [];
      for await (const organization of allOf(store)) {
        const files: ReportFile[] = [];
        for (const view of reportViews)
          files.push(await writeReport(store, put, organization, { view, day, format }));
        const manifest = await writeManifest(put, organization, { day, files });
        const rows = files.reduce((sum, { rows: each }) => sum + each, 0);
        exported.push({ organization: organization.slug, rows, manifest });
      }
      return exported;
    });
  } finally {
    await store.close();
  }
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
