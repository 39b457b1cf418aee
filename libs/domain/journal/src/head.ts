import { createHash } from 'node:crypto';
import type { Instant } from '@switchyard/values';

/**
 * Where a stream stands. Kept outside the table of blocks: a block cut off at the end leaves a perfect, shorter chain,
 * and only the head still knows that there was more.
 */
export interface StreamHead {
  readonly stream: string;
  /** Number of the last block; 0 while there is none. */
  readonly number: bigint;
  readonly hash: string;
  /** Entries in all blocks together. */
  readonly entryTotal: bigint;
  /** Of the last block; 0 while there is none. */
  readonly sealedAt: Instant;
}

/** The head of a stream without blocks. Its hash comes from the name, so two streams do not even share their beginning. */
export function emptyStream(stream: string): StreamHead {
  const preimage = JSON.stringify(['switchyard.journal.genesis.1', stream]);
  const hash = createHash('sha256').update(preimage, 'utf8').digest('hex');
  return { stream, number: 0n, hash, entryTotal: 0n, sealedAt: 0 };
}
