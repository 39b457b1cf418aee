import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seededRandom } from '@switchyard/testing';
import { buyRequest, Catalogue, type Json } from '../harness/buy-request.js';
import { dataFolder } from '../harness/data-folder.js';
import { ownerView, type OwnerView } from '../harness/database.js';
import { callTask } from '../harness/call-task.js';
import { startInstance, type Instance } from '../harness/instance.js';
import { runSwitchyard } from '../harness/run-switchyard.js';
import { waitUntil } from '../harness/wait-until.js';

const seed = Number(process.env['E2E_SEED'] ?? 471_117);
const chance = seededRandom(seed);

const folder = dataFolder();
let instance: Instance;
let database: OwnerView;
/** Duration of an undisturbed import in milliseconds. */
let importMs = 0;

/** Lines of each invoice: enough that a kill can occur while they are written. */
const lineTotal = 4000;
/** Kills. Before each of them one invoice is imported and one month is closed. */
const kills = [0, 1, 2, 3];

/** The month that is `count` months before this one. */
function monthBefore(count: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString().slice(0, 7);
}

const monthOf = (kill: number): string => monthBefore(kills.length - kill);
const numberOf = (kill: number): string => `INV-${String(kill)}`;

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', 'prompt']);
  database = await ownerView(folder.path);
  const catalogue = await Catalogue.read(instance, 2);
  // Delivered before all of these months and never fully invoiced: every closed month has an accrual.
  const practice = { first_day: `${monthBefore(kills.length + 1)}-03`, days: 3 };
  const request = buyRequest([catalogue.packageOf('prompt', { budget: 90_000 })], { ext: { practice } });
  const { url, token } = instance;
  expect((await callTask('REST', { url, token }, 'create_media_buy', request)).errors).toEqual([]);
  await waitUntil('its three days, a correction and the last report are booked', async () => {
    const [row] = await database.rows<{ count: number }>(
      `select count(*)::int as count from inbox_event where state = 'applied'`,
    );
    return row?.count === 5 ? true : undefined;
  });
  // Other tests cover reconciliation; here a month may be closed without it.
  expect(await post('/v1/organizations/own', { close_unreconciled: true })).toBe(200);
  const began = Date.now();
  expect(await importOf('undisturbed', monthBefore(0))).toBe(200);
  importMs = Date.now() - began;
});

afterAll(async () => {
  await database.close();
  await instance.kill();
  await folder.remove();
});

