import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  err,
  isJsonObject,
  ok,
  parseStrictJson,
  Secret,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { KeyManagementFailure } from './key-management-failure.js';

export interface Keyring {
  /** Id of the key that wraps new data keys. */
  readonly current: string;
  readonly keys: ReadonlyMap<string, Secret>;
}

type Outcome<T> = Result<T, KeyManagementFailure>;

const format = 'switchyard-keyring-1';

/** Reads the keyring, or makes one with a single key if there is none. Concurrent first starts agree on one. */
export async function openKeyringFile(path: string): Promise<Outcome<Keyring>> {
  const found = await readKeyringFile(path);
  if (found.ok || found.error.code !== 'keyring_missing') return found;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const first = withNewKey(undefined);
    const draft = await writeDraft(path, first);
    try {
      // Unlike a rename, a link never replaces the file of a concurrent start, and is never visible half written.
      await link(draft, path);
      await syncFolder(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await unlink(draft);
    }
  } catch (error) {
    return err(unreadable(path, error));
  }
  return readKeyringFile(path);
}

/** Reads and checks the keyring. Fails with `keyring_missing` if there is no file. */
export async function readKeyringFile(path: string): Promise<Outcome<Keyring>> {
  let bytes: Buffer;
  try {
    const file = await open(path, 'r');
    try {
      const { mode } = await file.stat();
      if ((mode & 0o077) !== 0) return err(exposed(path, mode));
      bytes = await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return err(unreadable(path, error));
    return err({ code: 'keyring_missing', message: `There is no keyring at ${path}.` });
  }
  const parsed = parseStrictJson(bytes);
  bytes.fill(0);
  const keyring = parsed.ok ? readKeyring(parsed.value.value) : undefined;
  if (keyring === undefined) {
    return err({ code: 'keyring_malformed', message: `${path} is not a keyring, or is damaged.` });
  }
  return ok(keyring);
}

/** Adds a key, as the current one or beside it. */
export function addKeyToFile(path: string, asCurrent: boolean): Promise<Outcome<Keyring>> {
  return changeFile(path, (before) => ok(withNewKey(before, asCurrent)));
}

/** Removes a key. If it was the current one, the newest of the others is. The last key is not removed. */
export function removeKeyFromFile(path: string, keyId: string): Promise<Outcome<Keyring>> {
  return changeFile(path, ({ current, keys }) => {
    const left = new Map([...keys].filter(([id]) => id !== keyId));
    const newest = [...left.keys()].at(-1);
    if (!keys.has(keyId) || newest === undefined)
      return err({ code: 'unknown_key', message: `${path} has no such key, or only this one.` });
    return ok({ current: current === keyId ? newest : current, keys: left });
  });
}

/** A lock file prevents that two writers lose each other's key, and every secret under it. */
async function changeFile(
  path: string,
  change: (before: Keyring) => Outcome<Keyring>,
): Promise<Outcome<Keyring>> {
  const lock = `${path}.lock`;
  try {
    await (await open(lock, 'wx', 0o600)).close();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') return err(unreadable(lock, error));
    return err({
      code: 'keyring_busy',
      message: `Another process is changing the keyring. If none is, remove ${lock}.`,
    });
  }
  try {
    const before = await readKeyringFile(path);
    if (!before.ok) return before;
    const after = change(before.value);
    if (!after.ok) return after;
    const draft = await writeDraft(path, after.value);
    await rename(draft, path);
    await syncFolder(path);
    return await readKeyringFile(path);
  } catch (error) {
    return err(unreadable(path, error));
  } finally {
    await unlink(lock);
  }
}

function withNewKey(before: Keyring | undefined, asCurrent = true): Keyring {
  const id = `local:${randomBytes(8).toString('hex')}`;
  return {
    current: asCurrent ? id : (before?.current ?? id),
    keys: new Map([...(before?.keys ?? []), [id, new Secret(randomBytes(32))]]),
  };
}

/** Writes the whole keyring to a temporary file beside `path` and syncs it to disk. */
async function writeDraft(path: string, keyring: Keyring): Promise<string> {
  const draft = `${path}.draft-${randomBytes(6).toString('hex')}`;
  const keys = [...keyring.keys].map(([id, key]) => ({
    id,
    key: key.use((bytes) => bytes.toString('base64')),
  }));
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ format, current: keyring.current, keys }, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function readKeyring(value: JsonValue): Keyring | undefined {
  if (!isJsonObject(value) || value['format'] !== format || !Array.isArray(value['keys'])) return undefined;
  const keys = new Map<string, Secret>();
  for (const entry of value['keys']) {
    if (!isJsonObject(entry)) return undefined;
    const { id, key } = entry;
    if (typeof id !== 'string' || typeof key !== 'string' || keys.has(id)) return undefined;
    const bytes = Buffer.from(key, 'base64');
    if (bytes.length !== 32) return undefined;
    keys.set(id, new Secret(bytes));
  }
  const current = value['current'];
  if (typeof current !== 'string' || !keys.has(current)) return undefined;
  return { current, keys };
}

function exposed(path: string, mode: number): KeyManagementFailure {
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return {
    code: 'keyring_exposed',
    message: `${path} can be read by others (mode ${shown}). Make it 0600, and rotate its key if it may have been read.`,
  };
}

function unreadable(path: string, error: unknown): KeyManagementFailure {
  return {
    code: 'keyring_unreadable',
    message: `${path} cannot be used (${codeOf(error) ?? 'unknown error'}).`,
  };
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
