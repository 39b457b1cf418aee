import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { oauthKit } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { callTask, type TaskResponse } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { send } from './harness/http-answer.js';
import type { Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { openOrganization } from './harness/shared-instance.js';

const folder = dataFolder();
let instance: Instance;
let catalogue: Catalogue;
let kit: ReturnType<typeof oauthKit>;

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt', 'human'], 'paused');
  catalogue = await Catalogue.read(instance);
  kit = oauthKit({ url: instance.url, admin: { authorization: `Bearer ${instance.token}` } });
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

/** A program that the operator, who may do everything, lets in with these scopes and this limit. */
async function program(
  scope: string,
  limit?: Readonly<Record<string, string>>,
  client?: string,
): Promise<string> {
  const fill = (form: URLSearchParams): void => {
    for (const [name, value] of Object.entries(limit ?? {})) form.set(`limit_${name}`, value);
  };
  const known = client === undefined ? {} : { client };
  return (await kit.tokensOf(await kit.requestCode(instance.token, { scope }, { fill, ...known })))
    .access_token;
}

const buy = (token: string, budget: number): Promise<TaskResponse> =>
  callTask(
    'REST',
    { url: instance.url, token, timeoutMs: 60_000 },
    'create_media_buy',
    buyRequest([catalogue.packageOf('prompt', { budget })]),
  );

async function ask(token: string, method: string, path: string, body?: Json) {
  const { status, text } = await send({ url: instance.url, token }, method, path, body);
  return { status, body: JSON.parse(text) as Json };
}

const person = {
  status: 403,
  body: { code: 'PERSON_REQUIRED', detail: expect.stringContaining('A person') },
};

describe('a program with the scopes that it asked for, in the name of a person who may do everything', () => {
  it('removes no limit, buys no more than its person has said, and removes no seller', async () => {
    const set = await admin(instance, 'POST', '/v1/limits', {
      for: 'organization',
      amount: '50000',
      currency: 'USD',
    });
    const token = await program('read write', { amount: '1500', currency: 'USD', per: 'month' });
    expect(await ask(token, 'DELETE', `/v1/limits/${String(set['limit_id'])}`)).toMatchObject(person);
    const over = await buy(token, 40_000);
    expect(over.errors).toMatchObject([
      {
        code: 'BUDGET_EXCEEDED',
        details: { limits: ['program'], left: [{ left: '1500', currency: 'USD' }] },
      },
    ]);
    expect(await ask(token, 'DELETE', '/v1/sellers/human')).toMatchObject(person);
    expect(list((await admin(instance, 'GET', '/v1/limits'))['limits'])).toHaveLength(2);
    expect((await admin(instance, 'GET', '/v1/sellers/human'))['state']).toBe('live');
  });

  it('buys within its limit until that is used up, and its person buys on', async () => {
    const client = await kit.clientId();
    const token = await program('read write', { amount: '1500', currency: 'USD', per: 'all' }, client);
    expect((await buy(token, 1000)).errors).toEqual([]);
    expect((await buy(token, 600)).errors).toMatchObject([{ code: 'BUDGET_EXCEEDED' }]);
    expect((await buy(instance.token, 600)).errors).toEqual([]);
    const shown = await ask(token, 'GET', '/v1/me');
    const own = { committed: '1000', pending: '0', left: '500', above: 'refuse', per: null };
    const name = `program:${String(shown.body['principal_id'])}:${client}`;
    expect(shown.body).toMatchObject({ program: { client_id: client }, limits: [{ for: name, ...own }] });
    const all = list((await admin(instance, 'GET', '/v1/limits'))['limits']);
    expect(all.find((limit) => limit['for'] === name)).toMatchObject(own);
  });

  it('previews a buy with its own limit', async () => {
    const token = await program('read write', { amount: '1500', currency: 'USD', per: 'month' });
    // More than twice the limit: a flight that ends in another month has only a part of it in each.
    const request = buyRequest([catalogue.packageOf('prompt', { budget: 4000 })]);
    const { body } = await ask(token, 'POST', '/v1/buys/dry-run', request);
    expect(body).toMatchObject({ outcome: 'refused', problems: [{ code: 'BUDGET_EXCEEDED' }] });
  });

  it('gets a higher limit only from its person, at a new consent, and nobody sets or removes it otherwise', async () => {
    const client = await kit.clientId();
    const first = await program('read write', { amount: '500', currency: 'USD' }, client);
    expect((await buy(first, 2000)).errors).toMatchObject([{ code: 'BUDGET_EXCEEDED' }]);
    const limits = list((await admin(instance, 'GET', '/v1/limits'))['limits']);
    const limit = limits.find((item) => String(item['for']).endsWith(client));
    const path = `/v1/limits/${String(limit?.['limit_id'])}`;
    expect(await ask(instance.token, 'DELETE', path)).toMatchObject({ status: 409 });
    const raise = { for: String(limit?.['for']), amount: '9000', currency: 'USD' };
    expect(await ask(instance.token, 'POST', '/v1/limits', raise)).toMatchObject({ status: 409 });
    await program('read write', { amount: '1500', currency: 'USD' }, client);
    // The program is the same: its earlier token has the new limit as well.
    expect((await buy(first, 1000)).errors).toEqual([]);
    const audit = list((await admin(instance, 'GET', '/v1/audit?action=allow_program'))['events']);
    expect(audit[0]).toMatchObject({ action: 'allow_program', detail: { limit: '1500 USD per month' } });
  });

  it('without buys:write buys nothing', async () => {
    const token = await program('buys:read market:read creatives:write');
    expect((await buy(token, 1000)).errors).toMatchObject([{ code: 'PERMISSION_DENIED' }]);
  });
});
