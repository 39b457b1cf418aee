import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, seededRandom } from '@switchyard/testing';
import type { Expected, FloodCounts, FromSellers, ToSellers } from './flood/flood-plan.js';
import { startServer, type FloodServer } from './flood/flood-server.js';
import { makeFloodWorld } from './flood/flood-world.js';
import { dataFolder, ownerUrlOf } from '../harness/data-folder.js';
import { ownerView, type OwnerView } from '../harness/database.js';
import { jsonOf, repositoryRoot } from '../harness/run-switchyard.js';
import { waitForRest } from '../harness/wait-for-rest.js';

const seed = Number(process.env['E2E_SEED'] ?? 471_101);
/** `npm run soak` kills fifty times, with a hundred buys. */
const kills = Number(process.env['FLOOD_KILLS'] ?? 10);
const buysWanted = Number(process.env['FLOOD_BUYS'] ?? 50);
const chance = seededRandom(seed);
const folder = dataFolder();

let port: number;
let server: FloodServer;
let database: OwnerView;
let sellers: ChildProcess;
let counts: FloodCounts;
let expected: Expected;

/** Sends a message to the sellers' process and waits for that kind of answer. */
function query<Told extends FromSellers['type']>(
  received: Told,
  message?: ToSellers,
): Promise<Extract<FromSellers, { type: Told }>> {
  return new Promise((resolve, reject) => {
    const hear = (answer: FromSellers): void => {
      if (answer.type !== received) return;
      sellers.off('message', hear);
      resolve(answer as Extract<FromSellers, { type: Told }>);
    };
    sellers.on('message', hear);
    sellers.once('exit', () => reject(new Error("The sellers' process has ended.")));
    if (message !== undefined) sellers.send(message);
  });
}

beforeAll(async () => {
  sellers = fork(join(repositoryRoot, 'apps/e2e/server/dist/faults/flood/flood-sellers.js'), {
    execArgv: [],
  });
  sellers.setMaxListeners(200);
  const { agents } = await query('ready');
  port = await freePort();
  server = startServer(folder.path, port);
  await server.ready;
  database = await ownerView(folder.path);
  const [local] = await database.rows<{ id: string }>(`select id from organization where slug = 'local'`);
  const buys = await makeFloodWorld(ownerUrlOf(folder.path), local?.id ?? '', agents, buysWanted);
  sellers.send({
    type: 'plan',
    plan: { seed, url: `http://127.0.0.1:${String(port)}`, buys },
  } satisfies ToSellers);
});

afterAll(async () => {
  sellers.kill();
  await database.close();
  await server.kill();
  await folder.remove();
});

