import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { createPrincipal, createToken } from '@switchyard/testing';
import pg from 'pg';
import { buyRequest, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { openOrganization } from './harness/shared-instance.js';

/** Logins of clients below one connection, on the built product, with a seller that shows each login other products. */
const folder = dataFolder();
let instance: Instance;
let desk: PlainSeller;
const asked: { readonly tool: string; readonly token: string | undefined; readonly args: Json }[] = [];
const takes = ['common-token', 'nova-token', 'orion-token', 'nova-token-2'];
let novaId: string;
let orionId: string;
let buys = 0;

const ofNova: Json = { ...plainProduct, product_id: 'p-nova', name: 'For Nova alone' };

/** A seller that opens an account for each pair, and stores nothing in a trial. */
function declaredAt(args: Json): Json {
  const [row] = list(args['accounts']);
  const isTrial = args['dry_run'] === true;
  const account = { ...row, action: 'created', status: isTrial ? 'pending_approval' : 'active' };
  return {
    ...(isTrial && { dry_run: true }),
    accounts: [isTrial ? account : { ...account, account_id: 'acc-opened', name: 'Opened' }],
  };
}

function behave(tool: string, args: Json, token?: string): { readonly json: string } {
  asked.push({ tool, token, args });
  const answerOf = (): Json => {
    const isNova = token?.startsWith('nova-') === true;
    if (tool === 'get_products')
      return { status: 'completed', products: isNova ? [plainProduct, ofNova] : [plainProduct] };
    if (tool === 'list_accounts') return { accounts: [] };
    if (tool === 'sync_accounts') return declaredAt(args);
    if (tool === 'create_media_buy') {
      buys += 1;
      return {
        status: 'completed',
        media_buy_id: `desk-${String(buys)}`,
        packages: [{ package_id: `p-${String(buys)}` }],
      };
    }
    if (tool === 'update_media_buy') return { status: 'completed', media_buy_id: args['media_buy_id'] };
    const ids = Array.isArray(args['media_buy_ids']) ? args['media_buy_ids'] : [];
    const known = ids.map((id: string) => ({
      media_buy_id: id,
      status: 'active',
      currency: 'USD',
      packages: [],
    }));
    return { media_buys: known };
  };
  return { json: JSON.stringify(answerOf()) };
}

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
  desk = await plainSeller(behave, {
    tools: ['list_accounts', 'sync_accounts', 'get_media_buy_delivery', 'update_media_buy'],
    takes: () => takes,
  });
  const input = { input: desk.agentUrl, slug: 'desk', token: 'common-token' };
  const added = await admin(instance, 'POST', '/v1/sellers/add', input);
  if (added['state'] !== 'live') throw new Error(JSON.stringify(added));
  novaId = await client('Nova', 'nova.example');
  orionId = await client('Orion', 'orion.example');
});
afterAll(async () => {
  await desk.close();
  await instance.stop();
  await folder.remove();
});

async function cli(
  secret: string,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly json: Json }> {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--json', '--data', folder.path], secret);
  if (stdout === '') throw new Error(stderr);
  return { code, json: JSON.parse(stdout) as Json };
}

const login = (secret: string, clientId: string): ReturnType<typeof cli> =>
  cli(secret, 'accounts', 'login', '--seller', 'desk', '--client', clientId);

async function client(name: string, domain: string): Promise<string> {
  const made = await admin(instance, 'POST', '/v1/clients', { name });
  const id = String(made['client_id']);
  await admin(instance, 'POST', '/v1/brands', { domain, client_id: id, name });
  return id;
}

async function products(
  domain: string,
): Promise<{ readonly ids: readonly string[]; readonly row: Json | undefined }> {
  const { body } = await callTask('REST', instance, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'everything',
    brand: { domain },
    account: { brand: { domain }, operator: 'agency.example' },
  });
  const ids = list(body['products']).map(({ product_id: id }) => String(id));
  const row = list(body['sellers']).find(({ seller }) => seller === 'desk');
  return { ids: ids.filter((id) => id.startsWith('desk:')), row };
}

async function buy(domain: string, productId: string): ReturnType<typeof callTask> {
  const part = { product_id: productId, pricing_option_id: 'cpm', budget: 100 };
  const account = { brand: { domain }, operator: 'agency.example' };
  return callTask('REST', instance, 'create_media_buy', buyRequest([part], { brand: { domain }, account }));
}

