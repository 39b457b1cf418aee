import { mkdtempSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority, type TestAuthority, type TestCertificate } from '@switchyard/testing';
import { list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';

/** A new secret that is wrong changes nothing, on the built product, while buyers go on asking. */
const folder = dataFolder();
let instance: Instance;
/** Whose certificates the instance and the sellers of it believe. */
let authority: TestAuthority;
const pems = mkdtempSync(join(tmpdir(), 'switchyard-pems-'));
let desk: PlainSeller;
let credentialId: string;
let tokens: readonly string[] = ['good-token-1'];

beforeAll(async () => {
  authority = makeAuthority();
  const file = join(pems, 'authority.pem');
  await writeFile(file, authority.cert);
  instance = await startInstance(folder.path, ['--market', 'prompt'], { NODE_EXTRA_CA_CERTS: file });
  desk = await plainSeller(
    (tool) => ({
      json: JSON.stringify(
        tool === 'get_products' ? { status: 'completed', products: [plainProduct] } : { media_buys: [] },
      ),
    }),
    { takes: () => tokens },
  );
  const input = { input: desk.agentUrl, slug: 'desk', token: 'good-token-1' };
  const added = await admin(instance, 'POST', '/v1/sellers/add', input);
  if (added['state'] !== 'live') throw new Error(JSON.stringify(added));
  credentialId = String((await admin(instance, 'GET', '/v1/sellers/desk'))['credential_id']);
});
afterAll(async () => {
  await desk.close();
  await instance.stop();
  await folder.remove();
  await rm(pems, { recursive: true });
});

async function ask(): Promise<string> {
  const { body } = await callTask('REST', instance, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'everything',
  });
  const row = list(body['sellers']).find(({ seller }) => seller === 'desk');
  return JSON.stringify([row?.['status'], row?.['code']]);
}

/** Asks the whole time while `work` runs, at least some times, and returns each answer that was none. */
async function whileAsking<T>(
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly failed: readonly string[] }> {
  let isOver = false;
  const answers: string[] = [];
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver || answers.length < 12) answers.push(await ask());
  });
  const done = await work();
  isOver = true;
  await Promise.all(asking);
  return { done, failed: answers.filter((answer) => answer !== '["answered",null]') };
}

async function rotate(secret: string): Promise<{ readonly code: number | null; readonly json: Json }> {
  const args = ['credentials', 'rotate', credentialId, '--json', '--data', folder.path];
  const { code, stdout } = await runSwitchyard(args, secret);
  return { code, json: JSON.parse(stdout) as Json };
}

const versions = async (): Promise<readonly Json[]> =>
  list((await admin(instance, 'GET', '/v1/credentials?seller=desk&kind=bearer'))['credentials']);
const states = async (): Promise<readonly string[]> =>
  (await versions()).map(({ version, state }) => `${String(version)} ${String(state)}`);

describe('the secret of a seller', () => {
  it('that is replaced by a wrong one stays in use, and no call fails meanwhile', async () => {
    const { done, failed } = await whileAsking(() => rotate('wrong-token'));
    expect([done.code, done.json['state'], done.json['seller_check']]).toMatchObject([
      1,
      'refused',
      { ok: false },
    ]);
    expect(failed).toEqual([]);
    expect(await states()).toEqual(['1 current']);
    expect(await ask()).toBe('["answered",null]');
  });

  it('is replaced by one that the seller takes, without a failed call, and the one before is there to go back to', async () => {
    tokens = ['good-token-1', 'good-token-2'];
    const { done, failed } = await whileAsking(() => rotate('good-token-2'));
    expect([done.code, done.json['state'], done.json['seller_check']]).toEqual([0, 'current', { ok: true }]);
    expect(failed).toEqual([]);
    expect(await states()).toEqual(['1 fallback', '3 current']);
    const back = await runSwitchyard([
      'credentials',
      'rollback',
      credentialId,
      '--json',
      '--data',
      folder.path,
    ]);
    expect([back.code, JSON.parse(back.stdout)]).toMatchObject([0, { version: 1, state: 'current' }]);
    expect(await states()).toEqual(['1 current', '3 fallback']);
    expect(await ask()).toBe('["answered",null]');
  });

  it('gives way to its fallback at the first refusal, which is an alarm and not a failed call', async () => {
    tokens = ['good-token-2'];
    const { failed } = await whileAsking(() =>
      waitUntil('the fallback is in use', async () => (await states()).join() === '3 current' || undefined),
    );
    expect(failed).toEqual([]);
    const alarms = list((await admin(instance, 'GET', '/v1/alarms?kind=credential_fell_back'))['alarms']);
    expect(alarms).toMatchObject([{ subject: credentialId, detail: { refused: 1, now: 3 } }]);
    const nothing = await runSwitchyard([
      'credentials',
      'rollback',
      credentialId,
      '--json',
      '--data',
      folder.path,
    ]);
    expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringContaining('CONFLICT')]);
  });

  it('is counted by version: its uses, and how often the seller refused it', async () => {
    await waitUntil(
      'calls are counted',
      async () => Number((await versions())[0]?.['uses']) > 0 || undefined,
    );
    expect(await versions()).toMatchObject([{ version: 3, refusals: 0 }]);
  });
});