/** The status of an answer; undefined if the server was killed before it. */
async function post(path: string, body: Json): Promise<number | undefined> {
  const answer = await fetch(`${instance.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  return answer?.status;
}

function importOf(number: string, month: string): Promise<number | undefined> {
  const rows = Array.from(
    { length: lineTotal },
    (_, line) => `line ${String(line)},0.0${String(1 + (line % 9))}`,
  );
  const file = { name: 'invoice.csv', text: `What,Net\n${rows.join('\n')}\n` };
  const mapping = { description: 'What', amount: 'Net' };
  const defaults = { invoice_number: number, issued_on: `${month}-28`, currency: 'USD' };
  return post('/v1/invoices/import', { seller: 'prompt', file, mapping, defaults });
}

const closeOf = (kill: number): Promise<number | undefined> => post(`/v1/periods/${monthOf(kill)}/close`, {});

/** The stored parts of one invoice and one closing. Each is complete or absent. */
async function left(kill: number): Promise<{ readonly invoice: boolean; readonly closed: boolean }> {
  const [row] = await database.rows<
    Record<'invoices' | 'lines' | 'entries' | 'accrued' | 'closings' | 'states', number>
  >(
    `select
       (select count(*) from invoice where number = $1)::int as invoices,
       (select count(*) from invoice_line l join invoice i on i.id = l.invoice_id where i.number = $1)::int as lines,
       (select count(*) from ledger_entry where kind = 'invoice' and body::jsonb->'facts'->>'number' = $1)::int as entries,
       (select count(*) from ledger_entry where kind = 'accrual' and body::jsonb->'facts'->>'period' = $2)::int as accrued,
       (select count(*) from ledger_entry where kind = 'period' and body::jsonb->'facts'->>'period' = $2)::int as closings,
       (select count(*) from accounting_period where period = $2 and state = 'closed')::int as states`,
    [numberOf(kill), monthOf(kill)],
  );
  const invoice = row?.invoices === 1;
  const closed = row?.states === 1;
  expect(row).toEqual({
    invoices: invoice ? 1 : 0,
    lines: invoice ? lineTotal : 0,
    entries: invoice ? 1 : 0,
    accrued: closed ? 1 : 0,
    closings: closed ? 1 : 0,
    states: closed ? 1 : 0,
  });
  return { invoice, closed };
}

describe(`SIGKILL while an invoice is imported and a month is closed (E2E_SEED=${String(seed)})`, () => {
  it.each(kills)(
    'completes or undoes each one, kill %i, and allows both to be requested again',
    async (kill) => {
      // From the start of the import to after its end; the closing starts shortly before.
      const killsAfterMs = Math.round((importMs * 1.5 * (kill + chance.between(0, 99) / 100)) / kills.length);
      const closesBeforeMs = Math.min(killsAfterMs, chance.between(0, Math.ceil(importMs / 4)));
      const importing = importOf(numberOf(kill), monthOf(kill));
      await new Promise((resolve) => setTimeout(resolve, killsAfterMs - closesBeforeMs));
      const closing = closeOf(kill);
      await new Promise((resolve) => setTimeout(resolve, closesBeforeMs));
      await instance.kill();
      const [imported, closed] = await Promise.all([importing, closing]);
      await database.close();
      instance = await startInstance(folder.path, ['--no-sandbox']);
      database = await ownerView(folder.path);

      const found = await left(kill);
      process.stderr.write(
        `seed ${String(seed)}: killed ${String(killsAfterMs)} ms into the import (${String(importMs)} ms undisturbed), ${String(closesBeforeMs)} ms into the closing: ${JSON.stringify(found)}\n`,
      );
      // Acknowledged work is stored.
      if (imported === 200) expect(found.invoice).toBe(true);
      if (closed === 200) expect(found.closed).toBe(true);
      // A repeated request is refused if the work is stored, and otherwise done.
      expect([await importOf(numberOf(kill), monthOf(kill)), await closeOf(kill)]).toEqual([
        found.invoice ? 409 : 200,
        found.closed ? 409 : 200,
      ]);
      expect(await left(kill)).toEqual({ invoice: true, closed: true });
      const verified = await fetch(`${instance.url}/v1/ledger/verify?from_start=true`, {
        headers: { authorization: `Bearer ${instance.token}` },
        signal: AbortSignal.timeout(60_000),
      });
      expect(await verified.json()).toMatchObject({ ok: true });
    },
  );
});

/** Kills the process with SIGKILL during its first file write. */
const killsWriter = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module';
const write = fs.writeFileSync;
fs.writeFileSync = (path, content) => {
  write(path, Buffer.from(content).subarray(0, 40));
  process.kill(process.pid, 'SIGKILL');
};
syncBuiltinESMExports();`;

describe(`SIGKILL while a month is exported (E2E_SEED=${String(seed)})`, () => {
  const period = monthOf(0);

  it('stores the batch of a journal completely or not at all, with every entry in exactly one batch', async () => {
    const accounts = ['media_spend', 'seller_payable', 'seller_invoiced', 'accrued', 'vendor:prompt'];
    for (const account of accounts)
      expect(await post('/v1/journal/accounts', { account, code: account })).toBe(200);
    const exporting = post('/v1/journal/exports', { period, format: 'csv' });
    await new Promise((resolve) => setTimeout(resolve, chance.between(0, 60)));
    await instance.kill();
    const answered = await exporting;
    await database.close();
    instance = await startInstance(folder.path, ['--no-sandbox']);
    database = await ownerView(folder.path);
    const batches = () =>
      database.rows<Record<'whole' | 'named' | 'held', number>>(
        `select entry_total as named, (file_hash = encode(sha256(file), 'hex'))::int as whole,
           (select count(*)::int from journal_batch_entry e where e.batch_id = b.id) as held
         from journal_batch b where period = $1`,
        [period],
      );
    const before = await batches();
    process.stderr.write(`seed ${String(seed)}: ${before.length} batches after the kill\n`);
    if (answered === 200) expect(before).toHaveLength(1);
    expect(await post('/v1/journal/exports', { period, format: 'csv' })).toBe(200);
    const after = await batches();
    expect(after).toEqual([{ whole: 1, named: after[0]?.held, held: after[0]?.held }]);
    const [left] = await database.rows(
      `select count(*)::int as entries from ledger_entry e
       where exists (select from ledger_posting p where p.entry_id = e.id and left(p.day, 7) = $1)
         and not exists (select from journal_batch_entry x where x.entry_id = e.id and x.period = $1)`,
      [period],
    );
    expect(left).toEqual({ entries: 0 });
  });

  it.each([
    ['a journal', ['journal', 'export', '--again', '1'], 'journal.csv'],
    ['a statement', ['statement', 'make', '--period', period], 'statement.json'],
    [
      'a statement with its signature beside',
      ['statement', 'make', '--period', period, '--format', 'csv'],
      's.csv',
    ],
  ])(
    'leaves no partial file of %s under its name, and writes it completely on the next request',
    async (_what, args, name) => {
      const out = join(folder.path, name);
      const command = [...args, '--out', out, '--data', folder.path];
      const killed = await runSwitchyard(command, '', {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(killsWriter)}`,
      });
      expect(killed.code).toBeNull();
      expect(existsSync(out)).toBe(false);
      expect(await runSwitchyard(command)).toMatchObject({ code: 0 });
      expect(existsSync(out)).toBe(true);
      if (args[0] === 'statement')
        expect(await runSwitchyard(['statement', 'verify', out])).toMatchObject({ code: 3 });
    },
  );
});
