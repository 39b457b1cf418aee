import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { journalEntry } from './block.js';
import { emptyStream } from './head.js';
import { sealBlock } from './seal-block.js';

describe('sealBlock', () => {
  it('moves the head to the new block', () => {
    const { block, head } = sealBlock(emptyStream('s'), [journalEntry('a'), journalEntry('b')], 5);
    expect(block.number).toBe(1n);
    expect(head).toEqual({ stream: 's', number: 1n, hash: block.hash, entryTotal: 2n, sealedAt: 5 });
    const next = sealBlock(head, [journalEntry('c')], 6);
    expect(next.block.previousHash).toBe(block.hash);
    expect(next.head.entryTotal).toBe(3n);
  });

  it('can be verified by anybody with SHA-256 and a JSON writer', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const { block } = sealBlock(emptyStream('s'), [journalEntry('ä')], 0);
    const genesis = sha256('["switchyard.journal.genesis.1","s"]');
    expect(block.hash).toBe(
      sha256(
        `["switchyard.journal.block.1","s","1","${genesis}","1970-01-01T00:00:00.000Z",["${sha256('ä')}"]]`,
      ),
    );
  });

  it('never seals a block before its predecessor, with any clock', () => {
    const { head } = sealBlock(emptyStream('s'), [journalEntry('a')], 100);
    expect(sealBlock(head, [journalEntry('b')], 50).block.sealedAt).toBe(100);
  });

  it('refuses to seal nothing', () => {
    expect(() => sealBlock(emptyStream('s'), [], 1)).toThrow(RangeError);
  });
});
