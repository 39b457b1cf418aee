import type { Instant } from '@switchyard/values';
import { hashOfBlock, type Block, type JournalEntry } from './block.js';
import type { StreamHead } from './head.js';

export interface SealedBlock {
  readonly block: Block;
  /** The head once the block is stored. Both are stored in one commit. */
  readonly head: StreamHead;
}

/**
 * Ties entries to the end of a stream.
 *
 * Whoever calls holds the head against other writers until block and head are stored: two blocks sealed on one head
 * would both claim its number. A clock that went backwards does not take the stream with it: a block is never sealed
 * before its predecessor. Throws on an empty block, because it would say that something happened when nothing did.
 */
export function sealBlock(
  head: StreamHead,
  entries: readonly JournalEntry[],
  sealedAt: Instant,
): SealedBlock {
  if (entries.length === 0) throw new RangeError('A block holds at least one entry.');
  const unsealed = {
    stream: head.stream,
    number: head.number + 1n,
    previousHash: head.hash,
    entries,
    sealedAt: Math.max(sealedAt, head.sealedAt),
  };
  const hash = hashOfBlock(unsealed);
  return {
    block: { ...unsealed, hash },
    head: {
      stream: head.stream,
      number: unsealed.number,
      hash,
      entryTotal: head.entryTotal + BigInt(entries.length),
      sealedAt: unsealed.sealedAt,
    },
  };
}
