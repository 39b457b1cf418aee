import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Fastify, { type FastifyInstance } from 'fastify';
import { WrittenAnswer } from './route.js';
import { WrittenAnswers } from './written-answers.js';

let server: FastifyInstance;
let url: string;
let unexpected: unknown[];
let answer: WrittenAnswer;

beforeEach(async () => {
  unexpected = [];
  const answers = new WrittenAnswers({ onUnexpected: (error) => unexpected.push(error) });
  // A client keeps connections for its next request: closing does not wait for them.
  server = Fastify({ forceCloseConnections: true });
  server.get<{ Querystring: { readonly of?: string } }>('/', (request, reply) =>
    answers.send(reply, answer, { organizationId: request.query.of ?? 'a', route: 'the test' }),
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/`;
});

afterEach(() => server.close());

const long = 'x'.repeat(1_000_000);

/** Writes until nobody reads any more, and says how it ended. */
function endless(): { readonly answer: WrittenAnswer; readonly ended: Promise<unknown> } {
  let end: (error: unknown) => void;
  const ended = new Promise<unknown>((resolve) => (end = resolve));
  const write = async (send: (part: string) => Promise<void>): Promise<void> => {
    try {
      for (;;) await send(long);
    } catch (error) {
      end(error);
      throw error;
    }
  };
  return { answer: new WrittenAnswer(write), ended };
}

describe('an answer that is written part by part', () => {
  it('arrives complete, even if it is larger than the buffer', async () => {
    answer = new WrittenAnswer(async (write) => {
      await write('[');
      for (let at = 0; at < 30; at += 1) await write(`"${long}",`);
      await write('1]');
    });
    const read = await fetch(url);
    expect(read.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await read.json()) as unknown[]).toHaveLength(31);
  });

  it('stops when its reader disconnects, and releases its place', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { answer: writtenAnswer, ended } = endless();
      answer = writtenAnswer;
      const gone = new AbortController();
      const read = await fetch(url, { signal: gone.signal });
      expect(read.status).toBe(200);
      gone.abort();
      expect(await ended).toBeInstanceOf(Error);
    }
    expect(unexpected).toEqual([]);
  });

  it('is refused with a retry time if two of its organization are being written', async () => {
    const gone = new AbortController();
    const writers = [endless(), endless()];
    for (const writer of writers) {
      answer = writer.answer;
      await fetch(url, { signal: gone.signal });
    }
    const refused = await fetch(url);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('30');
    answer = new WrittenAnswer((write) => write('{}'));
    expect((await fetch(`${url}?of=b`)).status).toBe(200);
    gone.abort();
    await Promise.all(writers.map(({ ended }) => ended));
  });

  it('is a refusal if it fails before its first part, and is cut off after it', async () => {
    answer = new WrittenAnswer(() => Promise.reject(new Error('The first page cannot be read.')));
    expect((await fetch(url)).status).toBe(500);
    answer = new WrittenAnswer(async (write) => {
      await write(long);
      throw new Error('The second page cannot be read.');
    });
    await expect(fetch(url).then((read) => read.text())).rejects.toThrow();
    expect(unexpected).toHaveLength(2);
  });
});
