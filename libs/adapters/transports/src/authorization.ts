import { Buffer } from 'node:buffer';
import type { SellerTarget } from '@switchyard/sellers';

/**
 * The `Authorization` header of one request, made when it is sent and not stored. A Basic secret is
 * `username:password`.
 */
export function authorizationOf(credential: SellerTarget['credential']): Record<string, string> {
  if (credential === undefined) return {};
  const { scheme, secret } = credential;
  if (scheme === 'bearer') return { authorization: secret.useText((token) => `Bearer ${token}`) };
  const encoded = secret.use((bytes) => Buffer.from(bytes).toString('base64'));
  return { authorization: `Basic ${encoded}` };
}
