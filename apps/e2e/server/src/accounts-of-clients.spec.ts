import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { openOrganization } from './harness/shared-instance.js';

/** Accounts of several clients below one connection, on the built product, with a seller that writes down what it is asked. */
const folder = dataFolder();
let instance: Instance;
let desk: PlainSeller;
const asked: { readonly tool: string; readonly args: Json }[] = [];
const accounts = new Map<string, Json>();
let novaId: string;
let orionId: string;
let buys = 0;

const accountsAre = (...rows: readonly (readonly [string, string])[]): void => {
  accounts.clear();
  for (const [id, status] of rows)
    accounts.set(id, { account_id: id, name: `Account ${id}`, status, billing: 'agent' });
};

function behave(tool: string, args: Json): { readonly json: string } {
  asked.push({ tool, args });
  const answerOf = (): Json => {
    if (tool === 'get_products') return { status: 'completed', products: [plainProduct] };
    if (tool === 'list_accounts') return { accounts: [...accounts.values()] };
    if (tool === 'create_media_buy') {
      buys += 1;
      return {
        status: 'completed',
        media_buy_id: `desk-${String(buys)}`,
        packages: [{ package_id: `p-${String(buys)}` }],
      };
    }
    const ids = Array.isArray(args['media_buy_ids']) ? args['media_buy_ids'] : [];
    return {
      media_buys: ids.map((id: string) => ({
        media_buy_id: id,
        status: 'active',
        currency: 'USD',
        packages: [],
      })),
    };
  };
  return { json: JSON.stringify(answerOf()) };
}

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  desk = await plainSeller(behave, {
    tools: ['list_accounts', 'get_media_buy_delivery'],
    capabilities: { account: { require_operator_auth: true, supported_billing: ['agent'] } },
  });
  accountsAre(['acc_n', 'active'], ['acc_o', 'active'], ['acc_x', 'suspended']);
  novaId = await client('Nova', 'nova.example');
  orionId = await client('Orion', 'orion.example');
});
afterAll(async () => {
  await desk.close();
  await instance.stop();
  await folder.remove();
});

async function cli(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly json: Json }> {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--json', '--data', folder.path]);
  if (stdout === '') throw new Error(stderr);
  return { code, json: JSON.parse(stdout) as Json };
}

async function client(name: string, domain: string): Promise<string> {
  const made = await admin(instance, 'POST', '/v1/clients', { name });
  const id = String(made['client_id']);
  await admin(instance, 'POST', '/v1/brands', { domain, client_id: id, name });
  return id;
}

async function products(domain: string): Promise<Json> {
  const { body } = await callTask('REST', instance, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'everything',
    brand: { domain },
    account: { brand: { domain }, operator: 'agency.example' },
  });
  return body;
}

async function buy(domain: string): ReturnType<typeof callTask> {
  const part = { product_id: 'desk:p1', pricing_option_id: 'cpm', budget: 100 };
  const account = { brand: { domain }, operator: 'agency.example' };
  return callTask('REST', instance, 'create_media_buy', buyRequest([part], { brand: { domain }, account }));
}

const accountIn = (tool: string): unknown => asked.findLast((call) => call.tool === tool)?.args['account'];

