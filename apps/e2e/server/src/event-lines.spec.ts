import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '@switchyard/testing';
import type { Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { startInstance, type Instance } from './harness/instance.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { dashboardExpressions, startPrometheus } from './harness/prometheus.js';
import { isInstalled } from './harness/services.js';
import { waitUntil } from './harness/wait-until.js';

const folder = dataFolder();
let instance: Instance;
let broken: PlainSeller;
let management: string;

beforeAll(async () => {
  const port = String(await freePort());
  management = `http://127.0.0.1:${port}`;
  instance = await startInstance(folder.path, ['--no-sandbox'], {
    SWITCHYARD_LOG_LEVEL: 'info',
    SWITCHYARD_MANAGEMENT_PORT: port,
  });
  broken = await plainSeller(
    () => ({ json: JSON.stringify({ status: 'completed', products: [plainProduct] }) }),
    { tools: ['get_products'] },
  );
  await admin(instance, 'POST', '/v1/sellers/import', [
    {
      slug: 'broken',
      agent_url: broken.agentUrl,
      token: 'a token of broken',
      protocol: 'mcp',
      dialect: 'adcp',
    },
  ]);
  // It passes the gate, and then answers nothing any more.
  broken.behave(() => 'hang up');
});
afterAll(async () => {
  await instance.stop();
  await broken.close();
  await folder.remove();
});

const lines = (): readonly Json[] =>
  instance
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Json);

/** The line of an event with these members, once it is written. */
const line = (members: Json): Promise<Json> =>
  waitUntil(`a line ${JSON.stringify(members)}`, () =>
    lines().find((each) => Object.entries(members).every(([name, value]) => each[name] === value)),
  );

async function send(path: string, body: Json, headers: Readonly<Record<string, string>> = {}) {
  return fetch(instance.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

it('gives each request an id, which its answer, its lines and the audit have', async () => {
  const id = `try-${randomUUID()}`;
  const answer = await send('/v1/clients', { name: `Client ${id}` }, { 'x-request-id': id });
  expect([answer.status < 300, answer.headers.get('x-request-id')]).toEqual([true, id]);
  expect(await line({ event: 'request', request_id: id })).toMatchObject({
    route: '/v1/clients',
    method: 'POST',
  });
  expect(await line({ event: 'act', request_id: id })).toMatchObject({ route: 'add_client', outcome: 'ok' });
  const { events } = await admin(instance, 'GET', '/v1/audit?limit=5');
  expect(events).toContainEqual(expect.objectContaining({ action: 'add_client', request_id: id }));
});

it('says in its line how many bytes came and went, also of the second request of a connection', async () => {
  const name = 'x'.repeat(150);
  const sent = [`bytes-${randomUUID()}`, `bytes-${randomUUID()}`];
  for (const id of sent)
    await (await send('/v1/clients', { name: `${id} ${name}` }, { 'x-request-id': id })).text();
  for (const id of sent) {
    const { bytes_in: read, bytes_out: written } = await line({ event: 'request', request_id: id });
    // Above the body, and below twice of what a request of this size has with its headers.
    expect([
      Number(read) > 200 && Number(read) < 2_000,
      Number(written) > 200 && Number(written) < 4_000,
    ]).toEqual([true, true]);
  }
});

it('makes an id where the caller sends none, or one that is no name', async () => {
  const made = await send('/v1/clients', { name: 'Without' });
  expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const wrong = await send('/v1/clients', { name: 'Wrong' }, { 'x-request-id': 'a b"c' });
  expect(wrong.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

it('writes a line for a sign-in that is refused, and for a seller that does not answer, without their texts', async () => {
  const password = 'what nobody may read';
  expect(
    (await send('/v1/session', { email: 'nobody@agency.example', password }, { authorization: '' })).status,
  ).toBe(401);
  expect(await line({ event: 'sign_in', outcome: 'refused' })).toMatchObject({ way: 'password' });
  await send('/v1/tasks/get_products', {
    adcp_version: '3.1',
    buying_mode: 'brief',
    brief: 'a brief that stays ours',
    brand: { domain: 'b.example' },
  });
  expect(await line({ event: 'leg', seller: 'broken' })).toMatchObject({
    task: 'get_products',
    status: 'failed',
  });
  for (const text of [password, 'nobody@agency.example', 'a brief that stays ours'])
    expect(instance.stderr()).not.toContain(text);
});

it('serves metrics that Prometheus accepts on the management port alone, and writes no line for them', async () => {
  const page = await (await fetch(`${management}/metrics`)).text();
  expect(page).toContain('switchyard_ready 1');
  expect(page).toMatch(/switchyard_http_request_duration_seconds_count\{endpoint="v1",status="2xx"\} \d+/);
  expect(page).toContain('switchyard_sign_ins_total{way="password",outcome="refused"} 1');
  expect((await fetch(`${instance.url}/metrics`)).status).toBe(404);
  await fetch(`${instance.url}/healthz`);
  expect(lines().filter(({ event, endpoint }) => event === 'request' && endpoint === 'other')).toEqual([]);
  if (isInstalled('promtool')) {
    const checked = spawnSync('promtool', ['check', 'metrics'], { input: page, encoding: 'utf8' });
    expect(checked).toMatchObject({ status: 0, stdout: '', stderr: '' });
  } else process.stderr.write('not run: 1 check of the metrics (promtool) are not here\n');
});

it('gives a real Prometheus what its alert rules and every panel of the dashboards ask for', async () => {
  if (!isInstalled('prometheus')) {
    process.stderr.write('not run: 1 check of rules and dashboards (prometheus) are not here\n');
    return;
  }
  const page = await (await fetch(`${management}/metrics`)).text();
  const prometheus = await startPrometheus(management);
  try {
    const rules = await waitUntil('each rule has run', async () => {
      const loaded = await prometheus.rules();
      return loaded.some(({ health }) => health === 'unknown') ? undefined : loaded;
    });
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    const empty: string[] = [];
    for (const { title, expr } of dashboardExpressions()) {
      const samples = await prometheus.query(expr.replaceAll('$__rate_interval', '1m'));
      // A counter with labels has no series before what it counts has happened once.
      const [, metric = ''] = /\b((?:switchyard|nodejs|process)_\w+)/.exec(expr) ?? [];
      if (samples.length === 0 && new RegExp(`^${metric}[{ ]`, 'm').test(page)) empty.push(title);
    }
    expect(empty).toEqual([]);
    expect(await prometheus.query('sum(switchyard_ready)')).toMatchObject([
      { value: [expect.any(Number), '1'] },
    ]);
  } finally {
    await prometheus.close();
  }
});
