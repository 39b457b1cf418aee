import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { schemasAreThere } from './published-schemas.js';
import type { Side } from './read-exchange.js';
import { judgeSuite } from './wire-log.js';
import type { Exchange } from './wire-tap.js';
import { judgeWire } from './wire-watch.js';

interface Stored extends Exchange {
  readonly side?: Side;
  readonly suite: string;
}

const storedIn = (path: string): readonly Stored[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Stored);

const folder = process.env['SWITCHYARD_WIRE_FOLDER'];

describe('what earlier suites said over the wire', () => {
  it('is stored by each suite that has no published schemas, and loses nothing by it', () => {
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
    if (folder === undefined) delete process.env['SWITCHYARD_WIRE_FOLDER'];
    else process.env['SWITCHYARD_WIRE_FOLDER'] = folder;
    const stored = readdirSync(own).flatMap((name) => storedIn(join(own, name)));
    rmSync(own, { recursive: true });
    expect(stored).toEqual(schemasAreThere ? [] : [{ ...exchange, side: 'ours', suite: 'a suite' }]);
  });

  it('conforms to the published schemas', () => {
    if (folder === undefined || !schemasAreThere) {
      console.warn('not run: 1 check of stored messages; its folder or the published schemas are not here');
      return;
    }
    let held = 0;
    const faults = readdirSync(folder).flatMap((name) => {
      const exchanges = storedIn(join(folder, name));
      const sides = new Map<Exchange, Side | undefined>(exchanges.map((one) => [one, one.side]));
      const verdict = judgeWire(exchanges, (exchange) => sides.get(exchange));
      held += [...verdict.held.values()].reduce((sum, count) => sum + count, 0);
      return verdict.faults.map((fault) => `${exchanges[0]?.suite ?? ''}: ${fault}`);
    });
    expect(faults).toEqual([]);
    expect(held).toBeGreaterThan(0);
  });
});