describe('accounts of clients at one seller', () => {
  it('wait for a person where there are several and none is chosen; with --yes none is used, and clients get theirs', async () => {
    const add = ['sellers', 'add', desk.agentUrl, '--slug', 'desk'];
    const asked = await cli(...add);
    expect(asked).toMatchObject({ code: 6, json: { state: 'needs_person' } });
    expect(list(asked.json['checks']).find(({ key }) => key === 'accounts')).toMatchObject({
      state: 'needs_person',
      code: 'choose_account_or_none',
      options: [{ value: 'acc_n' }, { value: 'acc_o' }],
    });
    expect(await cli(...add, '--yes')).toMatchObject({ code: 0, json: { state: 'live' } });
  });

  it('are listed as the seller lists them, and given to clients by the id of the seller', async () => {
    const listed = await cli('accounts', 'list', '--seller', 'desk');
    expect(list(listed.json['accounts'])).toMatchObject([
      { account_id: 'acc_n', status: 'active', clients: [] },
      { account_id: 'acc_o' },
      { account_id: 'acc_x', status: 'suspended' },
    ]);
    expect(
      await cli('accounts', 'use', '--seller', 'desk', '--client', novaId, '--account', 'acc_n'),
    ).toMatchObject({
      code: 0,
      json: { seller: 'desk', client_id: novaId, account_id: 'acc_n' },
    });
    const unknown = await cli(
      'accounts',
      'use',
      '--seller',
      'desk',
      '--client',
      orionId,
      '--account',
      'acc_none',
    );
    expect([unknown.code, list(unknown.json['errors'])[0]?.['code']]).toEqual([1, 'NOT_FOUND']);
    await cli('accounts', 'use', '--seller', 'desk', '--client', orionId, '--account', 'acc_o');
    const after = await cli('accounts', 'list', '--seller', 'desk');
    expect(
      list(after.json['accounts']).map((row) => list(row['clients']).map((one) => one['client'])),
    ).toEqual([['Nova'], ['Orion'], []]);
  });

  it('are in no question for products, which the seller is asked once for all clients', async () => {
    asked.length = 0;
    const body = await products('nova.example');
    expect(list(body['products']).filter(({ product_id: id }) => id === 'desk:p1')).toHaveLength(1);
    const questions = asked.filter(({ tool }) => tool === 'get_products');
    expect(questions).toHaveLength(1);
    expect(questions[0]?.args).not.toHaveProperty('account');
  });

  it('take the buys of their own client, and the questions about them, whatever the client gets later', async () => {
    const nova = await buy('nova.example');
    expect([nova.errors, accountIn('create_media_buy')]).toEqual([[], { account_id: 'acc_n' }]);
    const orion = await buy('orion.example');
    expect([orion.errors, accountIn('create_media_buy')]).toEqual([[], { account_id: 'acc_o' }]);
    await cli('accounts', 'release', '--seller', 'desk', '--client', novaId);
    asked.length = 0;
    await callTask('REST', instance, 'get_media_buys', {
      adcp_version: '3.1',
      status_filter: ['active', 'pending_start', 'pending_creatives'],
    });
    const questions = asked.filter(({ tool }) => tool === 'get_media_buys');
    const byAccount = questions.map(({ args }) => [
      JSON.stringify(args['account']),
      list(args['media_buy_ids']).length,
    ]);
    expect(byAccount.toSorted()).toEqual([
      ['{"account_id":"acc_n"}', 1],
      ['{"account_id":"acc_o"}', 1],
    ]);
  });

  it('keep a buy from a seller that lists accounts where its client has none', async () => {
    const before = buys;
    const refused = await buy('nova.example');
    expect([refused.errors[0]?.code, buys]).toEqual(['ACCOUNT_SETUP_REQUIRED', before]);
  });

  it('hold new buys while the seller says that they are suspended, and let them go afterwards', async () => {
    await cli('accounts', 'use', '--seller', 'desk', '--client', novaId, '--account', 'acc_x');
    const before = buys;
    const held = await buy('nova.example');
    expect([held.errors[0]?.code, buys]).toEqual(['ACCOUNT_SUSPENDED', before]);
    accountsAre(['acc_n', 'active'], ['acc_o', 'active'], ['acc_x', 'active']);
    const synced = await cli('accounts', 'sync', '--seller', 'desk');
    expect(synced.json['changed']).toEqual([{ account_id: 'acc_x', from: 'suspended', to: 'active' }]);
    expect((await buy('nova.example')).errors).toEqual([]);
    expect(accountIn('create_media_buy')).toEqual({ account_id: 'acc_x' });
  });

  it('are not reached by an assignment that was written into the database', async () => {
    const database = new pg.Client({ connectionString: ownerUrlOf(folder.path) });
    await database.connect();
    const assigned = async (accountId: string): Promise<void> => {
      await database.query('update account_use set account_id = $1 where client_id = $2', [
        accountId,
        novaId,
      ]);
    };
    await assigned('acc_o');
    const before = buys;
    const refused = await buy('nova.example');
    expect([refused.errors[0]?.code, buys]).toEqual(['CONFIGURATION_ERROR', before]);
    await database.query(
      `update account_use n set account_id = o.account_id, binding = o.binding, since = o.since
       from account_use o where n.client_id = $1 and o.client_id = $2`,
      [novaId, orionId],
    );
    expect((await buy('nova.example')).errors[0]?.code).toBe('CONFIGURATION_ERROR');
    await database.end();
    await cli('accounts', 'use', '--seller', 'desk', '--client', novaId, '--account', 'acc_n');
    expect((await buy('nova.example')).errors).toEqual([]);
  });
});
