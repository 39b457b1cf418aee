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
import type { Block } from './block.js';
import type { StreamHead } from './head.js';

/** A stream while it is read: its blocks in order, possibly page by page. */
export interface OpenStream {
  readonly head: StreamHead;
  readonly blocks: AsyncIterable<Block> | Iterable<Block>;
  /** What a document contains beside the chain, such as signed heads. It proves nothing that is not signed itself. */
  readonly beside?: JsonObject;
  /**
   * Messages that belong to the chain, in a document after its blocks: read them after the blocks. The chain does not
   * prove them; whoever signed them does.
   */
  readonly messages?: AsyncIterable<JsonObject> | Iterable<JsonObject>;
}

/** A stream to be written: its messages are objects that JSON can hold. */
export type WritableStream = Omit<OpenStream, 'messages'> & {
  readonly messages?: AsyncIterable<object> | Iterable<object>;
};

/** The stream as it ended with an earlier head. */
export function streamUntil({ blocks }: OpenStream, head: StreamHead): OpenStream {
  async function* untilHead(): AsyncGenerator<Block> {
    if (head.number === 0n) return;
    for await (const block of blocks) {
      yield block;
      if (block.number >= head.number) return;
    }
  }
  return { head, blocks: untilHead() };
}

/** A whole stream in memory. */
export interface WholeStream extends OpenStream {
  readonly blocks: readonly Block[];
}

/** The member of a document where reading failed. */
export interface DocumentFault {
  readonly field: string;
}

/** Thrown while the blocks of a document are read line by line, where a line is no block. */
export class UnreadableBlock extends Error {
  constructor(readonly field: string) {
    super(`The document cannot be read at ${field}.`);
  }
}

/**
 * Writes a whole stream as one JSON document, in parts. It can be verified with SHA-256 and a JSON reader
 * alone. The head, with what is beside the chain, is the first line and each block a line of its own, so that
 * neither writer nor reader needs all of it in memory.
 */
export async function* streamText(
  format: string,
  { head, blocks, beside = {}, messages = [] }: WritableStream,
): AsyncGenerator<string> {
  const opened = JSON.stringify({ ...headDocument(format, head), ...beside, blocks: [] }).slice(
    0,
    -']}'.length,
  );
  let before = `${opened}\n`;
  for await (const block of blocks) {
    yield before + JSON.stringify(blockDocument(block));
    before = ',\n';
  }
  let end = before === ',\n' ? '\n]' : `${before}]`;
  before = `${end}${messagesBegin.slice(1)}\n`;
  for await (const message of messages) {
    yield before + JSON.stringify(message);
    before = ',\n';
    end = '\n]';
  }
  yield `${end}}\n`;
}

/** The line between the blocks of a document and its messages. */
const messagesBegin = '],"messages":[';

/** Reads such a document. */
export function readStreamDocument(format: string, document: JsonValue): Result<WholeStream, DocumentFault> {
  const head = readHeadDocument(format, document);
  if (!head.ok) return head;
  const { blocks } = document as JsonObject;
  if (!Array.isArray(blocks)) return err({ field: 'blocks' });
  const read: Block[] = [];
  for (const [at, entry] of blocks.entries()) {
    const block = readBlock(head.value.stream, entry);
    if (block === undefined) return err({ field: `blocks[${at}]` });
    read.push(block);
  }
  const { messages = [] } = document as JsonObject;
  if (!Array.isArray(messages) || !messages.every(isJsonObject)) return err({ field: 'messages' });
  return ok({ blocks: read, head: head.value, beside: besideIn(document as JsonObject), messages });
}

/** Whether a document that begins with this line can be read line by line. */
export const isFirstLine = (line: string): boolean => readFirstLine(line) !== undefined;

/**
 * Reads the text that `streamText` writes line by line: the first line, and the others, without line ends.
 * Iterating the blocks throws `UnreadableBlock` where a line is no block.
 */
export function readStreamLines(
  format: string,
  first: string,
  others: AsyncIterable<string>,
): Result<OpenStream, DocumentFault> {
  const document = readFirstLine(first) ?? null;
  const head = readHeadDocument(format, document);
  if (!head.ok) return head;
  const beside = besideIn(document as JsonObject);
  const parts = new DocumentLines(others);
  return ok({
    head: head.value,
    blocks: blocksIn(head.value.stream, parts),
    beside,
    messages: messagesIn(parts),
  });
}

