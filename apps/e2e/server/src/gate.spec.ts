import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { createPrincipal, createToken, startServer } from '@switchyard/testing';
import { list, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import type { Instance } from './harness/instance.js';
import { send } from './harness/http-answer.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { openOrganization } from './harness/shared-instance.js';

/** How a seller gets from a publisher's domain through the gate, on the built product. */
const folder = dataFolder();
let instance: Instance;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  instance = await openOrganization(folder.path, ['prompt']);
});
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await instance.stop();
  await folder.remove();
});

const offers = (): { readonly json: string } => ({
  json: JSON.stringify({ status: 'completed', products: [plainProduct] }),
});
const garbage = (): { readonly json: string } => ({ json: '{"status":"completed","stuff":[1,2,3]}' });

async function seller(behave = offers): Promise<PlainSeller> {
  const made = await plainSeller((tool) =>
    tool === 'get_products' ? behave() : { json: '{"media_buys":[]}' },
  );
  closers.push(() => made.close());
  return made;
}

/** A publisher's domain with documents by path. */
async function publisher(documents: Readonly<Record<string, Json>>): Promise<{ readonly domain: string }> {
  const server = await startServer((request, response) => {
    const document = documents[request.url ?? ''];
    if (document === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  });
  closers.push(() => server.close());
  return { domain: `127.0.0.1:${String(server.port)}` };
}

async function sellers(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly json: Json }> {
  const { code, stdout } = await runSwitchyard(['sellers', ...args, '--json', '--data', folder.path]);
  return { code, json: JSON.parse(stdout) as Json };
}

const stateOf = (json: Json, key: string): unknown =>
  list(json['checks']).find((check) => check['key'] === key)?.['state'];
const listed = async (): Promise<readonly unknown[]> =>
  list((await admin(instance, 'GET', '/v1/sellers'))['sellers']).map(({ slug }) => slug);

describe('a publisher on loopback', () => {
  it('is asked for its agent, which is then added from the domain alone and goes live', async () => {
    const { agentUrl } = await seller();
    const agents = [{ url: agentUrl, authorized_for: 'all', delegation_type: 'direct' }];
    const { domain } = await publisher({
      '/.well-known/adagents.json': { authorized_agents: agents },
      '/.well-known/brand.json': { agents: [{ type: 'sales', id: 's', url: agentUrl }] },
    });
    const found = await sellers('find', domain);
    expect([found.code, found.json]).toMatchObject([
      0,
      { candidates: [{ agent_url: agentUrl, kinds: ['sales'], agrees: 'both' }], not_offered: [] },
    ]);
    expect(await listed()).toEqual(['prompt']);
    const added = await sellers('add', domain, '--slug', 'news');
    expect([added.code, added.json]).toMatchObject([0, { slug: 'news', state: 'live' }]);
    expect(
      ['source', 'reach.mcp', 'capabilities', 'read.mcp', 'live'].map((key) => stateOf(added.json, key)),
    ).toEqual(Array(5).fill('passed'));
    expect(await listed()).toContain('news');
  });

  it('whose agent is connected already is connected once more only where a person says so', async () => {
    const { agentUrl } = await seller();
    expect((await sellers('add', agentUrl, '--slug', 'first')).code).toBe(0);
    const { domain } = await publisher({
      '/.well-known/adagents.json': { authorized_agents: [{ url: `${agentUrl}/` }] },
    });
    expect((await sellers('find', domain)).json).toMatchObject({
      candidates: [
        {
          problems: [
            { code: 'already_in', why: expect.stringContaining('as first') as unknown },
            { code: 'no_selector' },
          ],
        },
      ],
    });
    const asked = await sellers('add', agentUrl, '--slug', 'second');
    expect([asked.code, asked.json]).toMatchObject([
      6,
      { state: 'needs_person', checks: [{ key: 'source', state: 'needs_person', code: 'already_in' }] },
    ]);
    expect((await sellers('drafts')).json).toEqual({ drafts: [] });
    const again = await sellers('add', agentUrl, '--slug', 'second', '--yes');
    expect([again.code, again.json['state']]).toEqual([0, 'live']);
    // One that is named by its own slug goes on.
    expect((await sellers('add', agentUrl, '--slug', 'first')).code).toBe(0);
    const { ran_at: ranAt, nightly } = (await sellers('checks', 'first')).json;
    expect([typeof ranAt, nightly]).toEqual(['string', undefined]);
  });

  it('is not called with a token that no header carries: a bad copy is refused before it is sealed', async () => {
    const { agentUrl, calls } = await seller();
    const body = { input: agentUrl, token: 'abc\nxyzzy' };
    const { status, text } = await send(instance, 'POST', '/v1/sellers/add', body);
    expect([status, JSON.parse(text)]).toMatchObject([422, { error: { field: 'token' } }]);
    expect(text).not.toContain('xyzzy');
    expect(calls).toEqual([]);
  });

  it('without documents has no candidate, and the command says what to do and exits 4', async () => {
    const { domain } = await publisher({});
    const { code, json } = await sellers('find', domain);
    expect([code, json]).toMatchObject([
      4,
      { candidates: [], documents: [{ state: 'missing' }, { state: 'missing' }] },
    ]);
    expect(json['advice']).toContain('/.well-known/adagents.json');
  });

  it('that names two agents leaves the choice to a person', async () => {
    const [one, other] = [await seller(), await seller()];
    const { domain } = await publisher({
      '/.well-known/adagents.json': { authorized_agents: [{ url: one.agentUrl }, { url: other.agentUrl }] },
    });
    const asked = await sellers('add', domain, '--slug', 'two');
    expect([asked.code, asked.json['state'], stateOf(asked.json, 'source')]).toEqual([
      6,
      'needs_person',
      'needs_person',
    ]);
    const added = await sellers('add', domain, '--slug', 'two', '--candidate', other.agentUrl);
    expect([added.code, added.json['state']]).toEqual([0, 'live']);
    expect((await admin(instance, 'GET', '/v1/sellers/two'))['agent_url']).toBe(other.agentUrl);
  });
});

describe('a domain that names another agent than before', () => {
  it('never moves the seller that was added from it, unless its slug is given', async () => {
    const [before, after] = [await seller(), await seller()];
    const documents: Record<string, Json> = {
      '/.well-known/adagents.json': { authorized_agents: [{ url: before.agentUrl }] },
    };
    const { domain } = await publisher(documents);
    const added = await sellers('add', domain);
    const slug = String(added.json['slug']);
    expect([added.code, slug]).toEqual([0, domain.replace('127.0.0.1:', 'seller-')]);
    documents['/.well-known/adagents.json'] = { authorized_agents: [{ url: after.agentUrl }] };
    const again = await runSwitchyard(['sellers', 'add', domain, '--json', '--data', folder.path]);
    expect([again.code, again.stdout + again.stderr]).toEqual([1, expect.stringContaining('CONFLICT')]);
    expect(await admin(instance, 'GET', `/v1/sellers/${slug}`)).toMatchObject({
      agent_url: before.agentUrl,
      state: 'live',
    });
  });
});

describe('a seller of garbage', () => {
  it('ends at its step as a draft that is in no list, with a report, and goes live once it is mended', async () => {
    const bad = await seller(garbage);
    const failed = await sellers('add', bad.agentUrl, '--slug', 'bad');
    expect([
      failed.code,
      failed.json['state'],
      stateOf(failed.json, 'read.mcp'),
      stateOf(failed.json, 'live'),
    ]).toEqual([1, 'failed', 'failed', 'waiting']);
    expect(await listed()).not.toContain('bad');
    const ended = list(failed.json['checks']).find(({ state }) => state === 'failed');
    expect(ended?.['next']).toContain('switchyard sellers report bad');
    const { json: report } = await sellers('report', 'bad');
    expect(report).toMatchObject({ seller: 'bad', findings: [{ grade: 'blocks', task: 'get_products' }] });
    expect(report['markdown']).toContain('What it costs');
    expect((await sellers('drafts')).json).toMatchObject({
      drafts: [{ slug: 'bad', agent_url: bad.agentUrl, state: 'failed' }],
    });
    bad.behave((tool) => (tool === 'get_products' ? offers() : { json: '{"media_buys":[]}' }));
    const mended = await sellers('add', bad.agentUrl, '--slug', 'bad');
    expect([mended.code, mended.json['state']]).toEqual([0, 'live']);
    expect((await sellers('drafts')).json).toEqual({ drafts: [] });
    // A test of a seller that is in runs the same checks, and changes nothing.
    const checked = (await sellers('checks', 'bad')).json;
    bad.behave((tool) => (tool === 'get_products' ? garbage() : { json: '{"media_buys":[]}' }));
    const tested = await sellers('test', 'bad');
    expect([tested.code, tested.json['ok'], stateOf(tested.json, 'read.mcp')]).toEqual([1, false, 'failed']);
    expect((await sellers('checks', 'bad')).json).toEqual(checked);
    await sellers('suspend', 'bad');
    expect((await sellers('resume', 'bad')).json).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('does not follow the protocol'),
    });
    bad.behave((tool) => (tool === 'get_products' ? offers() : { json: '{"media_buys":[]}' }));
    expect((await sellers('test', 'bad')).json).toMatchObject({ ok: true });
    expect((await sellers('add', bad.agentUrl, '--slug', 'bad')).json).toMatchObject({ state: 'live' });
  });

  it('is discarded with everything that was stored of it', async () => {
    const bad = await seller(garbage);
    await sellers('add', bad.agentUrl, '--slug', 'gone');
    expect(await sellers('discard', 'gone')).toMatchObject({
      code: 0,
      json: { slug: 'gone', discarded: true },
    });
    await expect(admin(instance, 'GET', '/v1/sellers/gone')).rejects.toThrow('404');
    expect((await sellers('discard', 'gone')).code).toBe(1);
  });
});

