import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { faultsOfJudged, PublishedJudge, type Judged } from './published-judge.js';
import { publishedSchemas, schemasAreThere } from './published-schemas.js';
import type { Side } from './read-exchange.js';
import { readStored } from './stored-lines.js';
import type { Exchange } from './wire-tap.js';
import { judgeSuite, judgeWire } from './wire-watch.js';

interface Stored extends Exchange {
  readonly side?: Side;
  readonly suite: string;
}

type StoredMessage = Judged & { readonly suite: string };

const judged: Judged = {
  kind: 'message',
  where: 'sent',
  message: { kind: 'request', task: 'get_products', form: '3.1', body: {} },
};

const folder = process.env['SWITCHYARD_WIRE_FOLDER'];

describe('the messages of earlier suites', () => {
  it('are stored by each suite without published schemas, and none is lost', () => {
    const own = mkdtempSync(join(tmpdir(), 'switchyard-stored-'));
    process.env['SWITCHYARD_WIRE_FOLDER'] = own;
    const exchange: Exchange = {
      process: 'switchyard.mjs',
      host: 'seller.example',
      path: '/v1/tasks/get_products',
      method: 'POST',
      sent: '{"brief":"shoes"}',
      status: 200,
      answered: '{}',
    };
    judgeSuite([exchange], () => 'ours', 'a suite');
    const judge = new PublishedJudge('a suite');
    judge.faultsOf(judged);
    judge.close();
    if (folder === undefined) delete process.env['SWITCHYARD_WIRE_FOLDER'];
    else process.env['SWITCHYARD_WIRE_FOLDER'] = folder;
    const stored = readStored(own, 'exchanges').flat();
    const messages = readStored(own, 'messages').flat();
    rmSync(own, { recursive: true });
    expect(stored).toEqual(schemasAreThere ? [] : [{ ...exchange, side: 'ours', suite: 'a suite' }]);
    expect(messages).toEqual(schemasAreThere ? [] : [{ ...judged, suite: 'a suite' }]);
  });

  it('conform to the published schemas', () => {
    if (folder === undefined || !schemasAreThere) {
      console.warn('not run: 1 check of stored messages; its folder or the published schemas are not here');
      return;
    }
    const heldOf = new Map<string, ReadonlySet<string>>();
    const faults = readStored(folder, 'exchanges').flatMap((lines) => {
      const exchanges = lines as readonly Stored[];
      const sides = new Map<Exchange, Side | undefined>(
        exchanges.map((exchange) => [exchange, exchange.side]),
      );
      const verdict = judgeWire(exchanges, (exchange) => sides.get(exchange));
      const suite = exchanges[0]?.suite ?? '';
      heldOf.set(suite, new Set([...(heldOf.get(suite) ?? []), ...verdict.held.keys()]));
      return verdict.faults.map((fault) => `${suite}: ${fault}`);
    });
    expect(faults).toEqual([]);
    expect([...heldOf.values()].some(({ size }) => size > 0)).toBe(true);
    const { reported, held } = faultsOfMessages(
      readStored(folder, 'messages').flat() as readonly StoredMessage[],
      heldOf,
    );
    expect(reported).toEqual([]);
    process.stdout.write(`${String(held)} stored messages held against the published schemas\n`);
    expect(held).toBeGreaterThan(0);
  });
});

function faultsOfMessages(
  messages: readonly StoredMessage[],
  heldOf: ReadonlyMap<string, ReadonlySet<string>>,
): { readonly reported: readonly string[]; readonly held: number } {
  const schemas = publishedSchemas();
  let held = 0;
  const reported = messages.flatMap((message) => {
    const faults =
      message.kind === 'cells'
        ? message.wanted
            .filter((cell) => heldOf.get(message.suite)?.has(cell) !== true)
            .map((cell) => `no ${cell}`)
        : faultsOfJudged(schemas, message);
    held += faults === undefined ? 0 : 1;
    return (faults ?? []).map((fault) => `${message.suite}: ${message.where}: ${fault}`);
  });
  return { reported, held };
}
