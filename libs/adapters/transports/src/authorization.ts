import { Buffer } from 'node:buffer';
import type { ClientCertificate, SellerTarget, TransportFailure } from '@switchyard/sellers';
import { ok, err, type Result } from '@switchyard/values';
import type { Exchange } from './exchange.js';
import { failureOf } from './failure.js';

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

interface Outgoing {
  /** Exactly the URL of the request. */
  readonly url: string;
  readonly contentType: string;
  /** Exactly the bytes of the request. */
  readonly body: Buffer;
}

/**
 * The signature headers of one POST, made when it is sent and for this attempt only; none if the exchange is not
 * signed. If the signature cannot be made, the call ends before a byte is sent: an unsigned request is not the
 * requested one.
 */
export async function signatureOf(
  exchange: Exchange,
  { url, contentType, body }: Outgoing,
): Promise<Result<Record<string, string>, TransportFailure>> {
  if (exchange.signer === undefined) return ok({});
  const headers = { 'content-type': contentType };
  try {
    const signed = await exchange.signer.sign({ method: 'POST', url, headers, body });
    if (signed.ok) return ok({ ...signed.value });
    return err(failureOf(signed.error.code === 'key_stopped' ? 'stopped' : 'not_signed', 'no'));
  } catch {
    // The URL cannot be part of a signature.
    return err(failureOf('not_signed', 'no'));
  }
}
