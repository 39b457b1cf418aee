import { Buffer } from 'node:buffer';

/**
 * The bytes that go out: the frozen ones, and the registration's token as their last member. The token lies sealed and
 * not in the body's row; it is one text per registration, so the bytes are the same in every attempt.
 */
export function completeBody(frozen: Buffer, token: string | undefined): Buffer {
  if (token === undefined) return frozen;
  const tail = Buffer.from(`,"token":${JSON.stringify(token)}}`, 'utf8');
  return Buffer.concat([frozen.subarray(0, frozen.length - 1), tail]);
}
