import { openKeyManagement, type KeyManagementEnvironment } from '@switchyard/kms';
import type { InstanceNotes } from '@switchyard/store';
import { err, ok, type Instant, type JsonValue, type Result } from '@switchyard/values';
import { makeKeyCheck, verifyKeyCheck, type KeyCheck, type KeyManagement } from '@switchyard/vault';
import type { StartFailure } from '../open-switchyard.js';

const note = 'key-check';

interface OpenedKeys {
  readonly kind: 'aws' | 'local';
  readonly keys: KeyManagement;
}

/**
 * Opens the master keys, and refuses those of another database: a replica or a restored backup with them could not open
 * what the others sealed. Only the first start on a database stores the check value and makes a keyring.
 */
export async function openKeys(
  environment: KeyManagementEnvironment,
  dataDir: string,
  notes: InstanceNotes,
  now: Instant,
): Promise<Result<OpenedKeys, StartFailure>> {
  let stored = (await notes.get(note)) as unknown as KeyCheck | undefined;
  const opened = await openKeyManagement(environment, dataDir, stored === undefined);
  if (!opened.ok)
    return opened.error.code === 'keyring_missing' ? err(otherKeys(opened.error.message)) : opened;
  const { kind, keys } = opened.value;
  if (stored === undefined) {
    const made = await makeKeyCheck(keys);
    if (!made.ok) return made;
    stored = (await notes.setOnce(note, made.value as unknown as JsonValue, now)) as unknown as KeyCheck;
  }
  const verified = await verifyKeyCheck(keys, stored);
  if (!verified.ok) return isOutage(verified.error.code) ? verified : err(otherKeys(verified.error.message));
  if (verified.value !== stored) await notes.set(note, verified.value as unknown as JsonValue, now);
  return ok({ kind, keys });
}

function isOutage(code: string): boolean {
  return code === 'unavailable' || code === 'throttled' || code === 'denied';
}

function otherKeys(reason: string): StartFailure {
  return {
    code: 'other_master_keys',
    message:
      `This database's secrets are sealed under other master keys. ${reason} Start with the keyring.json of the ` +
      'installation that made this database, copied into the data folder, or with its SWITCHYARD_KMS_KEY_ID.',
  };
}
