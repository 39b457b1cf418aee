import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../json.js';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { startReceiver, type Receiver } from '../testkit/receiver.js';
import { buyRequest } from '../testkit/requests.js';

/** The publisher's domain and its desk behind OAuth, a seller that drifts, and agents that take back and change. */
const dataDir = mkdtempSync(join(tmpdir(), 'desk-'));
let sandbox: Sandbox;
let receiver: Receiver;

const start = (): Promise<Sandbox> =>
  startSandbox({
    port: 0,
    dataDir,
    seed: 'desk',
    dayMs: 40,
    scale: 0,
    agents: ['desk', 'malformed', 'drifting', 'voices', 'lists'],
  });

beforeAll(async () => {
  sandbox = await start();
  receiver = await startReceiver();
});
afterAll(async () => {
  await sandbox.stop();
  await receiver.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function publisher(): NonNullable<Sandbox['publisher']> {
  if (sandbox.publisher === undefined) throw new Error('no publisher');
  return sandbox.publisher;
}
const agent = (slug: string): Sandbox['agents'][number] => {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (found === undefined) throw new Error(`no agent ${slug}`);
  return found;
};
const originOf = (url: string): string => new URL(url).origin;

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

async function tokens(form: Readonly<Record<string, string>>, client?: string): Promise<Tokens> {
  const { agent_url: resource } = publisher().desk;
  const answer = await fetch(`${originOf(resource)}/token`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(client === undefined ? {} : { authorization: `Basic ${btoa(client)}` }),
    },
    body: new URLSearchParams({ resource, ...form }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Tokens;
}

/** Registers a client, presses the button of the consent, and exchanges the code. */
async function consented(): Promise<Tokens & { readonly clientId: string }> {
  const { agent_url: resource } = publisher().desk;
  const origin = originOf(resource);
  const back = 'http://127.0.0.1:9/back';
  const registered = await fetch(`${origin}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [back],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: back, response_type: 'code', resource },
    ...{ scope: 'offline_access adcp:products', prompt: 'consent' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  });
  const jar = new Map<string, string>();
  let [url, method] = [new URL(`${origin}/auth?${String(asked)}`), 'GET'];
  for (let hop = 0; hop < 12 && url.origin === origin; hop += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await fetch(url, { method, redirect: 'manual', headers: { cookie } });
    for (const line of page.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    const to = page.headers.get('location');
    if (to === null) expect(await page.text()).toContain('<button>Allow</button>');
    method = to === null ? 'POST' : 'GET';
    if (to !== null) url = new URL(to, url);
  }
  const code = url.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: back, code_verifier: verifier };
  return { ...(await tokens({ ...form, client_id: clientId })), clientId };
}

describe('the domain of the publisher', () => {
  it('names its own desk in both documents, the network for the rest, and one whose time is over', async () => {
    const read = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
      (await (await fetch(`http://${publisher().domain}/.well-known/${path}`)).json()) as Readonly<
        Record<string, unknown>
      >;
    const desk = publisher().desk.agent_url;
    expect(await read('adagents.json')).toMatchObject({
      authorized_agents: [
        { url: desk, delegation_type: 'direct', exclusive: true },
        { url: agent('malformed').agent_url },
        { url: 'https://agent.remnant.example/mcp', effective_until: expect.stringMatching(/^2024/) },
      ],
    });
    expect(await read('brand.json')).toMatchObject({ agents: [{ type: 'sales', url: desk }] });
  });
});

describe('the desk', () => {
  const asked = { buying_mode: 'brief', brief: 'news' };

  it('lets nobody in without a token of its authorization server, which its metadata name', async () => {
    const { agent_url: url, token } = publisher().desk;
    const post = (given?: string): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: given === undefined ? {} : { authorization: `Bearer ${given}` },
      });
    for (const answer of [await post(), await post(token), await post('made-up')]) {
      const [, metadata = ''] =
        /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
      expect(answer.status).toBe(401);
      expect(await (await fetch(metadata)).json()).toMatchObject({
        resource: url,
        authorization_servers: [originOf(url)],
      });
    }
  });

  it('sells to the client that its desk knows, in an account that it names', async () => {
    const { desk } = publisher();
    const { access_token: token } = await tokens(
      { grant_type: 'client_credentials' },
      `${desk.client_id ?? ''}:${encodeURIComponent(desk.token)}`,
    );
    const known = { ...desk, token };
    const { body } = await callAgent(known, 'list_accounts', {});
    expect(body['accounts']).toMatchObject([{ account_id: 'acc_harvest' }, { account_id: 'acc_summit' }]);
    const request = await buyRequest(known);
    const code = async (account: JsonObject): Promise<unknown> =>
      (await callAgent(known, 'create_media_buy', { ...request, account })).body['errors'];
    expect(await code({ account_id: 'acc_nobody' })).toMatchObject([{ code: 'ACCOUNT_NOT_FOUND' }]);
    expect(await code({ brand: { domain: 'a.example' } })).toMatchObject([{ code: 'ACCOUNT_REQUIRED' }]);
    const account = { account_id: 'acc_harvest' };
    const bought = await callAgent(known, 'create_media_buy', { ...request, account });
    expect(bought.body['media_buy_id']).toMatch(/^mb_/);
  });

  it('keeps its clients, grants and tokens over a restart', async () => {
    const given = await consented();
    await sandbox.stop();
    sandbox = await start();
    const { desk } = publisher();
    // Connections that were kept open to the one before are found closed, one by one.
    const touch = () => fetch(desk.brand_json_url).then((answer) => answer.text());
    for (let time = 0; time < 10; time += 1) await touch().catch(() => undefined);
    const read = await callAgent({ ...desk, token: given.access_token }, 'get_products', asked);
    expect(read.isError).toBe(false);
    const form = { grant_type: 'refresh_token', refresh_token: given.refresh_token ?? '' };
    const next = await tokens({ ...form, client_id: given.clientId });
    expect(next.access_token).not.toBe(given.access_token);
    await expect(tokens({ ...form, client_id: given.clientId })).rejects.toThrow('invalid_grant');
  });
});

describe('the seller that drifts', () => {
  it('signs webhooks when it is first read, and no more some time later', async () => {
    const read = async (): Promise<unknown> =>
      (await callAgent(agent('drifting'), 'get_adcp_capabilities', {})).body['webhook_signing'];
    expect([await read(), await read()]).toMatchObject([{ supported: true }, { supported: false }]);
  });
});

describe('an agent that decides', () => {
  it.each([
    ['voices', 'rights', '/revoke', { rights_id: 'grant-17' }],
    ['lists', 'governance', '/change', { list_id: 'safe' }],
  ])(
    '%s is named for %s by its brand.json, and sends a signed event on demand',
    async (slug, type, path, what) => {
      const { agent_url: url, brand_json_url: brand } = agent(slug);
      expect(await (await fetch(brand)).json()).toMatchObject({ agents: [{ type, url }] });
      const post = (body: object): Promise<Response> =>
        fetch(`${originOf(url)}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      expect((await post(what)).status).toBe(400);
      const sent = await post({ events_url: `${receiver.url}/${slug}`, ...what });
      expect(sent.status).toBe(200);
      const isOurs = ({ url: at }: { readonly url: string }): boolean => at.endsWith(`/${slug}`);
      await receiver.until((posts) => posts.some(isOurs));
      const received = receiver.posts.find(isOurs);
      const headers = new Map(received?.headers.map(([name, value]) => [name.toLowerCase(), value]));
      expect(headers.get('signature-input')).toContain('keyid=');
      expect(received?.body).toMatchObject(what);
    },
  );
});
