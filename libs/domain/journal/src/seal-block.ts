import type { Instant } from '@switchyard/values';
import { hashOfBlock, type Block, type JournalEntry } from './block.js';
import type { StreamHead } from './head.js';

interface SealedBlock {
  readonly block: Block;
  /** The head after this block. Both are stored in one commit. */
  readonly head: StreamHead;
}

/**
 * Appends entries to a stream as a block.
 *
 * The caller locks the head until block and head are stored: two blocks sealed on one head would have the
 * same number. If the clock goes backwards, the time of the previous block is used. Throws on an empty block,
 * because it would record nothing.
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