function besideIn({
  format: _format,
  stream: _stream,
  head: _head,
  blocks: _blocks,
  messages: _messages,
  ...beside
}: JsonObject) {
  return beside;
}

/** The lines of a document after its first one, in their two parts. */
class DocumentLines {
  readonly #lines: AsyncIterator<string>;
  #hasMessages = false;

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  get hasMessages(): boolean {
    return this.#hasMessages;
  }

  /** The objects of a part up to its end. Throws `UnreadableBlock` at a line that is none, and where the end is missing. */
  async *part(field: 'blocks' | 'messages'): AsyncGenerator<JsonObject> {
    for (let at = 0; ; at += 1) {
      const line = await this.#next();
      // The document is truncated.
      if (line === undefined) throw new UnreadableBlock(`${field}[${at}]`);
      if (line === ']}') return await this.#end(`${field}[${at}]`);
      if (line === messagesBegin && field === 'blocks') return void (this.#hasMessages = true);
      if (line === '') continue;
      const value = valueOf(line.endsWith(',') ? line.slice(0, -1) : line);
      if (!isJsonObject(value)) throw new UnreadableBlock(`${field}[${at}]`);
      yield value;
    }
  }

  async #end(field: string): Promise<void> {
    for (;;) {
      const line = await this.#next();
      if (line === undefined) return;
      if (line !== '') throw new UnreadableBlock(field);
    }
  }

  async #next(): Promise<string | undefined> {
    const next = await this.#lines.next();
    return next.done === true ? undefined : next.value;
  }
}

async function* messagesIn(parts: DocumentLines): AsyncGenerator<JsonObject> {
  if (parts.hasMessages) yield* parts.part('messages');
}

async function* blocksIn(stream: string, parts: DocumentLines): AsyncGenerator<Block> {
  let at = 0;
  for await (const value of parts.part('blocks')) {
    const block = readBlock(stream, value);
    if (block === undefined) throw new UnreadableBlock(`blocks[${at}]`);
    yield block;
    at += 1;
  }
}

const readFirstLine = (line: string): JsonValue | undefined =>
  line.endsWith('"blocks":[') ? valueOf(`${line}]}`) : undefined;

/** Maximum size of one block in bytes: it contains the entries of one transaction. */
const lineAtMost = 256 * 1024 * 1024;

function valueOf(text: string): JsonValue | undefined {
  const parsed = parseStrictJson(new TextEncoder().encode(text), { maxBytes: lineAtMost });
  return parsed.ok ? parsed.value.value : undefined;
}

function headDocument(format: string, head: StreamHead): JsonObject {
  return {
    format,
    stream: head.stream,
    head: {
      number: head.number.toString(),
      hash: head.hash,
      entry_total: head.entryTotal.toString(),
      sealed_at: isoOf(head.sealedAt),
    },
  };
}

function readHeadDocument(format: string, document: JsonValue): Result<StreamHead, DocumentFault> {
  if (!isJsonObject(document) || document['format'] !== format) return err({ field: 'format' });
  const { stream, head } = document;
  if (typeof stream !== 'string') return err({ field: 'stream' });
  if (!isJsonObject(head)) return err({ field: 'head' });
  const number = wholeAt(head, 'number');
  const entryTotal = wholeAt(head, 'entry_total');
  const sealedAt = timeAt(head);
  const { hash } = head;
  if (number === undefined || entryTotal === undefined || sealedAt === undefined || typeof hash !== 'string')
    return err({ field: 'head' });
  return ok({ stream, number, hash, entryTotal, sealedAt });
}

const blockDocument = (block: Block): JsonObject => ({
  number: block.number.toString(),
  previous_hash: block.previousHash,
  hash: block.hash,
  sealed_at: isoOf(block.sealedAt),
  entries: block.entries.map((entry) => ({ body: entry.body, hash: entry.hash })),
});

function readBlock(stream: string, block: JsonValue | undefined): Block | undefined {
  if (!isJsonObject(block)) return undefined;
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
