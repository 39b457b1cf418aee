import {
  err,
  isJsonObject,
  isoOf,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { Block } from './block.js';
import type { StreamHead } from './head.js';

/** A whole stream in memory. */
export interface WholeStream {
  readonly blocks: readonly Block[];
  readonly head: StreamHead;
}

/** A whole stream as one JSON document: whoever holds it can walk it with SHA-256 and a JSON reader alone. */
export function streamDocument(format: string, { blocks, head }: WholeStream): JsonObject {
  return {
    format,
    stream: head.stream,
    head: {
      number: head.number.toString(),
      hash: head.hash,
      entry_total: head.entryTotal.toString(),
      sealed_at: isoOf(head.sealedAt),
    },
    blocks: blocks.map((block) => ({
      number: block.number.toString(),
      previous_hash: block.previousHash,
      hash: block.hash,
      sealed_at: isoOf(block.sealedAt),
      entries: block.entries.map((entry) => ({ body: entry.body, hash: entry.hash })),
    })),
  };
}

/** Reads such a document. The fault names the member where reading ended. */
export function readStreamDocument(
  format: string,
  document: JsonValue,
): Result<WholeStream, { readonly field: string }> {
  if (!isJsonObject(document) || document['format'] !== format) return err({ field: 'format' });
  const { stream, head, blocks } = document;
  if (typeof stream !== 'string') return err({ field: 'stream' });
  if (!isJsonObject(head)) return err({ field: 'head' });
  if (!Array.isArray(blocks)) return err({ field: 'blocks' });
  const number = wholeAt(head, 'number');
  const entryTotal = wholeAt(head, 'entry_total');
  const sealedAt = timeAt(head);
  const { hash } = head;
  if (number === undefined || entryTotal === undefined || sealedAt === undefined || typeof hash !== 'string')
    return err({ field: 'head' });
  const read: Block[] = [];
  for (const [at, one] of blocks.entries()) {
    const block = isJsonObject(one) ? readBlock(stream, one) : undefined;
    if (block === undefined) return err({ field: `blocks[${at}]` });
    read.push(block);
  }
  return ok({ blocks: read, head: { stream, number, hash, entryTotal, sealedAt } });
}

function readBlock(stream: string, block: JsonObject): Block | undefined {
  const { previous_hash: previousHash, hash, entries } = block;
  const number = wholeAt(block, 'number');
  const sealedAt = timeAt(block);
  if (number === undefined || sealedAt === undefined || !Array.isArray(entries)) return undefined;
  if (typeof previousHash !== 'string' || typeof hash !== 'string') return undefined;
  const read = entries.flatMap((entry) =>
    isJsonObject(entry) && typeof entry['body'] === 'string' && typeof entry['hash'] === 'string'
      ? [{ body: entry['body'], hash: entry['hash'] }]
      : [],
  );
  return read.length === entries.length
    ? { stream, number, previousHash, hash, sealedAt, entries: read }
    : undefined;
}

function wholeAt(object: JsonObject, name: string): bigint | undefined {
  const text = object[name];
  return typeof text === 'string' && /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
}

function timeAt(object: JsonObject): number | undefined {
  const text = object['sealed_at'];
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
