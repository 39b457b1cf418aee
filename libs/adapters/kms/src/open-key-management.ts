import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import type { AzureEnvironment } from './azure-keys.js';
import type { GoogleEnvironment } from './google-kms.js';
import { KeyChain, type ChosenKey } from './key-chain.js';
import type { KeyManagementFailure } from './key-management-failure.js';
import { providerOf, type KeyProvider, type ProviderKind } from './key-provider.js';
import { LocalKeyring } from './local-keyring.js';
import type { TransitEnvironment } from './vault-transit.js';

/** The environment variables that are read here. The AWS SDK reads its own standard variables. */
export interface KeyManagementEnvironment extends TransitEnvironment, GoogleEnvironment, AzureEnvironment {
  /**
   * Of AWS a key id, key ARN, alias name or alias ARN; of Vault `transit:MOUNT/KEY`; of Google the name of a key or of a
   * version of it; of Azure the address of a key.
   */
  readonly SWITCHYARD_KMS_KEY_ID?: string | undefined;
  /** Other permitted keys, of AWS by ARN, separated by commas: former keys, and signing keys. */
  readonly SWITCHYARD_KMS_KEY_IDS?: string | undefined;
  /** Path of the local keyring, if several processes share one. Default: in the data folder. */
  readonly SWITCHYARD_KEYRING_FILE?: string | undefined;
}

/** The permitted keys other than the one that wraps. */
export function allowedKmsKeys(env: KeyManagementEnvironment): readonly string[] {
  const listed = (env.SWITCHYARD_KMS_KEY_IDS ?? '').split(',').map((each) => each.trim());
  return listed.filter((each) => each !== '');
}

interface OpenedKeyManagement {
  /** The provider of the key that the settings name. */
  readonly kind: ProviderKind;
  readonly keys: KeyChain;
}

interface KeyManagementOptions {
  /** Nothing is sealed yet, so a missing keyring may be made. Default: true. */
  readonly mayMake?: boolean;
  /** Which key wraps, once that was chosen for the installation. */
  readonly chosen?: ChosenKey;
}

/**
 * Opens the providers of all keys that the settings name, and the local keyring: alone where no key service is
 * configured, else beside it if its file exists, so that secrets from before are opened. If the configured key service
 * does not answer, this fails: a fallback would seal secrets under a key that nobody chose.
 */
export async function openKeyManagement(
  env: KeyManagementEnvironment,
  dataDir: string,
  { mayMake = true, chosen }: KeyManagementOptions = {},
): Promise<Result<OpenedKeyManagement, KeyManagementFailure>> {
  const configured = env.SWITCHYARD_KMS_KEY_ID?.trim() ?? '';
  const named = [configured, ...allowedKmsKeys(env)].filter((id) => id !== '');
  const providers: KeyProvider[] = [];
  const closeAll = (): void => {
    for (const provider of providers) provider.close();
  };
  let wrapping: string | undefined;
  for (const kind of services) {
    const ids = named.filter((id) => providerOf(id) === kind);
    if (ids.length === 0) continue;
    const opened = await open[kind](configured, ids, env);
    if (!opened.ok) {
      closeAll();
      return opened;
    }
    providers.push(opened.value);
    if (ids.includes(configured)) wrapping = opened.value.currentKeyId();
  }
  const file = keyringFileOf(env, dataDir);
  if (configured === '' || (await fileExists(file))) {
    const local = await LocalKeyring.open(file, mayMake && configured === '');
    if (!local.ok) {
      closeAll();
      return local;
    }
    providers.push(local.value);
    wrapping ??= local.value.currentKeyId();
  }
  if (wrapping === undefined) {
    closeAll();
    return err({ code: 'unknown_key', message: `SWITCHYARD_KMS_KEY_ID has no key of a known form.` });
  }
  const keys = new KeyChain(providers, wrapping, chosen);
  return ok({ kind: keys.kindOf(wrapping) ?? 'local', keys });
}

type Opened = Result<KeyProvider & { currentKeyId(): string }, KeyManagementFailure>;
type Open = (configured: string, ids: readonly string[], env: KeyManagementEnvironment) => Promise<Opened>;

const services = ['aws', 'transit', 'google', 'azure'] as const;

/**
 * Opens the keys of one service, by its own variables of the environment. An installation loads only what it needs: the
 * SDK of AWS is large.
 */
const open: Readonly<Record<(typeof services)[number], Open>> = {
  aws: async (configured, ids) => {
    const { AwsKms } = await import('./aws-kms.js');
    return ids.includes(configured)
      ? AwsKms.open(configured, {}, ids.slice(1))
      : ok(AwsKms.others(severalOf(ids)));
  },
  transit: async (configured, ids, env) => {
    const { openTransit, otherTransitKeys } = await import('./vault-transit.js');
    return ids.includes(configured)
      ? openTransit(configured, env, ids)
      : otherTransitKeys(severalOf(ids), env);
  },
  google: async (configured, ids, env) => {
    const { openGoogle, otherGoogleKeys } = await import('./google-kms.js');
    return ids.includes(configured)
      ? openGoogle(configured, env, ids)
      : ok(otherGoogleKeys(severalOf(ids), env));
  },
  azure: async (configured, ids, env) => {
    const { openAzure, otherAzureKeys } = await import('./azure-keys.js');
    return ids.includes(configured)
      ? openAzure(configured, env, ids)
      : ok(otherAzureKeys(severalOf(ids), env));
  },
};

const severalOf = ([first = '', ...others]: readonly string[]): readonly [string, ...string[]] => [
  first,
  ...others,
];

async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The file of the keyring of an installation. */
export function keyringFileOf(env: KeyManagementEnvironment, dataDir: string): string {
  const named = env.SWITCHYARD_KEYRING_FILE?.trim() ?? '';
  return named === '' ? keyringPathIn(dataDir) : named;
}

/** Path of the keyring in a data folder. A backup of the database needs a backup of this file too, in another place. */
function keyringPathIn(dataDir: string): string {
  return join(dataDir, 'keyring.json');
}