const tokensOf = (tool: string): readonly (string | undefined)[] =>
  [...new Set(asked.filter((call) => call.tool === tool).map(({ token }) => token))].toSorted();

describe('the own login of a client at a seller', () => {
  it('is refused with nothing changed where the seller does not take it', async () => {
    const refused = await login('a-wrong-token', novaId);
    expect([refused.code, list(refused.json['errors'])[0]?.['code']]).toEqual([1, 'CONFLICT']);
    expect(await admin(instance, 'GET', '/v1/sellers/desk/logins')).toEqual({ logins: [] });
    asked.length = 0;
    expect((await products('nova.example')).ids).toEqual(['desk:p1']);
    expect(tokensOf('get_products')).toEqual(['common-token']);
  });

  it('shows its products to this client alone, and each question is sent once', async () => {
    expect(await login('nova-token', novaId)).toMatchObject({
      code: 0,
      json: { seller: 'desk', client_id: novaId },
    });
    asked.length = 0;
    expect((await products('nova.example')).ids.toSorted()).toEqual(['desk:p-nova', 'desk:p1']);
    expect(asked.filter(({ tool }) => tool === 'get_products').map(({ token }) => token)).toEqual([
      'nova-token',
    ]);
    expect((await products('orion.example')).ids).toEqual(['desk:p1']);
    expect(tokensOf('get_products')).toEqual(['common-token', 'nova-token']);
  });

  it('buys what only it is shown, and nobody else can buy that with a quote of this client', async () => {
    await products('nova.example');
    asked.length = 0;
    const bought = await buy('nova.example', 'desk:p-nova');
    expect([bought.errors, tokensOf('create_media_buy')]).toEqual([[], ['nova-token']]);
    const before = buys;
    const refused = await buy('orion.example', 'desk:p-nova');
    expect([refused.errors[0]?.code, buys]).toEqual(['PRODUCT_NOT_FOUND', before]);
  });

  it('stays that of a buy for every later call about it', async () => {
    const bought = await buy('nova.example', 'desk:p1');
    const id = String(bought.body['media_buy_id']);
    asked.length = 0;
    await callTask('REST', instance, 'get_media_buys', { adcp_version: '3.1', media_buy_ids: [id] });
    await callTask('REST', instance, 'get_media_buy_delivery', { adcp_version: '3.1', media_buy_ids: [id] });
    const changed = await callTask('REST', instance, 'update_media_buy', {
      adcp_version: '3.1',
      idempotency_key: 'pause-a-buy-of-nova',
      media_buy_id: id,
      paused: true,
      account: { brand: { domain: 'nova.example' }, operator: 'agency.example' },
    });
    expect(changed.errors).toEqual([]);
    expect([...new Set(asked.map(({ tool, token }) => `${tool} ${String(token)}`))].toSorted()).toEqual([
      'get_media_buy_delivery nova-token',
      'get_media_buys nova-token',
      'update_media_buy nova-token',
    ]);
  });

  it('is rotated like every credential, and listed with its client', async () => {
    const listed = list(
      (await admin(instance, 'GET', '/v1/credentials?seller=desk&kind=bearer'))['credentials'],
    );
    const own = listed.find(({ client_id: id }) => id === novaId);
    const rotated = await cli('nova-token-2', 'credentials', 'rotate', String(own?.['credential_id']));
    expect(rotated).toMatchObject({ code: 0, json: { state: 'current', client_id: novaId } });
    asked.length = 0;
    await products('nova.example');
    expect(tokensOf('get_products')).toEqual(['nova-token-2']);
  });

  it('is not reached by another client through anything that is written into the database', async () => {
    await login('orion-token', orionId);
    const database = new pg.Client({ connectionString: ownerUrlOf(folder.path) });
    await database.connect();
    const logins = await database.query<{ client_id: string; credential_id: string }>(
      'select * from client_login',
    );
    const secretOf = (id: string): string | undefined =>
      logins.rows.find((row) => row.client_id === id)?.credential_id;
    const isCut = async (): Promise<void> => {
      asked.length = 0;
      const { ids, row } = await products('nova.example');
      expect([ids, row?.['code']]).toEqual([[], 'CREDENTIAL_UNAVAILABLE']);
      const refused = await buy('nova.example', 'desk:p1');
      expect(refused.errors.length).toBeGreaterThan(0);
      expect(asked.map(({ token }) => token)).not.toContain('orion-token');
    };
    // Nova is pointed at the secret of Orion.
    await database.query('update client_login set credential_id = $1 where client_id = $2', [
      secretOf(orionId),
      novaId,
    ]);
    await isCut();
    // The secret of Orion is said to be that of Nova as well.
    await database.query('update credential set client_id = $1 where credential_id = $2', [
      novaId,
      secretOf(orionId),
    ]);
    await isCut();
    // The sealed bytes of Orion are put into the row of Nova.
    await database.query('update client_login set credential_id = $1 where client_id = $2', [
      secretOf(novaId),
      novaId,
    ]);
    await database.query('update credential set client_id = $1 where credential_id = $2', [
      orionId,
      secretOf(orionId),
    ]);
    await database.query(
      `update credential n set wrapped_key = o.wrapped_key, nonce = o.nonce, ciphertext = o.ciphertext, tag = o.tag,
         commitment = o.commitment, kms_key_id = o.kms_key_id
       from credential o where n.credential_id = $1 and o.credential_id = $2`,
      [secretOf(novaId), secretOf(orionId)],
    );
    // A process that has opened the secret of Nova a moment ago may still hold it, and no other one.
    asked.length = 0;
    await products('nova.example');
    expect(asked.map(({ token }) => token)).not.toContain('orion-token');
    await database.end();
  });

  it('ends with its secret, and the client uses the login of the seller again', async () => {
    expect(await cli('', 'accounts', 'logout', '--seller', 'desk', '--client', novaId)).toMatchObject({
      code: 0,
    });
    asked.length = 0;
    expect((await products('nova.example')).ids).toEqual(['desk:p1']);
    expect(tokensOf('get_products')).toEqual(['common-token']);
    const listed = list(
      (await admin(instance, 'GET', '/v1/credentials?seller=desk&kind=bearer'))['credentials'],
    );
    expect(listed.filter(({ client_id: id }) => id === novaId)).toEqual([]);
  });
});