describe('a seller that knows its callers by their certificate', () => {
  const pemOf = ({ cert, key }: TestCertificate): string => `${cert}\n${key}\n`;
  const issued = (...names: readonly string[]): string => pemOf(authority.issue({ names }));
  const cli = async (args: readonly string[], secret = ''): Promise<Json> => {
    const { stdout, stderr } = await runSwitchyard([...args, '--json', '--data', folder.path], secret);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Json;
  };

  it('asks for one, goes live with ours and none of another domain, and a certificate of a stranger changes nothing', async () => {
    const seller = await plainSeller(
      (tool) => ({
        json: JSON.stringify(
          tool === 'get_products' ? { status: 'completed', products: [plainProduct] } : { media_buys: [] },
        ),
      }),
      { tls: { ...authority.issue(), ca: authority.cert, requestCert: true, maxVersion: 'TLSv1.2' } },
    );
    const add = ['sellers', 'add', seller.agentUrl, '--slug', 'mutual'];
    const asked = await cli(add);
    expect(asked).toMatchObject({ state: 'needs_person' });
    expect(list(asked['checks']).find(({ key }) => key === 'authorise')).toMatchObject({
      code: 'certificate_wanted',
      next: expect.stringContaining('--certificate FILE'),
    });

    const file = join(pems, 'ours.pem');
    await writeFile(file, issued('another.example'));
    expect(list((await cli([...add, '--certificate', file]))['errors'])).toMatchObject([
      { code: 'INVALID_REQUEST', field: 'certificate', message: expect.stringContaining('agency.example') },
    ]);
    await writeFile(file, issued('agency.example'));
    const added = await cli([...add, '--certificate', file]);
    expect([added['state'], list(added['checks']).find(({ key }) => key === 'authorise')]).toMatchObject([
      'live',
      { state: 'passed', words: expect.stringContaining('agency.example') },
    ]);
    expect(JSON.stringify(added)).not.toContain('PRIVATE KEY');

    const current = async (): Promise<Json | undefined> =>
      list((await admin(instance, 'GET', '/v1/credentials?seller=mutual'))['credentials']).find(
        ({ kind, state }) => kind === 'client_cert' && state === 'current',
      );
    const first = await current();
    expect(first).toMatchObject({ version: 1, destination: new URL(seller.agentUrl).origin });
    expect(Date.parse(String(first?.['ends_at']))).toBeGreaterThan(Date.now() + 80 * 86_400_000);
    const rotate = ['credentials', 'rotate', String(first?.['credential_id'])];
    const stranger = pemOf(makeAuthority().issue({ names: ['agency.example'] }));
    expect(await cli(rotate, stranger)).toMatchObject({ state: 'refused', seller_check: { ok: false } });
    expect(await current()).toMatchObject({ version: 1 });
    expect(await cli(rotate, issued('agency.example'))).toMatchObject({ seller_check: { ok: true } });
    expect(await current()).toMatchObject({ version: 3 });
    const { body } = await callTask('REST', instance, 'get_products', {
      adcp_version: '3.1',
      buying_mode: 'brief',
      brief: 'everything',
    });
    expect(list(body['products']).map(({ product_id: id }) => id)).toContain('mutual:p1');
    await seller.close();
  });
});
