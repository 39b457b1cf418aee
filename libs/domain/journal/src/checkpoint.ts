import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson, isoOf, type Instant, type JsonObject } from '@switchyard/values';
import type { StreamHead } from './head.js';

/**
 * The point up to which a stream was verified. The next verification continues there.
 *
 * A checkpoint states that everything up to `head` was intact when it was read. It does not show that earlier
 * rows are unchanged since: only reading from the first block does. Its MAC uses a key that is not in the
 * database: an attacker who can edit rows can delete a checkpoint, but not move or forge one.
 */
export interface Checkpoint {
  /** The head at that time. */
  readonly head: StreamHead;
  /** Sums over all entries so far, by the stream's owner. */
  readonly sums: JsonObject;
  readonly verifiedAt: Instant;
  /** When the stream was last read from its first block. */
  readonly fullyVerifiedAt: Instant;
}

/** HMAC-SHA-256 over all members, in lower-case hex. The stream's name contains its owner. */
export function macOfCheckpoint(
  key: Uint8Array,
  { head, sums, verifiedAt, fullyVerifiedAt }: Checkpoint,
): string {
  const text = JSON.stringify([
    'switchyard.journal.checkpoint.1',
    head.stream,
    head.number.toString(),
    head.hash,
    head.entryTotal.toString(),
    isoOf(head.sealedAt),
    canonicalJson(sums),
    isoOf(verifiedAt),
    isoOf(fullyVerifiedAt),
  ]);
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Whether this key made the MAC of this checkpoint. */
export function isMacOfCheckpoint(key: Uint8Array, checkpoint: Checkpoint, mac: string): boolean {
  const expected = macOfCheckpoint(key, checkpoint);
  return expected.length === mac.length && timingSafeEqual(Buffer.from(expected), Buffer.from(mac));
}
