import { describe, expect, it } from '@jest/globals';
import { hashOfBlock, journalEntry, type Block } from './block.js';
import { emptyStream, type StreamHead } from './head.js';
import { sealBlock } from './seal-block.js';
import { verifyStream, type StreamVerdict } from './verify-stream.js';

const bodies = [['{"n":1}', '{"n":2}'], ['{"n":3}'], ['{"n":4}', '{"n":5}'], ['{"n":6}']];

function streamOf(blocksOfBodies: readonly (readonly string[])[], stream = 'ledger:a') {
  let head = emptyStream(stream);
  const blocks: Block[] = [];
  blocksOfBodies.forEach((texts, index) => {
    const sealed = sealBlock(head, texts.map(journalEntry), 1_000 + index);
    blocks.push(sealed.block);
    head = sealed.head;
  });
  return { blocks, head };
}

/** The block as a forger with full knowledge leaves it: every hash inside it is right again. */
const resealed = (block: Block): Block => ({ ...block, hash: hashOfBlock(block) });

function rechainedFrom(blocks: readonly Block[], from: number, change: (block: Block) => Block) {
  let head: StreamHead | undefined;
  return blocks.map((block, index) => {
    if (index < from) return block;
    const moved =
      index === from ? change(block) : { ...block, previousHash: head?.hash ?? block.previousHash };
    const sealed = resealed(moved);
    head = { stream: block.stream, number: block.number, hash: sealed.hash, entryTotal: 0n, sealedAt: 0 };
    return sealed;
  });
}

async function faultOf(blocks: readonly Block[], head: StreamHead) {
  const verdict: StreamVerdict = await verifyStream(blocks, head);
  return verdict.ok ? 'whole' : `${verdict.code} at ${verdict.at.number}`;
}

describe('verifyStream', () => {
  const { blocks, head } = streamOf(bodies);
  const [first, second, third, fourth] = blocks as [Block, Block, Block, Block];

  it('accepts an intact stream and counts it', async () => {
    expect(await verifyStream(blocks, head)).toEqual({ ok: true, blocks: 4n, entries: 6n, head });
  });

  it('accepts an empty stream', async () => {
    expect(await faultOf([], emptyStream('ledger:a'))).toBe('whole');
  });

  it('finds a removed last block by the head', async () => {
    expect(await faultOf([first, second, third], head)).toBe('head_mismatch at 3');
  });

  it('finds an emptied stream by the head', async () => {
    expect(await faultOf([], head)).toBe('head_mismatch at 0');
  });

  it('finds a removed first or middle block', async () => {
    expect(await faultOf([second, third, fourth], head)).toBe('gap at 2');
    expect(await faultOf([first, third, fourth], head)).toBe('gap at 3');
  });

  it('finds a removed middle block whose followers were renumbered', async () => {
    const renumbered = [third, fourth].map((block) => resealed({ ...block, number: block.number - 1n }));
    expect(await faultOf([first, ...renumbered], head)).toBe('chain_broken at 2');
  });

  it('finds exchanged and doubled blocks', async () => {
    expect(await faultOf([first, third, second, fourth], head)).toBe('gap at 3');
    expect(await faultOf([first, second, second, third, fourth], head)).toBe('order at 2');
    const numbersExchanged = [first, { ...third, number: 2n }, { ...second, number: 3n }, fourth];
    expect(await faultOf(numbersExchanged, head)).toBe('chain_broken at 2');
  });

  it('finds an edited entry by its own hash', async () => {
    const edited = { ...third, entries: [{ ...third.entries[0]!, body: '{"n":9}' }, third.entries[1]!] };
    expect(await verifyStream([first, second, edited, fourth], head)).toEqual({
      ok: false,
      code: 'entry_hash_mismatch',
      at: { number: 3n, entry: 0 },
    });
  });

  it('finds an edited entry whose hash was recomputed', async () => {
    const edited = { ...third, entries: [journalEntry('{"n":9}'), third.entries[1]!] };
    expect(await faultOf([first, second, edited, fourth], head)).toBe('hash_mismatch at 3');
  });

  it('finds an edited entry whose block was recomputed', async () => {
    const edited = resealed({ ...third, entries: [journalEntry('{"n":9}'), third.entries[1]!] });
    expect(await faultOf([first, second, edited, fourth], head)).toBe('chain_broken at 4');
  });

  it('finds entries removed from, added to and exchanged within a block', async () => {
    const [one, two] = third.entries as [Block['entries'][0], Block['entries'][0]];
    for (const entries of [[one], [], [one, two, two], [two, one]]) {
      expect(await faultOf([first, second, { ...third, entries }, fourth], head)).toBe('hash_mismatch at 3');
    }
  });

  it('finds every edited member of a block', async () => {
    const edits: readonly Partial<Block>[] = [{ sealedAt: 1_003 }, { hash: first.hash }];
    for (const edit of edits) {
      expect(await faultOf([first, second, { ...third, ...edit }, fourth], head)).toBe('hash_mismatch at 3');
    }
  });

  it('finds a stream that was rewritten from some block on, because the head differs', async () => {
    for (const from of [0, 1, 2, 3]) {
      const forged = rechainedFrom(blocks, from, (block) => ({
        ...block,
        entries: [journalEntry('{"n":9}')],
      }));
      expect(await faultOf(forged, head)).toBe('head_mismatch at 4');
    }
  });

  it('finds a stream rewritten together with its head, given one known block', async () => {
    const forged = rechainedFrom(blocks, 1, (block) => ({ ...block, entries: [journalEntry('{"n":9}')] }));
    const forgedHead = { ...head, hash: forged[3]!.hash };
    const anchor = { number: 3n, hash: third.hash };
    expect(await verifyStream(forged, forgedHead)).toMatchObject({ ok: true });
    expect(await verifyStream(forged, forgedHead, [anchor])).toMatchObject({
      code: 'anchor_mismatch',
      at: { number: 3n },
    });
    expect(
      await verifyStream(
        [first, second],
        { ...head, number: 2n, hash: second.hash, entryTotal: 3n, sealedAt: 1_001 },
        [anchor],
      ),
    ).toMatchObject({ code: 'anchor_mismatch' });
    expect(await verifyStream(blocks, head, [anchor])).toMatchObject({ ok: true });
  });

  it('finds every edited member of the head', async () => {
    const edits: readonly Partial<StreamHead>[] = [
      { number: 5n },
      { hash: third.hash },
      { entryTotal: 5n },
      { sealedAt: 7 },
    ];
    for (const edit of edits) expect(await faultOf(blocks, { ...head, ...edit })).toBe('head_mismatch at 4');
  });

  it('refuses blocks of another stream, even from its very beginning', async () => {
    const other = streamOf(bodies, 'ledger:b');
    expect(await faultOf(other.blocks, head)).toBe('wrong_stream at 1');
    const renamed = other.blocks.map((block) => ({ ...block, stream: 'ledger:a' }));
    expect(await faultOf(renamed, head)).toBe('chain_broken at 1');
  });

  it('refuses a block sealed before its predecessor', async () => {
    const early = rechainedFrom(blocks, 3, (block) => ({ ...block, sealedAt: 1 }));
    expect(await faultOf(early, { ...head, hash: early[3]!.hash, sealedAt: 1 })).toBe('time_went_back at 4');
  });
});
