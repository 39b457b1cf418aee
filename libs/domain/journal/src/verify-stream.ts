import { hashOfBlock, hashOfBody, type Block } from './block.js';
import { emptyStream, type StreamHead } from './head.js';

export type StreamFaultCode =
  /** A block of another stream stands in this one. */
  | 'wrong_stream'
  /** A number was left out: a block is missing before this one. */
  | 'gap'
  /** A number came again or went back: blocks were doubled or exchanged. */
  | 'order'
  /** The block does not continue the one before it. */
  | 'chain_broken'
  /** An entry's text is not what its hash says. */
  | 'entry_hash_mismatch'
  /** The block's members are not what its hash says: an entry added, removed or exchanged, or a member edited. */
  | 'hash_mismatch'
  /** The block was sealed before its predecessor. */
  | 'time_went_back'
  /** The chain is whole, and ends elsewhere than the head says: cut off, continued past the head, or rewritten. */
  | 'head_mismatch'
  /** The chain is whole, and does not pass through a block that somebody remembered from earlier. */
  | 'anchor_mismatch';

/** A block that somebody noted down earlier, outside our reach: what no rewriting of the whole stream can satisfy. */
export interface Anchor {
  readonly number: bigint;
  readonly hash: string;
}

export type StreamVerdict =
  | { readonly ok: true; readonly blocks: bigint; readonly entries: bigint; readonly head: StreamHead }
  | {
      readonly ok: false;
      readonly code: StreamFaultCode;
      /** The number of the block where it shows; for entries also the place within the block, from 0. */
      readonly at: { readonly number: bigint; readonly entry?: number };
    };

/**
 * Walks a stream from its first block and says whether it is whole: the one verifier of every stream.
 *
 * It stops at the first fault, because after a break in the chain nothing that follows can be told from forgery.
 * `head` is what was kept outside the blocks. `anchors` are optional memories of earlier blocks: with one, even a
 * stream that was rewritten together with its head is found. `from` is where an earlier verification ended: `blocks` are
 * then those after it, and anchors lie beyond it. The counts of the verdict are those of the whole stream.
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
