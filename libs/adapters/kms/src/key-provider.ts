import type { KeyManagement } from '@switchyard/vault';

export type ProviderKind = 'aws' | 'local' | 'transit' | 'google' | 'azure';

/** One service that keeps master keys, or one file. The form of a key's id says which provider has it. */
export interface KeyProvider {
  readonly kind: ProviderKind;
  /** Whether an id has this provider's form. */
  owns(keyId: string): boolean;
  /** Key management that wraps under this key; undefined unless the settings allow the key. */
  at(keyId: string): KeyManagement | undefined;
  close(): void;
}

const otherForms = /^(?:local:|transit:|projects\/|https:\/\/)/;

/** AWS knows keys by ARN, id and alias; every other provider's ids begin in their own way. */
export function isAwsKeyId(keyId: string): boolean {
  return !otherForms.test(keyId);
}
