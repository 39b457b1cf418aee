import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { list, type Json } from './harness/buy-request.js';
import { callTask, type TaskResponse } from './harness/call-task.js';
import { plainProduct, plainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { admin } from './harness/own-everything.js';
import { waitUntil } from './harness/wait-until.js';
import { sharedRelayStage, type RelayStage } from './relay/relay-stage.js';
import { madeBuy } from './relay/seller-answer.js';
import { send } from './harness/http-answer.js';

let stage: RelayStage;
beforeAll(async () => {
  stage = await sharedRelayStage({ paper: { protocol: 'mcp' }, post: { protocol: 'a2a' } });
  for (const slug of ['paper', 'post'])
    stage.seller(slug).says('create_media_buy', (args) => madeBuy(`sb_${randomUUID()}`, args));
  await market();
});
afterAll(() => stage.close());

const task = (name: string, args: Json): Promise<TaskResponse> =>
  callTask('REST', stage.instance(), name, { adcp_version: '3.1', ...args });
const market = async (): Promise<readonly Json[]> => {
  const requested = { buying_mode: 'brief', brief: randomUUID(), brand: { domain: 'b.example' } };
  return list((await task('get_products', requested)).body['sellers']);
};
const buy = (slug: string): Promise<TaskResponse> =>
  task('create_media_buy', {
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
    brand: { domain: 'roaster.example' },
    start_time: 'asap',
    end_time: '2099-01-01T00:00:00Z',
    packages: [{ product_id: `${slug}:p1`, pricing_option_id: 'cpm', budget: 100 }],
  });
const change = (mediaBuyId: unknown, what: Json): Promise<TaskResponse> =>
  task('update_media_buy', {
    idempotency_key: randomUUID(),
    account: { brand: { domain: 'roaster.example' }, operator: 'localhost' },
    media_buy_id: mediaBuyId,
    ...what,
  });
const sellers = (...args: string[]): Promise<Json> => stage.cli<Json>('sellers', ...args);
const refused = async (...args: string[]): Promise<string> =>
  (await runSwitchyard([...args, '--json', '--data', stage.folder.path])).stdout;
const callsOf = (slug: string, tool: string): number =>
  stage.seller(slug).received.filter((call) => call.tool === tool).length;

describe('a test of a seller', () => {
  it('reports step by step what passes and what fails, and changes nothing', async () => {
    const before = await sellers('show', 'paper');
    expect(await sellers('test', 'paper')).toMatchObject({ slug: 'paper', ok: true });
    const gone = await stage.cli<Json[]>('credentials', 'list');
    const id = String(
      gone.find((row) => row['seller'] === 'post' && row['kind'] === 'bearer')?.['credential_id'],
    );
    await stage.cli('credentials', 'revoke', id);
    const tested = JSON.parse(await refused('sellers', 'test', 'post')) as Json;
    expect(list(tested['steps']).map(({ step, result }) => [step, result])).toEqual([
      ['address', 'held'],
      ['credential', 'failed'],
      ['transport', 'not_tried'],
      ['authentication', 'not_tried'],
      ['capabilities', 'not_tried'],
      ['webhooks', 'not_tried'],
    ]);
    expect((await sellers('show', 'post'))['state']).toBe('live');
    // Uses of the credential and figures of the last thirty days change by themselves.
    const stays = (seller: Json): Json => ({ ...seller, credential: undefined, figures: undefined });
    expect(stays(await sellers('show', 'paper'))).toEqual(stays(before));
  });
});

describe('a seller with a live buy', () => {
  let mediaBuyId: unknown;

  it('is suspended: reads and new buys leave it out, and its buy can be paused and not resumed', async () => {
    const made = await buy('paper');
    mediaBuyId = made.body['media_buy_id'];
    expect(typeof mediaBuyId).toBe('string');
    const suspended = await sellers('suspend', 'paper', '--reason', 'It books twice.');
    expect(suspended).toMatchObject({
      state: 'suspended',
      reason: 'It books twice.',
      live_buys: { count: 1, media_buy_ids: [mediaBuyId] },
    });
    const rows = await market();
    expect(rows.find((row) => row['seller'] === 'paper')).toMatchObject({
      status: 'skipped',
      code: 'SUSPENDED',
      reason: expect.stringContaining('suspended'),
    });
    const before = callsOf('paper', 'create_media_buy');
    expect((await buy('paper')).errors.length).toBeGreaterThan(0);
    expect(callsOf('paper', 'create_media_buy')).toBe(before);
    expect((await change(mediaBuyId, { paused: true })).errors).toEqual([]);
    expect(callsOf('paper', 'update_media_buy')).toBe(1);
    const resumed = await change(mediaBuyId, { paused: false });
    expect(resumed.errors[0]).toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('suspended'),
    });
    expect(callsOf('paper', 'update_media_buy')).toBe(1);
    const reads = callsOf('paper', 'get_media_buys');
    await task('get_media_buys', {});
    await waitUntil('its buys are looked at', () =>
      callsOf('paper', 'get_media_buys') > reads ? true : undefined,
    );
  });

  it('stays suspended when it is edited, and returns to its earlier state when it is resumed', async () => {
    expect(await sellers('show', 'paper')).toMatchObject({ state: 'suspended' });
    await refused('sellers', 'edit', 'paper', '--name', 'The Paper', '--account', 'acct-1');
    expect(await sellers('show', 'paper')).toMatchObject({ state: 'suspended', name: 'The Paper' });
    expect(await sellers('resume', 'paper')).toMatchObject({ state: 'live', name: 'The Paper' });
    expect(await refused('sellers', 'resume', 'paper')).toContain('CONFLICT');
    expect((await buy('paper')).errors).toEqual([]);
  });

  it('does not send its secret to another origin after an edit', async () => {
    expect(await refused('sellers', 'edit', 'paper', '--agent-url', 'http://127.0.0.1:1/mcp')).toContain(
      'CREDENTIAL_REQUIRED',
    );
    expect(await sellers('show', 'paper')).toMatchObject({ state: 'live' });
  });

  it('is not removed while buys are live, and drained is removed after the last of them; history names it', async () => {
    const no = await refused('sellers', 'remove', 'paper');
    const named = ['CONFLICT', String(mediaBuyId), 'switchyard sellers remove paper --drain'];
    expect(named.filter((text) => !no.includes(text))).toEqual([]);
    expect(await sellers('remove', 'paper', '--drain')).toMatchObject({
      state: 'suspended',
      draining: true,
      live_buys: { count: 2 },
    });
    const { live_buys: running } = (await sellers('show', 'paper')) as {
      live_buys: { media_buy_ids: string[] };
    };
    stage.seller('paper').says('update_media_buy', (args) => ({
      media_buy_id: args['media_buy_id'],
      media_buy_status: 'canceled',
      revision: 3,
      affected_packages: [],
    }));
    for (const id of running.media_buy_ids) expect((await change(id, { canceled: true })).errors).toEqual([]);
    const removed = await waitUntil('it is removed', async () => {
      const row = await admin(stage.instance(), 'GET', '/v1/sellers/paper');
      return row['state'] === 'removed' ? row : undefined;
    });
    expect([removed['credential_id'], removed['live_buys']]).toEqual([
      undefined,
      { count: 0, media_buy_ids: [] },
    ]);
    const listed = await stage.cli<Json[]>('sellers', 'list');
    expect(listed.map(({ slug }) => slug)).toEqual(['post']);
    expect((await market()).map((row) => row['seller'])).toEqual(['post']);
    const live = await stage.database.rows<{ kind: string }>(
      `select kind from credential where seller = 'paper' and kind <> 'evidence' and retired_at is null`,
    );
    expect(live).toEqual([]);
    expect(JSON.stringify(await stage.cli('buys', 'show', String(mediaBuyId)))).toContain('paper');
  });

  it('reserves its slug, and may be added again under it', async () => {
    const { agentUrl, token } = stage.seller('paper');
    const row = { slug: 'paper', protocol: 'mcp', dialect: 'adcp', token };
    const add = async (agent_url: string): Promise<string> =>
      (await send(stage.instance(), 'POST', '/v1/sellers', { ...row, agent_url })).text;
    expect(await add(stage.seller('post').agentUrl)).toContain('CONFLICT');
    expect(await add(agentUrl)).toContain('"live"');
  });
});

