import type { KeyManagement } from '@switchyard/vault';

export type ProviderKind = 'aws' | 'local';

/** One service that keeps master keys, or one file. The form of a key's id says which provider has it. */
export interface KeyProvider {
  readonly kind: ProviderKind;
  /** Whether an id has this provider's form. */
  owns(keyId: string): boolean;
  /** Key management that wraps under this key; undefined unless the settings allow the key. */
  at(keyId: string): KeyManagement | undefined;
  close(): void;
}

/** AWS knows keys by ARN, id and alias; ids of the keyring begin in their own way. */
export function isAwsKeyId(keyId: string): boolean {
  return !keyId.startsWith('local:');
}
