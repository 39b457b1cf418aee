import { hashOfBlock, hashOfBody, type Block } from './block.js';
import { emptyStream, type StreamHead } from './head.js';

type StreamFaultCode =
  /** A block belongs to another stream. */
  | 'wrong_stream'
  /** A number is missing, so a block before this one is missing. */
  | 'gap'
  /** A number is repeated or lower: blocks were duplicated or swapped. */
  | 'order'
  /** The block does not follow the previous one. */
  | 'chain_broken'
  /** An entry's text does not match its hash. */
  | 'entry_hash_mismatch'
  /** The block's members do not match its hash: an entry was added, removed or swapped, or a member edited. */
  | 'hash_mismatch'
  /** The block was sealed before its predecessor. */
  | 'time_went_back'
  /** The chain is valid, but does not end at the head: it was truncated, continued, or rewritten. */
  | 'head_mismatch'
  /** The chain is valid, but does not contain a block that was recorded earlier. */
  | 'anchor_mismatch';

/** A block that was recorded outside of this system: rewriting the whole stream cannot reproduce it. */
export interface Anchor {
  readonly number: bigint;
  readonly hash: string;
}

export type StreamVerdict =
  | { readonly ok: true; readonly blocks: bigint; readonly entries: bigint; readonly head: StreamHead }
  | {
      readonly ok: false;
      readonly code: StreamFaultCode;
      /** The number of the block with the fault; for entries also the position in the block, from 0. */
      readonly at: { readonly number: bigint; readonly entry?: number };
    };

/**
 * Verifies a stream from its first block. Every stream is verified by this function.
 *
 * It stops at the first fault, because after a break in the chain forged blocks cannot be recognized. `head`
 * was stored outside the blocks. With optional `anchors` of earlier blocks, even a stream that was rewritten
 * together with its head is found. `from` is the end of an earlier verification: `blocks` are then those
 * after it, and anchors are after it too. The counts of the verdict are those of the whole stream.
 */
export async function verifyStream(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  head: StreamHead,
  anchors: readonly Anchor[] = [],
  from: StreamHead = emptyStream(head.stream),
): Promise<StreamVerdict> {
  let last = from;
  const wanted = new Map<bigint, string[]>();
  for (const { number, hash } of anchors) wanted.set(number, [...(wanted.get(number) ?? []), hash]);
  for await (const block of blocks) {
    const fault = faultOf(block, last);
    if (fault !== undefined) return { ok: false, code: fault.code, at: fault.at };
    const anchored = wanted.get(block.number);
    if (anchored?.some((hash) => hash !== block.hash) === true) {
      return { ok: false, code: 'anchor_mismatch', at: { number: block.number } };
    }
    wanted.delete(block.number);
    last = {
      stream: block.stream,
      number: block.number,
      hash: block.hash,
      entryTotal: last.entryTotal + BigInt(block.entries.length),
      sealedAt: block.sealedAt,
    };
  }
  if (!sameHead(last, head)) return { ok: false, code: 'head_mismatch', at: { number: last.number } };
  const [beyond] = wanted.keys();
  if (beyond !== undefined) return { ok: false, code: 'anchor_mismatch', at: { number: beyond } };
  return { ok: true, blocks: last.number, entries: last.entryTotal, head: last };
}

type Fault = Omit<Extract<StreamVerdict, { ok: false }>, 'ok'>;

function faultOf(block: Block, last: StreamHead): Fault | undefined {
  const at = { number: block.number };
  if (block.stream !== last.stream) return { code: 'wrong_stream', at };
  if (block.number <= last.number) return { code: 'order', at };
  if (block.number > last.number + 1n) return { code: 'gap', at };
  if (block.previousHash !== last.hash) return { code: 'chain_broken', at };
  const entry = block.entries.findIndex(({ body, hash }) => hashOfBody(body) !== hash);
  if (entry !== -1) return { code: 'entry_hash_mismatch', at: { ...at, entry } };
  if (hashOfBlock(block) !== block.hash) return { code: 'hash_mismatch', at };
  if (block.sealedAt < last.sealedAt) return { code: 'time_went_back', at };
  return undefined;
}

function sameHead(reached: StreamHead, stored: StreamHead): boolean {
  return (
    reached.number === stored.number &&
    reached.hash === stored.hash &&
    reached.entryTotal === stored.entryTotal &&
    reached.sealedAt === stored.sealedAt
  );
}
