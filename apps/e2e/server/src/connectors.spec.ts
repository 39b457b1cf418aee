import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRestAdServer, startWebdavServer, type RestAdServer } from '@switchyard/testing';
import { buyRequest, Catalogue } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { repositoryRoot, runSwitchyard } from './harness/run-switchyard.js';

const folder = dataFolder();
const connectors = ['rest-ad-server', 'business-central', 'webdav'].map((name) =>
  join(repositoryRoot, 'libs/connectors', name, 'dist/index.js'),
);
const token = 'a token of the network';
let instance: Instance;
let seller: RestAdServer;

beforeAll(async () => {
  seller = await startRestAdServer(token);
  instance = await startInstance(folder.path, ['--market', 'prompt'], {
    SWITCHYARD_CONNECTORS: connectors.join(','),
  });
});
afterAll(async () => {
  await instance.stop();
  await seller.close();
  await folder.remove();
});

describe('a seller that speaks no protocol of agents, by a connector that a setting names', () => {
  it('passes the gate with the name of its connector, and is shown with it', async () => {
    const args = [
      'sellers',
      'add',
      seller.url,
      '--slug',
      'desk',
      '--protocol',
      'rest-ad-server',
      '--token-stdin',
    ];
    const added = await runSwitchyard([...args, '--json', '--data', folder.path], token);
    const run = JSON.parse(added.stdout) as { readonly checks: readonly Record<string, unknown>[] };
    expect(run.checks.filter(({ state }) => state === 'failed')).toEqual([]);
    expect([added.code, run]).toMatchObject([0, { slug: 'desk', state: 'live' }]);
    const shown = await admin(instance, 'GET', '/v1/sellers/desk');
    expect(shown).toMatchObject({ protocol: 'rest-ad-server', state: 'live', form: '3.1' });
  });

  it('is asked, and bought from once under a key, beside a seller over MCP', async () => {
    const catalogue = await Catalogue.read(instance, 2);
    const request = buyRequest([
      catalogue.packageOf('prompt', { budget: 20_000 }),
      catalogue.packageOf('desk', { budget: 250, creatives: undefined }),
    ]);
    const bought = await callTask('REST', instance, 'create_media_buy', request);
    expect(bought.errors).toEqual([]);
    const again = await callTask('REST', instance, 'create_media_buy', request);
    expect(seller.orders).toMatchObject([{ status: 'APPROVED', lineItems: [{ budgetMicros: '250000000' }] }]);
    const id = bought.body['media_buy_id'];
    expect(again.body['media_buy_id']).toBe(id);
  });
});

it('a place for files gets what is sent and gives what is fetched, with the credential of a setting', async () => {
  const server = await startWebdavServer('Basic c2VjcmV0');
  const env = {
    SWITCHYARD_CONNECTORS: connectors.join(','),
    SWITCHYARD_PLACE_AUTHORIZATION: 'Basic c2VjcmV0',
  };
  const file = join(folder.path, 'Größe.csv');
  writeFileSync(file, 'a,b');
  const sent = await runSwitchyard(['files', 'send', file, '--to', `webdav+${server.url}`], undefined, env);
  expect(sent).toMatchObject({ code: 0, stdout: 'Sent Größe.csv, 3 bytes.\n' });
  const from = ['files', 'fetch', '--from', `webdav+${server.url}`, '--to', join(folder.path, 'in')];
  expect(await runSwitchyard(from, undefined, env)).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder.path, 'in/Größe.csv'), 'utf8')).toBe('a,b');
  await server.close();
});

describe('a layout of another accounting system', () => {
  it('is one more format of the journal, and an unknown one is named as such', async () => {
    const answer = async (format: string) =>
      fetch(`${instance.url}/v1/journal/batches/none/files?format=${format}`, {
        headers: { authorization: `Bearer ${instance.token}` },
      });
    expect((await answer('business-central')).status).toBe(404);
    const unknown = await answer('sage');
    expect([unknown.status, await unknown.text()]).toEqual([
      expect.any(Number),
      expect.stringContaining('business-central'),
    ]);
    expect(unknown.status).toBeGreaterThanOrEqual(400);
    expect(unknown.status).not.toBe(404);
  });
});
