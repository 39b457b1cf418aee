import { join } from 'node:path';
import { ok, type Result } from '@switchyard/values';
import type { AwsKms } from './aws-kms.js';
import type { KeyManagementFailure } from './key-management-failure.js';
import { LocalKeyring } from './local-keyring.js';

/** The part of the environment that is read here. The AWS SDK reads its own standard variables itself. */
export interface KeyManagementEnvironment {
  /** A key's id, ARN, alias name or alias ARN. */
  readonly SWITCHYARD_KMS_KEY_ID?: string | undefined;
  /** ARNs of other keys that may be used, separated by commas: those before a change of key, and signing keys. */
  readonly SWITCHYARD_KMS_KEY_IDS?: string | undefined;
  /** Where the local keyring is, when several processes share one. Absent: in the data folder. */
  readonly SWITCHYARD_KEYRING_FILE?: string | undefined;
}

/** The keys that are allowed beside the one that wraps. */
export function allowedKmsKeys(env: KeyManagementEnvironment): readonly string[] {
  const listed = (env.SWITCHYARD_KMS_KEY_IDS ?? '').split(',').map((each) => each.trim());
  return listed.filter((each) => each !== '');
}

export type OpenedKeyManagement =
  { readonly kind: 'aws'; readonly keys: AwsKms } | { readonly kind: 'local'; readonly keys: LocalKeyring };

/**
 * Opens AWS KMS when a key is named, else the local keyring in `dataDir`, made where `mayMake` says that nothing is
 * sealed yet. A configured key service that does not answer is a failure: falling back would seal secrets under a key
 * that nobody chose.
 */
export async function openKeyManagement(
  env: KeyManagementEnvironment,
  dataDir: string,
  mayMake = true,
): Promise<Result<OpenedKeyManagement, KeyManagementFailure>> {
  const awsKeyId = env.SWITCHYARD_KMS_KEY_ID?.trim();
  if (awsKeyId !== undefined && awsKeyId !== '') {
    // The SDK is large, and an installation without such a key never needs it.
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

/** Where a data folder keeps its keyring. Whoever backs up the database backs this file up too, elsewhere. */
export function keyringPathIn(dataDir: string): string {
  return join(dataDir, 'keyring.json');
}
