import { X509Certificate } from 'node:crypto';
import { accessSync, chmodSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isPlace } from '../commands/file-places.js';
import type { Settings } from '../settings/settings.js';
import { fine, skipped, warning, wrong, type Check, type Patient } from './check.js';

const dayMs = 86_400_000;
const gigabyte = 1024 ** 3;
/** Files of a data folder that nobody else may read. */
const secrets = ['keyring.json', 'admin.secret', 'application-role.secret', 'postgres/superuser.secret'];

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Paths that others may read, with the mode that they should have. */
function openPaths({ dataDir, env }: Patient): readonly (readonly [string, number])[] {
  const keyring = env['SWITCHYARD_KEYRING_FILE']?.trim();
  const files = [...secrets.map((name) => join(dataDir, name)), ...(keyring ? [keyring] : [])];
  const wanted: (readonly [string, number])[] = [
    [dataDir, 0o700],
    ...files.map((path) => [path, 0o600] as const),
  ];
  return wanted.filter(([path]) => existsSync(path) && (modeOf(path) & 0o077) !== 0);
}

/** The folder, or the nearest one above it that exists. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));

/** Of uploaded files of creatives, of reports and of archives; buckets and places of connectors are none. */
function foldersOf(settings: Settings): readonly string[] {
  const { SWITCHYARD_CREATIVE_FOLDER, SWITCHYARD_REPORTS_TO, SWITCHYARD_ARCHIVE_FOLDER } = settings;
  return [SWITCHYARD_CREATIVE_FOLDER, SWITCHYARD_REPORTS_TO, SWITCHYARD_ARCHIVE_FOLDER]
    .filter((path) => path !== undefined)
    .filter((path) => !isPlace(path))
    .map((path) => resolve(path));
}

/** Whether it is a folder, or can be made as one, and written. */
function canBeWritten(path: string): boolean {
  const there = existing(path);
  try {
    accessSync(there, constants.W_OK);
    return statSync(there).isDirectory();
  } catch {
    return false;
  }
}

/** Checks of this machine and of the data folder. They need no database. */
export const machineChecks: readonly Check[] = [
  {
    id: 'node',
    what: 'the version of Node gets security fixes',
    remedy: 'Run Node 24, or the image.',
    run: () => {
      const { node } = process.versions;
      return Number.parseInt(node, 10) >= 22 ? fine(`Node ${node}`) : warning(`Node ${node} gets none.`);
    },
  },
  {
    id: 'settings',
    what: 'the settings can be used',
    remedy: 'Correct the named settings; `switchyard settings` explains each.',
    run: ({ configuration }) =>
      configuration.ok
        ? fine(`profile ${configuration.value.http.profile}`)
        : wrong(configuration.error.message.replaceAll('\n', ' ')),
  },
  {
    id: 'data_folder',
    what: 'nobody else can read the secrets of the data folder',
    remedy: 'Run `switchyard doctor --fix`, and rotate what others may have read.',
    run: (patient) => {
      if (!existsSync(patient.dataDir)) return skipped(`${patient.dataDir} does not exist yet.`);
      const [first] = openPaths(patient);
      return first === undefined
        ? fine(patient.dataDir)
        : wrong(`${first[0]} can be read by others (mode 0${modeOf(first[0]).toString(8)}).`);
    },
    fix: (patient) => {
      const open = existsSync(patient.dataDir) ? openPaths(patient) : [];
      for (const [path, mode] of open) chmodSync(path, mode);
      return open.length === 0
        ? undefined
        : `The modes of ${open.map(([path]) => path).join(', ')} were set.`;
    },
  },
  {
    id: 'disk',
    what: 'the disk of the data folder has space',
    remedy: 'Free space, or move the data folder to a larger disk.',
    run: ({ dataDir }) => {
      const { bavail, bsize } = statfsSync(existing(dataDir));
      const free = bavail * bsize;
      const text = `${(free / gigabyte).toFixed(1)} GB are free.`;
      if (free < gigabyte / 4) return wrong(text);
      return free < 2 * gigabyte ? warning(text) : fine(text);
    },
  },
  {
    id: 'folders',
    what: 'the folders that the settings name for files can be written',
    remedy: 'Make the folder, and give it to the user that runs the product.',
    run: ({ configuration }) => {
      if (!configuration.ok) return skipped('The settings cannot be used.');
      const named = foldersOf(configuration.value.settings);
      const lacking = named.filter((path) => !canBeWritten(path));
      if (lacking.length > 0) return wrong(`${lacking.join(', ')} cannot be written.`);
      return named.length === 0 ? skipped('They name none.') : fine(named.join(', '));
    },
  },
  {
    id: 'open_files',
    what: 'the process may open enough files',
    remedy: 'Raise the limit: `LimitNOFILE=65536` of systemd, `ulimit -n 65536` in a shell.',
    run: () => {
      const line = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
      const limit = line?.[1] === 'unlimited' ? Infinity : Number(line?.[1]);
      const text = `${String(limit)} files at once`;
      return limit < 4_096 ? warning(text) : fine(text);
    },
  },
  {
    id: 'certificate',
    what: 'our own certificate is valid for at least 14 days more',
    remedy: 'Renew the files of SWITCHYARD_TLS_CERT_FILE and SWITCHYARD_TLS_KEY_FILE, and restart.',
    run: ({ configuration, now }) => {
      const tls = configuration.ok ? configuration.value.http.tls : undefined;
      if (tls === undefined) return skipped('TLS ends at a proxy, or there is none.');
      const { validTo } = new X509Certificate(tls.certificate);
      const days = Math.floor((Date.parse(validTo) - now) / dayMs);
      if (days < 0) return wrong(`It ended ${-days} days ago.`);
      return days < 14 ? warning(`It ends in ${days} days.`) : fine(`It ends in ${days} days.`);
    },
  },
];
