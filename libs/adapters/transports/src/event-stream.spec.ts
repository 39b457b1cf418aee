import { describe, expect, it } from '@jest/globals';
import { atOnce } from '@switchyard/values';
import { readEventStream } from './event-stream.js';
import { readParts, jsonObjectIn, mcpPayload } from './payload.js';

/** The bytes in pieces of `size`, and a note of whether the reader let go. */
function streamOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  const state = { released: false };
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) {
        controller.close();
        return;
      }
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
    cancel: () => {
      state.released = true;
    },
  });
  return { stream, state };
}

const all = (text: string, size: number): Promise<string[]> => {
  const seen: string[] = [];
  return readEventStream(streamOf(text, size).stream, 10_000, (data) => {
    seen.push(data);
    return Promise.resolve(undefined);
  }).then(() => seen);
};

describe('an event stream', () => {
  const events =
    ': a comment\r\n\r\nid: 1\r\ndata: first\r\n\r\nevent: message\ndata: two\ndata: lines\n\ndata:größe\r\rretry: 5\n\ndata: last\n\n';

  it.each([1, 2, 3, 7, 1_000])(
    'reads the same events in chunks of %i bytes, with any line ending',
    async (size) => {
      expect(await all(events, size)).toEqual(['first', 'two\nlines', 'größe', 'last']);
    },
  );

  it('cancels the rest once it has the requested event', async () => {
    const { stream, state } = streamOf(`data: wanted\n\n${'data: more\n\n'.repeat(1_000)}`, 16);
    expect(await readEventStream(stream, 100_000, (data) => Promise.resolve(data))).toEqual({
      ok: true,
      value: 'wanted',
    });
    expect(state.released).toBe(true);
  });

  it('leaves turns of the event loop to others while a server floods it', async () => {
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const flood = streamOf('data: more\n\n'.repeat(100_000), 16_384).stream;
    const read = await readEventStream(flood, 10_000_000, () => Promise.resolve(undefined));
    isOver = true;
    expect(turns).toBeGreaterThan(10);
    // Each of its events is small, but costs its turn.
    expect(read).toEqual({ ok: false, error: 'too_large' });
  });

  it('reports an end without the requested event, and a stream that is too large', async () => {
    const ending = streamOf('data: something\n\ndata: cut o', 8).stream;
    expect(await readEventStream(ending, 1_000, () => Promise.resolve(undefined))).toEqual({
      ok: false,
      error: 'ended',
    });
    const large = streamOf('x'.repeat(2_000), 100).stream;
    expect(await readEventStream(large, 1_000, () => Promise.resolve(undefined))).toEqual({
      ok: false,
      error: 'too_large',
    });
  });
});

describe('a JSON object in a text', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['  {"a":1}\n', { a: 1 }],
    ['Sure!\n```json\n{"a":1}\n```', { a: 1 }],
    ['```\n{"a":1}\n```', { a: 1 }],
    ['[1]', undefined],
    ['{not json}', undefined],
    ['```json\n[1]\n```', undefined],
    ['', undefined],
  ])('is found in %j', (text, found) => {
    expect(atOnce(jsonObjectIn(text))).toEqual(found);
  });

  it('is counted before it is parsed, and skipped if its call has no more room', () => {
    const long = JSON.stringify({ products: Array.from({ length: 40_000 }, () => 1) });
    const counted: number[] = [];
    const noRoom = (members: number): boolean => {
      counted.push(members);
      return false;
    };
    const content = [{ type: 'text', text: long }];
    expect(atOnce(mcpPayload({ content }, undefined, noRoom))).toBe('too_large');
    expect(atOnce(readParts([{ text: long }], noRoom))).toBe('too_large');
    expect(counted).toEqual([40_001, 40_001]);
  });

  it('is not searched for in more parts than an answer has', () => {
    const parts = Array.from({ length: 1_001 }, () => ({ type: 'text', text: '{not json' }));
    expect(atOnce(mcpPayload({ content: parts }))).toBe('too_large');
    expect(atOnce(readParts(parts))).toBe('too_large');
    expect(atOnce(mcpPayload({ content: [...parts.slice(2), { type: 'text', text: '{"a":1}' }] }))).toEqual({
      a: 1,
    });
  });

  it('is searched for in time linear to the text', () => {
    const hostile = '```json\n{'.repeat(100_000);
    // Of this process alone: what else the machine does is not counted.
    const from = process.cpuUsage().user;
    expect(atOnce(jsonObjectIn(hostile))).toBeUndefined();
    expect(process.cpuUsage().user - from).toBeLessThan(5_000_000);
  });
});
