import { createHash } from 'node:crypto';
import type { Instant } from '@switchyard/values';

/**
 * The end of a stream. It is stored outside the table of blocks: without the last block the chain is shorter
 * but valid, and only the head shows the loss.
 */
export interface StreamHead {
  readonly stream: string;
  /** Number of the last block; 0 while there is none. */
  readonly number: bigint;
  readonly hash: string;
  /** Entries in all blocks together. */
  readonly entryTotal: bigint;
  /** Time of the last block; 0 while there is none. */
  readonly sealedAt: Instant;
}

/** The head of an empty stream. Its hash depends on the name, so two streams never share a hash. */
export function emptyStream(stream: string): StreamHead {
  const preimage = JSON.stringify(['switchyard.journal.genesis.1', stream]);
  const hash = createHash('sha256').update(preimage, 'utf8').digest('hex');
  return { stream, number: 0n, hash, entryTotal: 0n, sealedAt: 0 };
}