describe('a credential', () => {
  it('stays valid beside the next one for the given time, and shows its last refusal by the seller', async () => {
    const credentials = async (): Promise<readonly Json[]> =>
      (await stage.cli<Json[]>('credentials', 'list')).filter(
        ({ kind, seller }) => kind === 'bearer' && seller === 'paper',
      );
    const id = String((await credentials())[0]?.['credential_id']);
    const { stdout } = await runSwitchyard(
      ['credentials', 'rotate', id, '--overlap', '15', '--json', '--data', stage.folder.path],
      'another-token',
    );
    expect(JSON.parse(stdout)).toMatchObject({ version: 2 });
    const both = await credentials();
    expect(both.map(({ version, retires_at: at }) => [version, at === undefined])).toEqual([
      [1, false],
      [2, true],
    ]);
    await waitUntil('the old one is revoked by itself', async () =>
      (await credentials()).length === 1 ? true : undefined,
    );
  });

  it('shows the last refusal by its seller until the seller accepts it again', async () => {
    const seller = await plainSeller((tool) => ({
      json: JSON.stringify(
        tool === 'get_products' ? { status: 'completed', products: [plainProduct] } : { media_buys: [] },
      ),
    }));
    const row = {
      slug: 'plain',
      agent_url: seller.agentUrl,
      protocol: 'mcp',
      dialect: 'adcp',
      token: 'a-token',
    };
    await send(stage.instance(), 'POST', '/v1/sellers', row);
    seller.refuseCredentials();
    const tested = JSON.parse(await refused('sellers', 'test', 'plain')) as Json;
    expect(list(tested['steps'])).toContainEqual(
      expect.objectContaining({ step: 'authentication', result: 'failed', code: 'unauthorized' }),
    );
    const error = async (): Promise<unknown> =>
      ((await sellers('show', 'plain'))['credential'] as Json | undefined)?.['last_error'];
    expect(
      await waitUntil('the refusal is kept', async () => (await error()) as Json | undefined),
    ).toMatchObject({ code: 'http_401' });
    seller.refuseCredentials(false);
    expect(await sellers('test', 'plain')).toMatchObject({ ok: true });
    await waitUntil('it is cleared', async () => ((await error()) === undefined ? true : undefined));
    await seller.close();
  });
});