describe('a seller that wants a credential', () => {
  it('waits for a person, and goes on with the same slug', async () => {
    const closed = await seller();
    closed.refuseCredentials();
    const asked = await sellers('add', closed.agentUrl, '--slug', 'closed');
    expect([asked.code, asked.json['state'], stateOf(asked.json, 'authorise')]).toEqual([
      6,
      'needs_person',
      'needs_person',
    ]);
    const words = (key: string): unknown =>
      list(asked.json['checks']).find((check) => check['key'] === key)?.['words'];
    expect(words('reach.mcp')).toBe('It answers, and not without a credential (401).');
    // The hint is a command that can be copied.
    const next = list(asked.json['checks']).find(({ state }) => state === 'needs_person')?.['next'];
    expect(next).toContain(`switchyard sellers add ${closed.agentUrl} --slug closed --token-stdin`);
    closed.refuseCredentials(false);
    const added = await sellers('add', closed.agentUrl, '--slug', 'closed');
    expect([added.code, added.json['state']]).toEqual([0, 'live']);
  });
});

describe('a seller that forbids every call', () => {
  it('waits for a credential, and one that is broken says how it answered', async () => {
    let status = 403;
    const server = await startServer((_request, response) => response.writeHead(status).end('no'));
    const forbids = await sellers('add', `${server.url}/mcp`, '--slug', 'forbids');
    expect([forbids.code, stateOf(forbids.json, 'authorise')]).toEqual([6, 'needs_person']);
    status = 500;
    const breaks = await sellers('add', `${server.url}/mcp`, '--slug', 'breaks');
    await server.close();
    expect(breaks.code).toBe(1);
    expect(list(breaks.json['checks']).find(({ key }) => key === 'reach.a2a')).toMatchObject({
      state: 'failed',
      words: expect.stringContaining('The seller answered with an HTTP error (500).'),
    });
  });
});

