import type { Buffer } from 'node:buffer';
import type { TransportFailure } from '@switchyard/sellers';
import { ok, err, type Result } from '@switchyard/values';
import type { Exchange } from './exchange.js';
import { failureOf } from './failure.js';

export interface Outgoing {
  /** Exactly the address that is requested. */
  readonly url: string;
  readonly contentType: string;
  /** Exactly the bytes that are sent. */
  readonly body: Buffer;
}

/**
 * The signature headers of one POST, made at the moment of sending and for this attempt alone; none where the
 * exchange is not signed. A signature that cannot be made ends the call before a byte has left: unsigned is another
 * request than the one that was asked for.
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
    // An address that cannot be put into a signature.
    return err(failureOf('not_signed', 'no'));
  }
}
