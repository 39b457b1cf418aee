import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseStrictJson, Secret } from '@switchyard/values';

/** The note of a running instance in its data folder, which commands use to find it. */
interface InstanceNote {
  readonly pid: number;
  /** Base address, without a trailing slash. */
  readonly url: string;
}

export const defaultDataFolder = '.data';

const noteFile = (dataFolder: string): string => join(dataFolder, 'instance.json');
const secretFile = (dataFolder: string): string => join(dataFolder, 'admin.secret');

export function readInstanceNote(dataFolder: string): InstanceNote | undefined {
  const bytes = contentOf(noteFile(dataFolder));
  const read = bytes && parseStrictJson(bytes);
  if (!read?.ok || !isJsonObject(read.value.value)) return undefined;
  const { pid, url } = read.value.value;
  if (typeof pid !== 'number' || typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return { pid, url };
}

/** True while any process with that id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The secret for `POST /v1/tokens`, for everybody who can read the data folder: mode 0600, and made if there is none or
 * an empty one. Only the holder of the folder's lock makes it.
 */
export function ensureAdminSecret(dataFolder: string): Secret {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const path = secretFile(dataFolder);
  if (readAdminSecret(dataFolder) === undefined) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
    renameSync(draft, path);
  }
  chmodSync(path, 0o600);
  const secret = readAdminSecret(dataFolder);
  if (!secret) throw new Error(`${path} cannot be read`);
  return secret;
}

export function readAdminSecret(dataFolder: string): Secret | undefined {
  const text = contentOf(secretFile(dataFolder))?.toString('utf8').trim();
  return text === undefined || text === '' ? undefined : new Secret(Buffer.from(text));
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return undefined;
    throw error;
  }
}
