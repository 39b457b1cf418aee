import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { StreamHead } from './head.js';

/**
 * How far a stream was verified: the next verification continues there.
 *
 * A checkpoint says that everything up to `head` was whole when it was read. It cannot say that rows before it were
 * left alone since: that is found by reading from the first block again. Its MAC is made with a key that is not in the
 * database, so that who can edit rows can remove a checkpoint, and cannot move or invent one.
 */
export interface Checkpoint {
  /** The head at that time. */
  readonly head: StreamHead;
  /** What the stream's owner adds up over all entries so far. */
  readonly sums: JsonObject;
  readonly verifiedAt: Instant;
  /** When the stream was last read from its first block. */
  readonly wholeAt: Instant;
}

/** HMAC-SHA-256 over every member, in lower-case hex. The stream's name holds its owner, so no other stream fits. */
export function macOfCheckpoint(key: Uint8Array, { head, sums, verifiedAt, wholeAt }: Checkpoint): string {
  const text = JSON.stringify([
    'switchyard.journal.checkpoint.1',
    head.stream,
    head.number.toString(),
    head.hash,
    head.entryTotal.toString(),
    isoOf(head.sealedAt),
    canonicalJson(sums),
    isoOf(verifiedAt),
    isoOf(wholeAt),
  ]);
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Whether this key made the MAC of this checkpoint. */
export function isMacOfCheckpoint(key: Uint8Array, checkpoint: Checkpoint, mac: string): boolean {
  const expected = macOfCheckpoint(key, checkpoint);
  return expected.length === mac.length && timingSafeEqual(Buffer.from(expected), Buffer.from(mac));
}