describe('four eyes', () => {
  it('let a seller go live by another person alone', async () => {
    const { agentUrl } = await seller();
    const own = list((await admin(instance, 'GET', '/v1/organizations'))['organizations'])[0]?.[
      'organization_id'
    ];
    const store = openStore(ownerUrlOf(folder.path));
    const permissions = { sellers: ['read', 'write', 'approve'] } as const;
    const colleague = await createPrincipal(store, String(own), { kind: 'person', permissions });
    const token = await createToken(store, colleague);
    await store.close();
    const waiting = await sellers('add', agentUrl, '--slug', 'guarded');
    expect([waiting.code, waiting.json['state'], stateOf(waiting.json, 'approve')]).toEqual([
      0,
      'waiting',
      'waiting',
    ]);
    expect(await listed()).not.toContain('guarded');
    expect((await sellers('approve', 'guarded')).code).toBe(1);
    const by = ['--url', instance.url, '--token', token];
    const asked = async (): Promise<readonly unknown[]> =>
      list((await admin(instance, 'GET', '/v1/approvals?state=open'))['approvals']).map(
        (row) => row['approval_id'],
      );
    const [first] = await asked();
    // What is asked for is what was checked: another account is another request.
    await sellers('add', agentUrl, '--slug', 'guarded', '--account', 'another');
    expect(await asked()).not.toEqual([first]);
    const stale = await runSwitchyard(['approvals', 'approve', String(first), '--json', ...by]);
    expect([stale.code, stale.stdout]).toEqual([1, expect.stringContaining('has changed since')]);
    expect(await listed()).not.toContain('guarded');
    const approved = await runSwitchyard(['sellers', 'approve', 'guarded', '--json', ...by]);
    expect(JSON.parse(approved.stdout)).toMatchObject({ slug: 'guarded', state: 'live' });
    expect(await listed()).toContain('guarded');
  });
});
