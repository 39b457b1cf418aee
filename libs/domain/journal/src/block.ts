import { hash } from 'node:crypto';
import { isoOf, type Instant } from '@switchyard/values';

/** One event, as text that the journal never parses. `hash` is the SHA-256 of its UTF-8 bytes, in lower-case hex. */
export interface JournalEntry {
  readonly body: string;
  readonly hash: string;
}

/**
 * The entries of one commit, in order, chained to the previous block. `hash` covers all other members.
 *
 * `stream` is hashed too, so a block cannot be moved to another stream. Where streams of several owners are
 * stored together, the name must contain the owner.
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
 * SHA-256 over one JSON array of the block's members, with the hashes of the entries.
 *
 * An array of texts has only one JSON text, so anybody can rebuild it with a JSON writer.
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
