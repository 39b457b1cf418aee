import { request } from 'node:http';
import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, freePort, type TestDatabase } from '@switchyard/testing';
import { must, Secret } from '@switchyard/values';
import { openSwitchyard, type Switchyard } from './open-switchyard.js';

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'switchyard-profile-'));
const running: Switchyard[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
// All instances together would take more connections than the cluster has.
afterEach(async () => {
  for (const switchyard of running.splice(0)) await switchyard.close();
});
afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function optionsOf(env: Readonly<Record<string, string>>) {
  return {
    dataDir: folder,
    env: {
      DATABASE_URL: database.appUrl,
      DATABASE_OWNER_URL: database.ownerUrl,
      SWITCHYARD_LOG_LEVEL: 'silent',
      ...env,
    },
    port: await freePort(),
    portIsExplicit: true,
    version: '0.0.0',
    adminSecret: new Secret(Buffer.from('an admin secret of the suite of profiles')),
  };
}

/** The whole product on a loopback address, as the environment says, and a token of its operator. */
async function open(env: Readonly<Record<string, string>>) {
  const options = await optionsOf(env);
  const opened = must(await openSwitchyard(options));
  running.push(opened);
  const { profile } = opened;
  return { port: options.port, profile, token: await opened.issueToken() };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function call(
  port: number,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const json = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

/** Sends headers that announce a body, and no byte of it; the first line of what comes back. */
function bodiless(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n`,
      );
    });
    socket.on('error', reject);
    socket.once('data', (bytes) => {
      resolve(bytes.toString('latin1').split('\r\n')[0] ?? '');
      socket.destroy();
    });
  });
}

/** What is for practice alone, asked of an instance. */
async function practice(port: number, token: string) {
  const post = (path: string, body: object) =>
    call(port, path, { method: 'POST', headers: json(token), body: JSON.stringify(body) });
  const controller = await post('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'comply_test_controller', arguments: { scenario: 'list_scenarios' } },
  });
  const testKey = { kty: 'OKP', crv: 'Ed25519', kid: 'test-ed25519-2026', x: 'AAAA', use: 'sig' };
  const signer = await post('/v1/principals/operator/signers', {
    agent_url: 'https://agent.example/mcp',
    jwks: { keys: [testKey] },
  });
  const seller = await post('/v1/sellers', {
    slug: 'inside',
    protocol: 'mcp',
    dialect: 'ads',
    agent_url: 'http://127.0.0.1:9/mcp',
  });
  return {
    controller: controller.text.includes('No seller of the sandbox market'),
    testKey: signer.status,
    loopbackSellerIsCalled: seller.text.includes('"state":"failed"'),
  };
}

describe('an instance on a loopback address', () => {
  it('enables test features without a public address, and none with one', async () => {
    const near = await open({});
    expect(near.profile).toBe('local');
    expect(await practice(near.port, near.token)).toEqual({
      controller: true,
      testKey: 200,
      loopbackSellerIsCalled: true,
    });
    const far = await open({ SWITCHYARD_PUBLIC_URL: 'https://switchyard.example' });
    expect(far.profile).toBe('production');
    expect(await practice(far.port, far.token)).toEqual({
      controller: false,
      testKey: 400,
      loopbackSellerIsCalled: false,
    });
  });

  it('does not start as local if it is reachable from elsewhere', async () => {
    const opened = await openSwitchyard({
      ...(await optionsOf({
        SWITCHYARD_PROFILE: 'local',
        SWITCHYARD_PUBLIC_URL: 'https://switchyard.example',
      })),
    });
    expect(opened).toMatchObject({ ok: false, error: { code: 'settings' } });
  });

  it('shows its metrics and its description only to this machine, and behind a proxy only to readers of alarms', async () => {
    const near = await open({});
    const proxied = { 'x-forwarded-for': '203.0.113.9' };
    const named = { SWITCHYARD_PUBLIC_URL: 'https://switchyard.example' };
    const unlisted = await open(named);
    const listed = await open({ ...named, SWITCHYARD_TRUSTED_PROXIES: '127.0.0.1' });
    for (const path of ['/metrics', '/docs', '/openapi.json']) {
      expect((await call(near.port, path)).status).toBe(200);
      expect((await call(near.port, path, { headers: proxied })).status).toBe(401);
      expect((await call(near.port, path, { headers: { ...proxied, ...json(near.token) } })).status).toBe(
        200,
      );
      for (const { port, token } of [unlisted, listed]) {
        expect((await call(port, path)).status).toBe(401);
        expect((await call(port, path, { headers: proxied })).status).toBe(401);
        expect((await call(port, path, { headers: json(token) })).status).toBe(200);
      }
    }
  });

  it('counts answers by a closed list of endpoints and the class of their status', async () => {
    const near = await open({});
    await call(near.port, '/v1/me');
    await call(near.port, '/made-up/path');
    const { text } = await call(near.port, '/metrics');
    expect(text).toContain('switchyard_http_requests_total{endpoint="v1",status="4xx"} 1\n');
    expect(text).toContain('switchyard_http_requests_total{endpoint="other",status="4xx"} 1\n');
    expect(text).not.toContain('made-up');
  });

  it('answers no GET under a name that was made to resolve to it', async () => {
    const near = await open({});
    for (const path of ['/healthz', '/metrics', '/docs', '/.well-known/agent-card.json', '/v1/sellers']) {
      const answer = await call(near.port, path, { headers: { host: `evil.example:${near.port}` } });
      expect([path, answer.status, answer.text]).toEqual([
        path,
        403,
        expect.stringContaining('HOST_NOT_ALLOWED'),
      ]);
    }
  });

  it('counts posts to unknown webhook addresses, and refuses more of them before reading their body', async () => {
    const near = await open({ SWITCHYARD_RATE_FAILURES: '0.001/3' });
    const post = () => call(near.port, '/webhooks/nobody', { method: 'POST', body: '{}' });
    expect([await post(), await post(), await post()].map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await bodiless(near.port, '/webhooks/another')).toMatch(/^HTTP\/1\.1 429 /);
  });
});
