import type { Buffer } from 'node:buffer';
import type { TransportFailure } from '@switchyard/sellers';
import { ok, err, type Result } from '@switchyard/values';
import type { Exchange } from './exchange.js';
import { failureOf } from './failure.js';

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
