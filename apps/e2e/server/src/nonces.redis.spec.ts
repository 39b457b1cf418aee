import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import { generateSigningKey, publicJwk, signRequest } from '@switchyard/signing';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';

const redisUrl = process.env['REDIS_URL'] ?? '';
const folder = dataFolder();
const key = generateSigningKey('e2e-nonces');
const body = JSON.stringify({ brief: 'shoes' });
/** The same port for all starts: it is in the signed URL. */
let port: string;
let instance: Instance;

const start = (): Promise<Instance> => startInstance(folder.path, ['--port', port], { REDIS_URL: redisUrl });

beforeAll(async () => {
  expect(redisUrl).not.toBe('');
  port = String(await freePort());
  instance = await start();
  const made = await fetch(`${instance.url}/v1/principals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${instance.token}` },
    body: JSON.stringify({
      name: 'signs',
      kind: 'buyer',
      agent_url: 'http://127.0.0.1:1/mcp',
      jwks: { keys: [publicJwk(key, ['ads_use'])] },
    }),
  });
  expect(made.status).toBe(200);
});

afterAll(async () => {
  await instance.kill();
  await folder.remove();
});

function signed(): Record<string, string> {
  const created = Math.floor(Date.now() / 1000);
  return {
    ...signRequest({
      method: 'POST',
      url: `${instance.url}/v1/tasks/get_ads_capabilities`,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
      keyid: key.kid,
      alg: key.alg,
      privateKey: key.privateKey,
      tag: 'ads/request-signing/v1',
      created,
      expires: created + 300,
      nonce: randomBytes(16).toString('base64url'),
    }),
  };
}

async function send(headers: Readonly<Record<string, string>>): Promise<string> {
  const answer = await fetch(`${instance.url}/v1/tasks/get_ads_capabilities`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return answer.headers.get('www-authenticate') ?? String(answer.status);
}

async function flushRedis(): Promise<void> {
  const { hostname, port: at } = new URL(redisUrl);
  const socket = connect(Number(at), hostname);
  await once(socket, 'connect');
  const reported = once(socket, 'data');
  socket.write('FLUSHALL\r\n');
  const [answer] = (await reported) as [Buffer];
  expect(answer.toString()).toBe('+OK\r\n');
  socket.destroy();
}

describe('a used nonce', () => {
  it('is a replay after Redis was emptied, and after the server was killed and restarted', async () => {
    const taken = signed();
    const replayed = 'Signature error="request_signature_replayed"';
    expect(await send(taken)).toBe('200');
    expect(await send(taken)).toBe(replayed);
    await flushRedis();
    expect(await send(taken)).toBe(replayed);
    await instance.kill();
    await flushRedis();
    instance = await start();
    expect(await send(taken)).toBe(replayed);
    expect(await send(signed())).toBe('200');
  });
});
