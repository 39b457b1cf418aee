import { Buffer } from 'node:buffer';
import type { ClientCertificate, SellerTarget } from '@switchyard/sellers';

/**
 * The `Authorization` header of one request, made when it is sent and not stored. A Basic secret is
 * `username:password`.
 */
export function authorizationOf(credential: SellerTarget['credential']): Record<string, string> {
  if (credential === undefined || credential.scheme === 'certificate') return {};
  const { scheme, secret } = credential;
  if (scheme === 'bearer') return { authorization: secret.useText((token) => `Bearer ${token}`) };
  const encoded = secret.use((bytes) => Buffer.from(bytes).toString('base64'));
  return { authorization: `Basic ${encoded}` };
}

/** The certificate for the handshake of one request, if the seller knows us by one. */
export function certificateOf(credential: SellerTarget['credential']): {
  readonly certificate?: ClientCertificate;
} {
  if (credential?.scheme !== 'certificate') return {};
  const { id, version, secret } = credential;
  return { certificate: { id: `${id}:${version}`, pem: secret } };
}
