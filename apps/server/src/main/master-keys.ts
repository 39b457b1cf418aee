import {
  checkpointStore,
  instanceNotes,
  sealedUnder,
  type InstanceNotes,
  type Store,
} from '@switchyard/store';
import { err, isJsonObject, type Instant, type JsonValue, type Result } from '@switchyard/values';
import { verifyKeyCheck, type KeyCheck, type KmsFailure, type MasterKeys } from '@switchyard/vault';
import { rewrapCheckpoint } from '../ledger/verify-ledger.js';
import type { MoveSealsDeps } from '../sellers/move-seals.js';

const checkNote = 'key-check';
const chosenNote = 'sealing-key';

/** The value by which a start knows the master keys of its database; undefined before the first start. */
export async function storedKeyCheck(notes: InstanceNotes): Promise<KeyCheck | undefined> {
  return (await notes.get(checkNote)) as unknown as KeyCheck | undefined;
}

/** Stores the first one. Of two processes, the first one's stays. */
export async function storeFirstCheck(notes: InstanceNotes, made: KeyCheck, now: Instant): Promise<KeyCheck> {
  return (await notes.setOnce(checkNote, made as unknown as JsonValue, now)) as unknown as KeyCheck;
}

/** Checks these keys against the stored value, and wraps that under the current key if it is under another one. */
export async function verifyStoredCheck(
  keys: MasterKeys,
  notes: InstanceNotes,
  stored: KeyCheck,
  now: Instant,
): Promise<Result<KeyCheck, KmsFailure>> {
  const verified = await verifyKeyCheck(keys, stored);
  if (verified.ok && verified.value !== stored)
    await notes.set(checkNote, verified.value as unknown as JsonValue, now);
  return verified;
}

/** Which key wraps for all processes of the installation, as `credentials rewrap` chose it. */
export function chosenKey(notes: InstanceNotes): () => Promise<string | undefined> {
  return async () => {
    const note = await notes.get(chosenNote);
    const keyId = isJsonObject(note) ? note['key_id'] : undefined;
    return typeof keyId === 'string' ? keyId : undefined;
  };
}

/** Chooses the key of the settings where none was chosen. Of two processes, the first one's stays. */
export async function chooseFirst(notes: InstanceNotes, keys: MasterKeys, now: Instant): Promise<void> {
  await notes.setOnce(chosenNote, { key_id: keys.configuredKeyId }, now);
}

/** Refuses a start of a process that has not the key that wraps: all that it seals would be refused later. */
export function lacksChosenKey(keys: MasterKeys): Result<never, KmsFailure> | undefined {
  const keyId = keys.currentKeyId();
  if (keys.at(keyId) !== undefined) return undefined;
  return err({
    code: 'unknown_key',
    message: `Its secrets are wrapped with ${keyId}. Name that key in SWITCHYARD_KMS_KEY_IDS too.`,
  });
}

/** What moves the seals of this database to another master key. */
export function sealMoves({
  store,
  keys,
}: {
  readonly store: Store;
  readonly keys: MasterKeys;
}): Omit<MoveSealsDeps, 'vault' | 'clock'> {
  const notes = instanceNotes(store);
  const checkpoints = checkpointStore(store);
  return {
    keys,
    rewrapCheckpoint: (scope) => rewrapCheckpoint({ checkpoints, keys }, scope),
    sealedUnder: () => sealedUnder(store),
    choose: (keyId, at) => notes.set(chosenNote, { key_id: keyId }, at),
    moveKeyCheck: async (at) => {
      const stored = await storedKeyCheck(notes);
      if (stored !== undefined) await verifyStoredCheck(keys, notes, stored, at);
    },
  };
}
