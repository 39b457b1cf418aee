import { Buffer } from 'node:buffer';
import type { LegSecrets } from '@switchyard/buys';

/** The relay's own `Authorization` at the seller, made at the moment of sending and kept nowhere. */
export function authorizationOf(credential: LegSecrets['credential']): Record<string, string> {
  if (credential === undefined) return {};
  const { scheme, secret } = credential;
  if (scheme === 'bearer') return { authorization: secret.useText((token) => `Bearer ${token}`) };
  return { authorization: `Basic ${secret.use((bytes) => Buffer.from(bytes).toString('base64'))}` };
}