describe(`a flood of webhooks and ${String(kills)} kills (E2E_SEED=${String(seed)})`, () => {
  it('is acknowledged to the last event, however often the server dies', async () => {
    const began = Date.now();
    for (let life = 0; life < kills; life += 1) {
      await dieOnce();
      server = startServer(folder.path, port);
    }
    await server.ready;
    counts = (await query('reached', { type: 'wait', acknowledged: Number.MAX_SAFE_INTEGER })).counts;
    ({ expected } = await query('expected', { type: 'expect' }));
    process.stderr.write(
      `flood: seed ${String(seed)}, ${String(kills)} kills in ${String(Date.now() - began)} ms, ${JSON.stringify(counts)}\n`,
    );
    expect(counts.unexpected).toEqual([]);
    expect(counts.unanswered).toBeGreaterThanOrEqual(kills / 2);
  }, 900_000);

  it('leaves no accepted event waiting forever', async () => {
    const open = `select count(*)::int as open from inbox_event where state = 'received'`;
    await waitForRest('every event has left the inbox', async () => ({
      'events in the inbox': (await database.rows<{ open: number }>(open))[0]?.open ?? 0,
    }));
  }, 900_000);

  it('loses no event and accepts none that was not sent, each in a state that its content allows', async () => {
    const rows = await database.rows<{ key: string; state: string }>(
      'select idempotency_key as key, state from inbox_event',
    );
    const known = new Map(rows.map(({ key, state }) => [key, state]));
    expect(rows).toHaveLength(known.size);
    expect([...known.keys()].sort()).toEqual(Object.keys(expected.events).sort());
    expect(expected.forged.filter((key) => known.has(key))).toEqual([]);
    expect([...known].filter(([key, state]) => expected.events[key]?.includes(state) !== true)).toEqual([]);
    const update = expected.groups.map((keys) => keys.filter((key) => known.get(key) === 'applied').length);
    expect(update.filter((count) => count > 1)).toEqual([]);
    // An event of a task or an impairment that was applied but not marked before a kill is recognized as applied.
    expect(update.filter((count) => count === 0).length).toBeLessThanOrEqual(kills);
    const changed = await database.rows<{ key: string }>(
      'select distinct idempotency_key as key from inbox_duplicate where not is_same_body',
    );
    expect(changed.map(({ key }) => key).sort()).toEqual([...expected.changed].sort());
  });

  it('ends every task with the result that its seller reported first', async () => {
    const rows = await database.rows<{ id: string; status: string }>(
      'select b.id, l.status from leg l join media_buy b on b.operation_id = l.operation_id',
    );
    expect(linesOf(rows, ({ id, status }) => `${id} ${status}`)).toEqual(
      expected.buys.map(({ mediaBuyId, leg }) => `${mediaBuyId} ${leg}`).sort(),
    );
  });

  it('records every report once, and counts the one that the rules choose', async () => {
    const rows = await database.rows<{ line: string }>(
      `select concat_ws(' ', s.media_buy_id, package_ref, to_char(period_start at time zone 'UTC', 'YYYY-MM-DD'),
         sequence_number, spend_micros, case when is_current then 'current' else 'superseded' end) as line
       from report_version v join seller_buy s on s.id = v.seller_buy_id`,
    );
    expect(linesOf(rows, ({ line }) => line)).toEqual(perBuy(({ versions }) => versions));
  });

  it('posts the spend by day, exact to the micro', async () => {
    const rows = await database.rows<{ line: string }>(
      `select concat_ws(' ', e.media_buy_id, p.day, sum(p.amount_micros)) as line
       from ledger_posting p join ledger_entry e on e.id = p.entry_id where p.account = 'media_spend'
       group by e.media_buy_id, p.day having sum(p.amount_micros) <> 0`,
    );
    expect(linesOf(rows, ({ line }) => line)).toEqual(perBuy(({ spend }) => spend));
    const sums = await database.rows<{ sum: string }>(
      'select sum(amount_micros)::text as sum from ledger_posting',
    );
    expect(sums).toEqual([{ sum: '0' }]);
  });

  it('has exactly one entry for each report, each change of an impairment and each created buy', async () => {
    const rows = await database.rows<{ id: string; reports: number; impairments: number; others: string }>(
      `select media_buy_id as id, count(*) filter (where kind in ('delivery', 'restatement', 'observation'))::int as reports,
         count(*) filter (where kind = 'impairment')::int as impairments,
         coalesce(string_agg(kind, ' ') filter (where kind in ('bought', 'changed', 'canceled')), '-') as others
       from ledger_entry group by 1`,
    );
    expect(
      linesOf(
        rows,
        ({ id, reports, impairments, others }) => `${id} ${String(reports)} ${String(impairments)} ${others}`,
      ),
    ).toEqual(
      expected.buys
        .map(({ mediaBuyId, leg, reportEntries, impairmentEntries }) => ({
          line: `${mediaBuyId} ${String(reportEntries)} ${String(impairmentEntries)} ${leg === 'completed' ? 'bought' : '-'}`,
          isThere: leg === 'completed' || reportEntries + impairmentEntries > 0,
        }))
        .filter(({ isThere }) => isThere)
        .map(({ line }) => line)
        .sort(),
    );
  });

  it('shows exactly the open impairments', async () => {
    const rows = await database.rows<{ line: string }>(
      `select concat_ws(' ', media_buy_id, impairment_id, case when resolved_at is null then 'open' else 'resolved' end)
         as line from impairment`,
    );
    expect(linesOf(rows, ({ line }) => line)).toEqual(perBuy(({ impairments }) => impairments));
  });

  it('leaves a chain that verifies', async () => {
    expect(await jsonOf(['ledger', 'verify', '--data', folder.path])).toMatchObject({ ok: true });
  });
});

/** One kill at a random instant: mostly while it receives events, sometimes during its start. */
async function dieOnce(): Promise<void> {
  const early = chance.between(1, 6) === 1;
  const more = chance.between(1, 2 * Math.max(1, Math.round((buysWanted * 30) / Math.max(1, kills))));
  const afterMs = early ? chance.between(0, 900) : chance.between(0, 30);
  if (!early) {
    await server.ready;
    await query('reached', { type: 'wait', acknowledged: more });
  }
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await server.kill();
}

function linesOf<Row>(rows: readonly Row[], line: (row: Row) => string): readonly string[] {
  return rows.map(line).sort();
}

function perBuy(lines: (buy: Expected['buys'][number]) => readonly string[]): readonly string[] {
  return expected.buys.flatMap((buy) => lines(buy).map((line) => `${buy.mediaBuyId} ${line}`)).sort();
}
