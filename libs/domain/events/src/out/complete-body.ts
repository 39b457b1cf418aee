import { Buffer } from 'node:buffer';

/**
 * The sent bytes: the frozen ones, with the registration's token as last member. The token is sealed and not
 * stored in the body's row. It is constant per registration, so every attempt has the same bytes.
 */
export function completeBody(frozen: Buffer, token: string | undefined): Buffer {
  if (token === undefined) return frozen;
  const tail = Buffer.from(`,"token":${JSON.stringify(token)}}`, 'utf8');
  return Buffer.concat([frozen.subarray(0, frozen.length - 1), tail]);
}
