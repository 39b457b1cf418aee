import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject } from '../json.js';

export interface ReceivedPost {
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Buffer;
  readonly body: JsonObject;
}

export interface Receiver {
  readonly url: string;
  readonly posts: readonly ReceivedPost[];
  /** Resolves when the posts so far satisfy the condition; rejects after two minutes. */
  until(condition: (posts: readonly ReceivedPost[]) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** A buyer's webhook address. `answer` gives the status for each post, by its number from 1. */
export async function startReceiver(answer: (count: number) => number = () => 200): Promise<Receiver> {
  const posts: ReceivedPost[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void readBody(request).then((bytes) => {
      const url = `${base()}${request.url ?? ''}`;
      const body = parsed(bytes);
      posts.push({ url, headers: pairs(request.rawHeaders), bytes, body });
      // A challenge is sent back, as who listens at an address does.
      const { type, challenge } = body;
      response.writeHead(answer(posts.length));
      response.end(type === 'webhook.challenge' ? JSON.stringify({ challenge }) : undefined);
      for (const look of waiting) look();
    });
  });
  const base = (): string => `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${base()}/hooks`,
    posts,
    until: (condition) => waitFor(waiting, () => condition(posts)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function waitFor(waiting: Set<() => void>, condition: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.delete(look);
      reject(new Error('what was waited for did not come'));
    }, 120_000);
    const look = (): void => {
      if (!condition()) return;
      waiting.delete(look);
      clearTimeout(timer);
      resolve();
    };
    waiting.add(look);
    look();
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function pairs(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

function parsed(bytes: Buffer): JsonObject {
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  return isObject(value) ? value : {};
}
