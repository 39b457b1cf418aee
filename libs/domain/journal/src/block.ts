import { hash } from 'node:crypto';
import { isoOf, type Instant } from '@switchyard/values';

/** One thing that happened, as text that the journal never reads. `hash` is the SHA-256 of its UTF-8 bytes, in lower-case hex. */
export interface JournalEntry {
  readonly body: string;
  readonly hash: string;
}

/**
 * The entries of one commit, in order, tied to the block before. `hash` covers everything else in the block.
 *
 * `stream` is part of what is hashed, so a block cannot be moved to another stream: whoever keeps streams of several
 * owners in one place puts the owner into the name.
 */
export interface Block {
  readonly stream: string;
  /** 1 for the first block of a stream. */
  readonly number: bigint;
  readonly previousHash: string;
  readonly entries: readonly JournalEntry[];
  readonly sealedAt: Instant;
  readonly hash: string;
}

/** The entry of an opaque body. */
export function journalEntry(body: string): JournalEntry {
  return { body, hash: hashOfBody(body) };
}

/** SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
export function hashOfBody(body: string): string {
  return hash('sha256', body, 'hex');
}

/**
 * SHA-256 over one JSON array of the block's members, the entries standing in it by their hashes.
 *
 * An array of texts has one spelling only, so anybody can rebuild it with a JSON writer and no knowledge of us.
 */
export function hashOfBlock(block: Omit<Block, 'hash'>): string {
  const preimage = JSON.stringify([
    'switchyard.journal.block.1',
    block.stream,
    block.number.toString(),
    block.previousHash,
    isoOf(block.sealedAt),
    block.entries.map((entry) => entry.hash),
  ]);
  return hash('sha256', preimage, 'hex');
}
