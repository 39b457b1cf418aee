import {
  addKeyToFile,
  keyringFileOf,
  openKeyringFile,
  readKeyringFile,
  removeKeyFromFile,
  type Keyring,
} from '@switchyard/kms';
import { instanceNotes, locateDatabase, openStore, sealedUnder, type Store } from '@switchyard/store';
import { err, ok, type Result } from '@switchyard/values';
import { chosenKey, storedKeyCheck } from '../master-keys.js';
import { readConfiguration } from '../settings/read-configuration.js';
import type { Environment } from '../settings/settings.js';
import type { StartFailure } from '../../platform/start-failure.js';

interface Place {
  readonly env: Environment;
  readonly dataDir: string;
}

/** One key of the keyring, and what needs it. */
export interface KeyringKey {
  readonly key_id: string;
  /** It wraps what is sealed from now on. */
  readonly in_use: boolean;
  /** Records that only it opens: credentials, checkpoints, the check value of the start. */
  readonly records: number;
}

/** The keys of the local keyring, and how many records of the database are under each. */
export async function listKeyring(place: Place): Promise<Result<readonly KeyringKey[], StartFailure>> {
  const file = fileOf(place);
  if (!file.ok) return file;
  const keyring = await readKeyringFile(file.value);
  return keyring.ok ? withStore(place, (store) => rowsOf(store, keyring.value)) : keyring;
}

/** Makes a keyring with one key, for an installation whose first start finds it there. Refuses to replace one. */
export async function newKeyring(
  place: Place,
): Promise<Result<{ readonly key_id: string; readonly file: string }, StartFailure>> {
  const file = fileOf(place);
  if (!file.ok) return file;
  const found = await readKeyringFile(file.value);
  if (found.ok) return err({ code: 'conflict', message: `There is a keyring at ${file.value} already.` });
  if (found.error.code !== 'keyring_missing') return found;
  const made = await openKeyringFile(file.value);
  return made.ok ? ok({ key_id: made.value.current, file: file.value }) : made;
}

/**
 * Adds a key that wraps nothing yet: copy the file to every host, then `credentials rewrap --to` makes it the one that
 * wraps.
 */
export async function addKeyringKey(
  place: Place,
): Promise<Result<{ readonly key_id: string }, StartFailure>> {
  const file = fileOf(place);
  if (!file.ok) return file;
  const added = await addKeyToFile(file.value, false);
  return added.ok ? ok({ key_id: [...added.value.keys.keys()].at(-1) ?? '' }) : added;
}

/** Removes a key that nothing in the database needs any more. Backups from before still need it. */
export async function removeKeyringKey(
  place: Place,
  keyId: string,
): Promise<Result<{ readonly removed: string }, StartFailure>> {
  const listed = await listKeyring(place);
  if (!listed.ok) return listed;
  const found = listed.value.find((key) => key.key_id === keyId);
  if (found === undefined) return err({ code: 'unknown_key', message: `The keyring has no key ${keyId}.` });
  if (found.in_use || found.records > 0)
    return err({
      code: 'conflict',
      message: `${keyId} is needed: ${found.records} records are under it. Move them first: switchyard credentials rewrap --to KEYID`,
    });
  const file = fileOf(place);
  if (!file.ok) return file;
  const removed = await removeKeyFromFile(file.value, keyId);
  return removed.ok ? ok({ removed: keyId }) : removed;
}

function fileOf({ env, dataDir }: Place): Result<string, StartFailure> {
  const configuration = readConfiguration(env);
  return configuration.ok ? ok(keyringFileOf(configuration.value.settings, dataDir)) : configuration;
}

async function rowsOf(store: Store, { current, keys }: Keyring): Promise<readonly KeyringKey[]> {
  const notes = instanceNotes(store);
  const wrapping = (await chosenKey(notes)()) ?? current;
  const check = await storedKeyCheck(notes);
  const sealed = await sealedUnder(store);
  return [...keys.keys()].map((id) => ({
    key_id: id,
    in_use: id === wrapping,
    records: sealed
      .filter(({ keyId }) => keyId === id)
      .reduce(
        (sum, { credentials, checkpoints }) => sum + credentials + checkpoints,
        check?.keyId === id ? 1 : 0,
      ),
  }));
}

async function withStore<T>(
  { env, dataDir }: Place,
  work: (store: Store) => Promise<T>,
): Promise<Result<T, StartFailure>> {
  const located = locateDatabase(env, dataDir);
  if (!located.ok)
    return located.error.code === 'not_running'
      ? err({ code: 'not_running', message: `${located.error.message} Start it first.` })
      : located;
  const store = openStore(located.value.url, { connections: 1 });
  try {
    return ok(await work(store));
  } finally {
    await store.close();
  }
}
