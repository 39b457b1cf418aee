import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { createPrincipal, createToken } from '@switchyard/testing';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { openOrganization } from './harness/shared-instance.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';

/** Every way in goes through the checks of the gate and past the second person, on the built product. */
const folder = dataFolder();
let instance: Instance;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt'], 'paused');
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
  await folder.remove();
});

const shown = { status: 'completed', products: [plainProduct] };

async function seller(products: Json = shown): Promise<PlainSeller> {
  const made = await plainSeller((tool) => ({
    json: JSON.stringify(tool === 'get_products' ? products : { media_buys: [] }),
  }));
  closers.push(() => made.close());
  return made;
}

const rowOf = (slug: string, { agentUrl }: PlainSeller): Json => ({
  slug,
  agent_url: agentUrl,
  protocol: 'mcp',
  dialect: 'adcp',
});

async function importRows(...rows: readonly Json[]) {
  const file = join(folder.path, 'sellers.json');
  writeFileSync(file, JSON.stringify(rows));
  const { code, stdout } = await runSwitchyard(['sellers', 'import', file, '--json', '--data', folder.path]);
  return { code, rows: list(JSON.parse(stdout)) };
}

const listed = async (): Promise<readonly unknown[]> =>
  list((await admin(instance, 'GET', '/v1/sellers'))['sellers']).map(({ slug }) => slug);

describe('an import', () => {
  it('lets in what passes the checks, and keeps garbage as a draft with its reason', async () => {
    const [good, bad] = [await seller(), await seller({ status: 'completed', stuff: [1] })];
    const { code, rows } = await importRows(rowOf('good', good), rowOf('bad', bad));
    expect([code, rows]).toMatchObject([
      1,
      [
        { slug: 'good', state: 'live' },
        { slug: 'bad', state: 'failed', reason: expect.stringContaining('products') },
      ],
    ]);
    expect(await listed()).toEqual(['good', 'prompt']);
    const { drafts } = await admin(instance, 'GET', '/v1/sellers/drafts');
    expect(drafts).toMatchObject([{ slug: 'bad', state: 'failed' }]);
  });

  it('of one seller by POST /v1/sellers runs the checks too', async () => {
    const bad = await seller({ status: 'completed', stuff: [1] });
    const added = await admin(instance, 'POST', '/v1/sellers', rowOf('alone', bad));
    expect(added).toMatchObject({ slug: 'alone', state: 'failed' });
    expect(await listed()).not.toContain('alone');
  });

  it('changes a live seller at its address as before, and takes one that moves through the checks again', async () => {
    const [before, after] = [await seller(), await seller({ status: 'completed', stuff: [1] })];
    await importRows(rowOf('moves', before));
    expect((await importRows(rowOf('moves', before))).rows).toMatchObject([{ slug: 'moves', state: 'live' }]);
    const moved = await importRows(rowOf('moves', after));
    expect([moved.code, moved.rows]).toMatchObject([1, [{ slug: 'moves', state: 'failed' }]]);
    expect((await admin(instance, 'GET', '/v1/sellers/moves'))['state']).not.toBe('live');
  });

  it('shows what a file of another program names without its secrets, and adds it by a job', async () => {
    const secret = 'canary-of-a-file-8d1f';
    const taken = await plainSeller(() => ({ json: JSON.stringify(shown) }), { takes: () => [secret] });
    closers.push(() => taken.close());
    const open = await seller();
    const file = join(folder.path, 'clients.json');
    writeFileSync(
      file,
      JSON.stringify({
        mcpServers: {
          'North Gate': { url: taken.agentUrl, headers: { Authorization: `Bearer ${secret}` } },
          files: { command: 'npx', args: ['files'] },
        },
      }),
    );
    const run = (...more: readonly string[]) =>
      runSwitchyard(['sellers', 'import', ...more, '--json', '--data', folder.path]);
    const preview = await run(file);
    expect(JSON.parse(preview.stdout)).toMatchObject({
      format: 'mcp',
      sellers: [{ slug: 'north-gate', input: taken.agentUrl, has_credential: true, is_known: false }],
      left_out: [{ at: '/mcpServers/files', code: 'local_process' }],
    });
    expect(await listed()).not.toContain('north-gate');
    const done = await run(file, '--yes');
    expect([done.code, JSON.parse(done.stdout)]).toMatchObject([0, { state: 'succeeded', total: 1 }]);
    expect(await listed()).toContain('north-gate');
    const table = join(folder.path, 'sellers.csv');
    writeFileSync(table, `name;agent url\nSheet;${open.agentUrl}\nNorth;${taken.agentUrl}\n`);
    const sheet = await run(table, '--yes');
    expect(sheet.code).toBe(0);
    expect(await listed()).toContain('sheet');
    const again = await run(table);
    expect(JSON.parse(again.stdout)['sellers']).toMatchObject([
      { slug: 'sheet', is_known: true },
      { slug: 'north-gate', is_known: true },
    ]);
    for (const { stdout, stderr } of [preview, done, sheet, again])
      expect(stdout + stderr).not.toContain(secret);
    expect(JSON.stringify(await admin(instance, 'GET', '/v1/audit'))).not.toContain(secret);
  });

  it('waits for another person where the organization wants one', async () => {
    const own = list((await admin(instance, 'GET', '/v1/organizations'))['organizations'])[0]?.[
      'organization_id'
    ];
    const store = openStore(ownerUrlOf(folder.path));
    const permissions = { sellers: ['read', 'write', 'approve'] } as const;
    const colleague = await createPrincipal(store, String(own), { kind: 'person', permissions });
    const token = await createToken(store, colleague);
    await store.close();
    const [one, other] = [await seller(), await seller()];
    const { code, rows } = await importRows(rowOf('guarded', one));
    expect([code, rows]).toMatchObject([0, [{ slug: 'guarded', state: 'waiting' }]]);
    expect(await admin(instance, 'POST', '/v1/sellers', rowOf('second', other))).toMatchObject({
      slug: 'second',
      state: 'waiting',
    });
    expect(await listed()).not.toContain('guarded');
    await admin({ url: instance.url, token }, 'POST', '/v1/sellers/guarded/approve', {});
    expect(await listed()).toContain('guarded');
  });
});
