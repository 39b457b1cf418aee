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

/** The provider whose form an id has. AWS knows keys by ARN, id and alias: what has no other form. */
export function providerOf(keyId: string): ProviderKind {
  const [, kind] = forms.find(([form]) => form.test(keyId)) ?? [];
  return kind ?? 'aws';
}

const forms: readonly (readonly [RegExp, ProviderKind])[] = [
  [/^local:/, 'local'],
  [/^transit:/, 'transit'],
  [/^projects\//, 'google'],
  [/^https?:\/\//, 'azure'],
];