describe('an account that is declared at a seller', () => {
  it('is tried first, sent once by another person, and can then be used', async () => {
    const own = list((await admin(instance, 'GET', '/v1/organizations'))['organizations'])[0];
    const store = openStore(ownerUrlOf(folder.path));
    const permissions = { sellers: ['read', 'write', 'approve'] } as const;
    // Somebody that the first person has not made, and cannot act as.
    const made = await createPrincipal(store, String(own?.['organization_id']), {
      kind: 'person',
      permissions,
    });
    const colleague = ['--url', instance.url, '--token', await createToken(store, made)];
    await store.close();
    asked.length = 0;
    const options = ['--seller', 'desk', '--brand', 'nova.example', '--billing', 'agent'];
    const waiting = await cli('', 'accounts', 'declare', ...options);
    const id = String(waiting.json['declaration_id']);
    expect(waiting).toMatchObject({
      code: 0,
      json: { state: 'waiting', preview: { effect: 'created', status: 'pending_approval', is_trial: true } },
    });
    const approve = (...by: readonly string[]): ReturnType<typeof runSwitchyard> =>
      runSwitchyard(['accounts', 'approve', id, '--json', ...by]);
    const alone = await approve('--data', folder.path);
    expect([alone.code, alone.stdout]).toEqual([1, expect.stringContaining('INSUFFICIENT_PERMISSIONS')]);
    const sent = JSON.parse((await approve(...colleague)).stdout) as Json;
    expect(sent).toMatchObject({
      state: 'sent',
      decided_by: expect.any(String),
      outcome: { effect: 'created', account_id: 'acc-opened', status: 'active', is_trial: false },
    });
    const calls = asked.filter(({ tool }) => tool === 'sync_accounts').map(({ args }) => args);
    expect(calls.map((args) => args['dry_run'])).toEqual([true, undefined]);
    expect(calls[1]).toMatchObject({
      idempotency_key: id,
      accounts: [{ brand: { domain: 'nova.example' }, billing: 'agent' }],
    });
    expect((await approve(...colleague)).stdout).toContain('CONFLICT');
    expect(
      await cli('', 'accounts', 'use', '--seller', 'desk', '--client', novaId, '--account', 'acc-opened'),
    ).toMatchObject({ code: 0 });
  });
});
