import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { seededRandom } from '@switchyard/testing';
import { must } from '@switchyard/values';
import { answers, startEmbedded, type EmbeddedServer } from './start-embedded.js';

const rounds = 3;
const writers = 4;
let dataDir: string;
let server: EmbeddedServer;

async function start(): Promise<EmbeddedServer> {
  return must(await startEmbedded({ dataDir }));
}

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-kill-'));
});

afterAll(async () => {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Writes until the server is gone. Returns the acknowledged rows. */
async function write(
  url: string,
  round: number,
  writer: number,
  received: (id: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (let count = 0; ; count++) {
      const id = `${round}/${writer}/${count}`;
      await client.query('insert into written values ($1)', [id]);
      received(id);
    }
  } catch {
    await client.end().catch(() => undefined);
  }
}

describe('a server that is killed during writes', () => {
  it('restarts with every acknowledged row, every time', async () => {
    server = await start();
    const setUp = new pg.Client({ connectionString: server.url });
    await setUp.connect();
    await setUp.query('create table written (id text primary key)');
    await setUp.end();
    const random = seededRandom(20261121);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const killed = server.pid;
      const killAt = acknowledged.length + random.between(20, 150);
      let alive = true;
      const received = (id: string): void => {
        acknowledged.push(id);
        if (alive && acknowledged.length >= killAt) {
          alive = false;
          process.kill(killed, 'SIGKILL');
        }
      };
      await Promise.all(
        Array.from({ length: writers }, (_, writer) => write(server.url, round, writer, received)),
      );
      server = await start();
      expect(server.pid).not.toBe(killed);
      const reader = new pg.Client({ connectionString: server.url });
      await reader.connect();
      const { rows } = await reader.query<{ id: string }>('select id from written');
      await reader.end();
      const found = new Set(rows.map((row) => row.id));
      expect(acknowledged.filter((id) => !found.has(id))).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(rounds * 20);
  });

  it('is started again at its address while its owner runs, and stays stopped once it was stopped', async () => {
    const killed = server.pid;
    process.kill(killed, 'SIGKILL');
    while (!(await answers(server.url))) await pause(50);
    expect(server.pid).not.toBe(killed);
    await server.stop();
    expect(await answers(server.url)).toBe(false);
  });
});
