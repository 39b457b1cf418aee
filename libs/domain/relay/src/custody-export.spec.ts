import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import {
  emptyStream,
  readStreamDocument,
  readStreamLines,
  sealBlock,
  UnreadableBlock,
  type Block,
} from '@switchyard/journal';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import { custodyExport, custodyFormat, verifyCustody } from './custody-export.js';
import { custodyEntry, custodyStream, hashOfBytes, type CustodyRecord } from './custody-record.js';

const record = (id: string): CustodyRecord => ({
  id,
  way: 'sealed',
  principalId: 'p',
  principal: 'brand',
  seller: 'acme',
  task: 'create_media_buy',
  arrived: {
    at: 1_000,
    bodyHash: hashOfBytes(Buffer.from('{}')),
    bytes: 2,
    signature: 'sig1=:AAAA:',
    steps: [{ step: '1', name: 'headers', ok: true, seen: 'two' }],
  },
  outcome: 'answered',
  answer: { at: 2_000, status: 200, bodyHash: hashOfBytes(Buffer.from('[]')), bytes: 2, complete: true },
});

function chain(ids: readonly string[]) {
  let head = emptyStream(custodyStream('p'));
  const blocks: Block[] = [];
  for (const id of ids) {
    const sealed = sealBlock(head, [custodyEntry(record(id))], 3_000);
    blocks.push(sealed.block);
    head = sealed.head;
  }
  return { blocks, head };
}

async function verified(document: JsonValue) {
  const read = readStreamDocument(custodyFormat, document);
  return read.ok ? verifyCustody(read.value) : read.error;
}

describe('custodyExport', () => {
  const { blocks, head } = chain(['a', 'b', 'c']);
  let document: JsonObject;
  beforeAll(async () => {
    document = (await json(custodyExport({ blocks, head }))) as JsonObject;
  });

  it('verifies offline after it was written to a file and read again', async () => {
    const verdict = await verified(document);
    expect(verdict).toMatchObject({ ok: true, entries: 3n, head: { hash: head.hash } });
  });

  it('keeps messages after its blocks, and reads them line by line; a document that ends early is refused', async () => {
    const messages = [{ event_id: 'e1' }, { event_id: 'e2' }];
    for (const chained of [{ blocks, head }, chain([])]) {
      const lines = (await text(custodyExport({ ...chained, messages }))).split('\n');
      const read = async (kept: readonly string[]) => {
        const stream = must(readStreamLines(custodyFormat, kept[0]!, Readable.from(kept.slice(1))));
        expect(await verifyCustody(stream)).toMatchObject({ ok: true });
        const found: unknown[] = [];
        for await (const message of stream.messages ?? []) found.push(message);
        return found;
      };
      expect(await read(lines)).toEqual(messages);
      await expect(read(lines.slice(0, -2))).rejects.toThrow(new UnreadableBlock('messages[2]'));
      const whole = must(readStreamDocument(custodyFormat, JSON.parse(lines.join('')) as JsonValue));
      expect([whole.messages, whole.beside]).toEqual([messages, {}]);
    }
  });

  it('detects one changed character of any record', async () => {
    const text = JSON.stringify(document).replace('create_media_buy', 'create_media_bux');
    const verdict = await verified(JSON.parse(text) as JsonValue);
    expect(verdict).toMatchObject({ ok: false, code: 'entry_hash_mismatch', record: 'a' });
  });

  it.each([
    ['whose text cannot be read any more', (body: string) => body.slice(1), undefined],
    ['in the middle', (body: string) => body.replace('"seller":"acme"', '"seller":"bcme"'), 'b'],
  ])('names the first record that differs: one %s', async (_what, change, named) => {
    const all = document['blocks'] as JsonObject[];
    const blocks = all.map((block, at) => {
      if (at !== 1) return block;
      const entries = (block['entries'] as JsonObject[]).map((entry) => ({
        ...entry,
        body: change(entry['body'] as string),
      }));
      return { ...block, entries };
    });
    const verdict = await verified({ ...document, blocks });
    expect(verdict).toMatchObject({ ok: false, at: { number: 2n, entry: 0 } });
    expect('record' in verdict ? verdict.record : undefined).toBe(named);
  });

  it('names the first record of a block that was rebuilt', async () => {
    const all = document['blocks'] as JsonObject[];
    const blocks = all.map((block, at) => (at === 2 ? { ...block, entries: all[0]!['entries']! } : block));
    const verdict = await verified({ ...document, blocks });
    expect(verdict).toMatchObject({ code: 'hash_mismatch', at: { number: 3n }, record: 'a' });
  });

  it('detects a missing record', async () => {
    const all = document['blocks'] as JsonObject[];
    const verdict = await verified({ ...document, blocks: all.slice(0, 2) });
    expect(verdict).toMatchObject({ ok: false, code: 'head_mismatch' });
  });

  it.each(['format', 'stream', 'head', 'blocks'])(
    'names the place that could not be read: %s',
    async (field) => {
      expect(await verified({ ...document, [field]: 1 })).toEqual({ field });
    },
  );

  it('names the block that could not be read', async () => {
    const all = document['blocks'] as JsonObject[];
    const broken = all.map((block, at) => (at === 1 ? { ...block, number: 2 } : block));
    expect(await verified({ ...document, blocks: broken })).toEqual({ field: 'blocks[1]' });
  });
});

describe('custodyEntry', () => {
  it('writes times as texts and leaves out absent members', () => {
    const body: unknown = JSON.parse(custodyEntry(record('a')).body);
    if (!isJsonObject(body)) throw new Error('not an object');
    expect(body['arrived']).toMatchObject({ at: '1970-01-01T00:00:01.000Z' });
    expect(body).not.toHaveProperty('forwarded');
    expect(body['kind']).toBe('switchyard.custody.1');
  });
});
