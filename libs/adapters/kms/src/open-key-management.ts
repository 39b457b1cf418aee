import { join } from 'node:path';
import { ok, type Result } from '@switchyard/values';
import type { AwsKms } from './aws-kms.js';
import type { KeyManagementFailure } from './key-management-failure.js';
import { LocalKeyring } from './local-keyring.js';

/** The environment variables that are read here. The AWS SDK reads its own standard variables. */
export interface KeyManagementEnvironment {
  /** A key id, key ARN, alias name or alias ARN. */
  readonly SWITCHYARD_KMS_KEY_ID?: string | undefined;
  /** ARNs of other permitted keys, separated by commas: former keys, and signing keys. */
  readonly SWITCHYARD_KMS_KEY_IDS?: string | undefined;
  /** Path of the local keyring, if several processes share one. Default: in the data folder. */
  readonly SWITCHYARD_KEYRING_FILE?: string | undefined;
}

/** The permitted keys other than the one that wraps. */
export function allowedKmsKeys(env: KeyManagementEnvironment): readonly string[] {
  const listed = (env.SWITCHYARD_KMS_KEY_IDS ?? '').split(',').map((each) => each.trim());
  return listed.filter((each) => each !== '');
}

type OpenedKeyManagement =
  { readonly kind: 'aws'; readonly keys: AwsKms } | { readonly kind: 'local'; readonly keys: LocalKeyring };

/**
 * Opens AWS KMS if a key is configured, else the local keyring in `dataDir`. `mayMake`: nothing is sealed yet, so a
 * missing keyring may be made. If the configured key service does not answer, this fails: a fallback would seal secrets
 * under a key that nobody chose.
 */
export async function openKeyManagement(
  env: KeyManagementEnvironment,
  dataDir: string,
  mayMake = true,
): Promise<Result<OpenedKeyManagement, KeyManagementFailure>> {
  const awsKeyId = env.SWITCHYARD_KMS_KEY_ID?.trim();
  if (awsKeyId !== undefined && awsKeyId !== '') {
    // The SDK is large, and an installation without such a key does not need it.
    const { AwsKms } = await import('./aws-kms.js');
    const aws = await AwsKms.open(awsKeyId, {}, allowedKmsKeys(env));
    return aws.ok ? ok({ kind: 'aws', keys: aws.value }) : aws;
  }
  const local = await LocalKeyring.open(keyringFileOf(env, dataDir), mayMake);
  return local.ok ? ok({ kind: 'local', keys: local.value }) : local;
}

function keyringFileOf(env: KeyManagementEnvironment, dataDir: string): string {
  const named = env.SWITCHYARD_KEYRING_FILE?.trim() ?? '';
  return named === '' ? keyringPathIn(dataDir) : named;
}

/** Path of the keyring in a data folder. A backup of the database needs a backup of this file too, in another place. */
function keyringPathIn(dataDir: string): string {
  return join(dataDir, 'keyring.json');
}
