import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from './harness/buy-request.js';
import { relayStage, untilSealed, type Brand, type RelayStage } from './relay/relay-stage.js';
import { sealedBuy } from './relay/seller-answer.js';

let stage: RelayStage;

/** Budgets that do not refill during a test, large enough for the operator's requests. */
const [reads, writes] = [16, 8];
const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};

beforeAll(async () => {
  stage = await relayStage(
    { paper: { protocol: 'mcp' } },
    {
      SWITCHYARD_RATE_READS: `0.001/${String(reads)}`,
      SWITCHYARD_RATE_WRITES: `0.001/${String(writes)}`,
      // Exactly the sum of both: a request that is counted twice would exhaust it too early.
      SWITCHYARD_RATE_COMBINED: `0.001/${String(reads + writes)}`,
    },
  );
});

afterAll(() => stage.close());

const heard = (tool: string): number =>
  stage.seller('paper').received.filter((call) => call.isSealed && call.tool === tool).length;

describe('the cost of a request to the relay', () => {
  let brand: Brand;

  it('is one from its caller’s budget, by either way, until the budget is used up', async () => {
    brand = await stage.brand('bikes', ['paper']);
    const requested = async (tool: string, args: Json): Promise<string> => {
      const { code, status } = await stage.relay(brand, 'paper', tool, args);
      return code ?? String(status);
    };
    const received: string[] = [];
    // A change is counted as a change only.
    for (let turn = 0; turn <= writes; turn += 1)
      received.push(await requested('create_media_buy', sealedBuy()));
    expect(received).toEqual([...Array.from({ length: writes }, () => '200'), 'RELAY_RATE_LIMITED']);
    expect(heard('create_media_buy')).toBe(writes);
    // The cached quotes cannot admit these, so each is judged twice and counted once. One read was used by the change
    // that had to wait.
    received.length = 0;
    for (let turn = 1; turn < reads; turn += 1)
      received.push(await requested('list_creatives', { adcp_version: '3.1' }));
    expect(new Set(received)).toEqual(new Set(['DELEGATION_TASK_NOT_ALLOWED']));
    expect(await requested('get_products', question)).toBe('429');
    expect(heard('get_products')).toBe(0);
  });

  it('applies only to its caller: another brand passes while this one waits', async () => {
    const other = await stage.brand('cars', ['paper']);
    expect((await stage.relay(other, 'paper', 'get_products', question)).status).toBe(200);
    const late = await stage.relay(brand, 'paper', 'get_products', question);
    expect([late.status, Number(late.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect(late.text).not.toContain(brand.token);
  });
});

describe('a body without a stated length', () => {
  let brand: Brand;
  /** Bodies whose refusal arrived. */
  let refused = 0;
  const recordsOf = (): Promise<readonly Json[]> =>
    stage.cli<readonly Json[]>('custody', 'list', '--principal', brand.id);

  it('is refused above the endpoint’s limit, answered and recorded, and nothing of it is sent', async () => {
    brand = await stage.brand('boats', ['paper']);
    const { relay_mcp_url: url } = await stage.address('paper', brand);
    // If the connection is closed while bytes are in transit, TCP may discard the answer (RFC 9112, 9.6).
    let answer = '';
    while (answer === '' && refused < 5) {
      ({ answer } = await pour(url ?? '', brand.token, 12 * 1024 * 1024));
      refused += 1;
    }
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('RELAY_BODY_TOO_LARGE');
    const record = /switchyard-custody-record: (\S+)/i.exec(answer)?.[1] ?? '';
    await untilSealed(stage, [record]);
    const shown = await stage.cli<{ record: Json }>('custody', 'show', record);
    expect(shown.record).toMatchObject({
      outcome: 'refused',
      code: 'RELAY_BODY_TOO_LARGE',
      arrived: { bytes: 0, bodyHash: '', isUnread: true },
    });
    expect(shown.record['forwarded']).toBeUndefined();
    expect(heard('get_products')).toBe(1);
  });

  it('is cut off if it never ends, with bounded memory and a record, and the next request is answered', async () => {
    const before = rssOf(stage.instance().pid);
    const { relay_mcp_url: url } = await stage.address('paper', brand);
    await Promise.all([1, 2, 3].map(() => pour(url ?? '', brand.token, Number.POSITIVE_INFINITY)));
    // More than a hundred megabytes were sent; no request held more than the cap in memory.
    expect(rssOf(stage.instance().pid) - before).toBeLessThan(64 * 1024 * 1024);
    const rows = await recordsOf();
    expect(rows.map(({ code }) => code)).toEqual(
      Array.from({ length: 3 + refused }, () => 'RELAY_BODY_TOO_LARGE'),
    );
    expect((await stage.relay(brand, 'paper', 'get_products', question)).status).toBe(200);
    expect(heard('get_products')).toBe(2);
  });
});

/** Returns the resident memory of a process in bytes. */
function rssOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

/** Sends a chunked body for as long as it is accepted, and returns the answer. */
function pour(
  url: string,
  token: string,
  bytes: number,
): Promise<{ readonly answer: string; readonly poured: number }> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let answer = '';
    let poured = 0;
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const more = (): void => {
      while (poured < bytes && socket.writable) {
        poured += chunk.length;
        const flows = socket.write(
          Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
        );
        if (!flows) return void socket.once('drain', more);
      }
      if (socket.writable) socket.write('0\r\n\r\n');
    };
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ answer, poured }));
    socket.on('end', () => socket.end());
    socket.on('connect', () => {
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
          `Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      );
      more();
    });
  });
}
