import { Buffer } from 'node:buffer';
import { verifyStream, type Block, type StreamHead, type StreamVerdict } from '@switchyard/journal';
import {
  err,
  isJsonObject,
  isoOf,
  ok,
  parseStrictJson,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

export const custodyFormat = 'switchyard.custody.export.1';

/**
 * A principal's whole chain as one JSON document: whoever holds it can walk it with SHA-256 and a JSON reader alone.
 */
export function custodyExport(blocks: readonly Block[], head: StreamHead): JsonObject {
  return {
    format: custodyFormat,
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

/** What a walk along a chain of custody came to; of a broken one also the first record that is not as it was. */
export type CustodyVerdict = StreamVerdict & { readonly record?: string };

/** Walks an export without asking anybody. The fault names the member of the document where reading ended. */
export async function verifyCustodyExport(
  document: JsonValue,
): Promise<Result<CustodyVerdict, { readonly field: string }>> {
  const read = readExport(document);
  if (!read.ok) return read;
  return ok(await verifyCustody(read.value.blocks, read.value.head));
}

/** Walks a chain of custody from its first block (ruling 34). */
export async function verifyCustody(blocks: readonly Block[], head: StreamHead): Promise<CustodyVerdict> {
  const verdict = await verifyStream(blocks, head);
  if (verdict.ok) return verdict;
  const { number, entry = 0 } = verdict.at;
  const body = blocks.find((block) => block.number === number)?.entries[entry]?.body;
  const record = body === undefined ? undefined : idIn(body);
  return record === undefined ? verdict : { ...verdict, record };
}

/** The id in a record's text; nothing where the text was changed beyond reading. */
function idIn(body: string): string | undefined {
  const parsed = parseStrictJson(Buffer.from(body, 'utf8'));
  const id = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function readExport(
  document: JsonValue,
): Result<{ readonly blocks: readonly Block[]; readonly head: StreamHead }, { readonly field: string }> {
  if (!isJsonObject(document) || document['format'] !== custodyFormat) return err({ field: 'format' });
  const { stream, head, blocks } = document;
  if (typeof stream !== 'string') return err({ field: 'stream' });
  if (!isJsonObject(head)) return err({ field: 'head' });
  if (!Array.isArray(blocks)) return err({ field: 'blocks' });
  const number = wholeAt(head, 'number');
  const total = wholeAt(head, 'entry_total');
  const sealedAt = timeAt(head);
  const { hash } = head;
  if (number === undefined || total === undefined || sealedAt === undefined || typeof hash !== 'string') {
    return err({ field: 'head' });
  }
  const read: Block[] = [];
  for (const [at, one] of blocks.entries()) {
    const block = isJsonObject(one) ? readBlock(stream, one) : undefined;
    if (block === undefined) return err({ field: `blocks[${at}]` });
    read.push(block);
  }
  return ok({ blocks: read, head: { stream, number, hash, entryTotal: total, sealedAt } });
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
