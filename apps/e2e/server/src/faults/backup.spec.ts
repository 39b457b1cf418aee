import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buyRequest, Catalogue, list, type Json } from '../harness/buy-request.js';
import { callTask } from '../harness/call-task.js';
import { dataFolder } from '../harness/data-folder.js';
import { ownerView } from '../harness/database.js';
import { startFirst, startInstance, type Instance } from '../harness/instance.js';
import { admin } from '../harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from '../harness/plain-seller.js';
import { jsonOf, runSwitchyard } from '../harness/run-switchyard.js';
import { waitUntil } from '../harness/wait-until.js';

const folder = dataFolder();
const restored = dataFolder();
const elsewhere = dataFolder();
const backups = join(elsewhere.path, 'backups');
let instance: Instance;
let paper: PlainSeller;
let made: { readonly folder: string; readonly ledgers: number };
let spend: Json;

const question: Json = {
  adcp_version: '3.1',
  buying_mode: 'brief',
  brief: 'x',
  brand: { domain: 'b.example' },
};

async function importInvoice(number: string): Promise<boolean> {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
  const answer = await fetch(`${instance.url}/v1/invoices/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      seller: 'prompt',
      file: { name: 'i.csv', text: 'What,Net\nmedia,12.5\n' },
      mapping: { description: 'What', amount: 'Net' },
      defaults: { invoice_number: number, issued_on: `${month}-28`, currency: 'USD' },
    }),
  }).catch(() => undefined);
  return answer?.status === 200;
}

async function stateOfPrompt(): Promise<unknown> {
  return list((await admin(instance, 'GET', '/v1/sellers'))['sellers']).find(
    ({ slug }) => slug === 'prompt',
  )?.['state'];
}

beforeAll(async () => {
  instance = await startInstance(folder.path, ['--market', 'prompt']);
  const offer = { status: 'completed', products: [plainProduct] };
  paper = await plainSeller(() => ({ json: JSON.stringify(offer) }), { tools: ['get_products'] });
  await admin(instance, 'POST', '/v1/sellers/import', [
    { slug: 'paper', agent_url: paper.agentUrl, token: 'a token of paper', protocol: 'mcp', dialect: 'adcp' },
  ]);
  const catalogue = await Catalogue.read(instance, 2);
  const from = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  const practice = { first_day: from, days: 3 };
  const request = buyRequest([catalogue.packageOf('prompt', { budget: 90_000 })], { ext: { practice } });
  expect((await callTask('REST', instance, 'create_media_buy', request)).errors).toEqual([]);
  const database = await ownerView(folder.path);
  await waitUntil('its days are booked', async () => {
    const [row] = await database.rows<{ count: number }>(
      `select count(*)::int as count from inbox_event where state = 'applied'`,
    );
    return row?.count === 5 ? true : undefined;
  });
  await database.close();
  spend = await admin(instance, 'GET', '/v1/ledger/spend');
});
afterAll(async () => {
  await instance.kill();
  await paper.close();
  for (const each of [folder, restored, elsewhere]) await each.remove();
});

describe('a backup of the embedded database', () => {
  it('is made while invoices are booked, and its manifest names heads, keys and files, and holds no key', async () => {
    const over = new AbortController();
    let booked = 0;
    const traffic = (async () => {
      while (!over.signal.aborted) if (await importInvoice(`INV-${String(booked)}`)) booked += 1;
    })();
    await waitUntil('the first invoices are booked', () => (booked > 2 ? true : undefined));
    made = await jsonOf([
      'backup',
      '--to',
      backups,
      '--keyring-to',
      join(elsewhere.path, 'keys'),
      '--data',
      folder.path,
    ]);
    over.abort();
    await traffic;
    const text = readFileSync(join(made.folder, 'manifest.json'), 'utf8');
    const manifest = JSON.parse(text) as Json;
    expect(manifest).toMatchObject({
      kind: 'cluster',
      ledgers: [{ hash: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
    expect(existsSync(join(elsewhere.path, 'keys/keyring.json'))).toBe(true);
    const { keys } = JSON.parse(readFileSync(join(folder.path, 'keyring.json'), 'utf8')) as { keys: Json };
    for (const key of Object.values(keys)) expect(text).not.toContain(JSON.stringify(key));
    expect(existsSync(join(made.folder, 'keyring.json'))).toBe(false);
  });

  it('is restored for trial beside the running instance, which leaves nothing behind', async () => {
    const within = join(elsewhere.path, 'drill');
    const tried = await jsonOf<Json>(['backup', '--drill', '--to', within, '--data', folder.path]);
    expect(Number(tried['entries'])).toBeGreaterThan(5);
    expect(readdirSync(within)).toEqual([]);
    expect(await admin(instance, 'GET', '/v1/ledger/spend')).toEqual(spend);
    const doctor = await jsonOf<{ checks: readonly Json[] }>(['doctor', '--data', folder.path]);
    expect(doctor.checks).toContainEqual(expect.objectContaining({ id: 'drill', state: 'ok' }));
    expect(doctor.checks).toContainEqual(expect.objectContaining({ id: 'restored', state: 'ok' }));
  });

  it('refuses to copy the keyring beside it', async () => {
    const inside = join(backups, 'keys');
    const refused = await runSwitchyard([
      'backup',
      '--to',
      backups,
      '--keyring-to',
      inside,
      '--data',
      folder.path,
    ]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('outside') });
  });

  it('is refused by the restore when one byte of it was changed, and with other keys', async () => {
    await instance.kill();
    const victim = join(made.folder, 'pg/PG_VERSION');
    const was = readFileSync(victim);
    writeFileSync(victim, '99\n');
    const changed = await runSwitchyard(['restore', made.folder, '--data', join(elsewhere.path, 'one')]);
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('pg/PG_VERSION') });
    writeFileSync(victim, was);
    // Into the folder that it is restored into later: what was refused leaves nothing there.
    const keyless = await runSwitchyard(['restore', made.folder, '--data', restored.path]);
    expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining('keyring') });
  });

  it('restores with the same spend and intact ledgers, and calls no seller until it is resumed', async () => {
    const keyring = join(elsewhere.path, 'keys/keyring.json');
    const done = await jsonOf<Json>(['restore', made.folder, '--data', restored.path, '--keyring', keyring]);
    expect(Number(done['entries'])).toBeGreaterThan(5);
    instance = await startFirst(restored.path, ['--market', 'prompt']);
    expect(instance.stdout()).toContain('switchyard resume');
    expect(await stateOfPrompt()).toBe('live');
    expect(await admin(instance, 'GET', '/v1/ledger/spend')).toEqual(spend);
    expect(await admin(instance, 'GET', '/v1/ledger/verify?from_start=true')).toMatchObject({ ok: true });
    paper.calls.length = 0;
    await callTask('REST', instance, 'get_products', question);
    expect(paper.calls).toEqual([]);
    const doctor = await jsonOf<{ checks: readonly Json[] }>(['doctor', '--data', restored.path]);
    expect(doctor.checks).toContainEqual(expect.objectContaining({ id: 'restored', state: 'warning' }));
    expect(await jsonOf(['resume', '--data', restored.path])).toEqual({ resumed: true });
    await waitUntil('the seller is called again', async () => {
      await callTask('REST', instance, 'get_products', question);
      return paper.calls.length > 0 ? true : undefined;
    });
    expect(await jsonOf(['resume', '--data', restored.path])).toEqual({ resumed: false });
    await instance.kill();
    instance = await startFirst(restored.path, ['--market', 'prompt']);
    expect(await stateOfPrompt()).toBe('live');
  });
});
