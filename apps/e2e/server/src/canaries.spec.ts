import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { machineClient, startReceiver, type Receiver } from '@switchyard/testing';
import { buyRequest, Catalogue, list, type Json } from './harness/buy-request.js';
import { callTask } from './harness/call-task.js';
import { dataFolder } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { startInstance, type Instance } from './harness/instance.js';
import { oauthSeller, type OAuthSeller } from './harness/oauth-seller.js';
import { admin } from './harness/own-everything.js';
import { plainProduct, plainSeller, type PlainSeller } from './harness/plain-seller.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { spellings } from './harness/spellings.js';
import { waitUntil } from './harness/wait-until.js';

/**
 * Secrets of each kind are used in one story, and afterwards looked for in everything that it left behind: the database,
 * the output of the server, its traces, the answers of every list, and the output of every command.
 */
const folder = dataFolder();
const canaryOf = (kind: string): string => `canary-${kind}-${randomBytes(12).toString('hex')}`;
const tokens = {
  bearer: canaryOf('bearer'),
  pair: `desk:${canaryOf('password')}`,
  imported: canaryOf('imported'),
  rotated: canaryOf('rotated'),
  refused: canaryOf('refused'),
  ofClient: canaryOf('login-of-a-client'),
};
const webhook = canaryOf('webhook-secret-of-a-buyer');
const listToken = canaryOf('token-of-a-property-list');
/** No secret: it must be found, or the search finds nothing at all. */
const control = canaryOf('control');

let instance: Instance;
let collector: Receiver;
let desk: PlainSeller;
let leaky: PlainSeller;
let signedIn: OAuthSeller;
/** What sellers were sent as Authorization. */
const heard = new Set<string>();
const printed: string[] = [];
const answers: string[] = [];
const closers: (() => Promise<void>)[] = [];

const guarded = async (says: () => Json): Promise<PlainSeller> => {
  const made = await plainSeller(() => ({ json: JSON.stringify(says()) }), {
    guard: (request, response) => {
      const { authorization = '' } = request.headers;
      heard.add(authorization);
      if (authorization !== '') return Promise.resolve(false);
      response.writeHead(401).end();
      return Promise.resolve(true);
    },
  });
  closers.push(() => made.close());
  return made;
};
const offers = { status: 'completed', products: [plainProduct], media_buys: [] };

beforeAll(async () => {
  collector = await startReceiver();
  instance = await startInstance(folder.path, ['--market', 'prompt'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '1',
  });
  desk = await guarded(() => offers);
  // A seller that repeats our own secret in what it says.
  leaky = await guarded(() => ({
    ...offers,
    errors: [{ code: 'X', message: `You sent ${tokens.imported}.` }],
  }));
  signedIn = await oauthSeller();
  closers.push(() => signedIn.close());
});
afterAll(async () => {
  await instance.stop();
  await Promise.all(closers.map((close) => close()));
  await collector.close();
  await folder.remove();
});

async function run(args: readonly string[], secret = ''): Promise<number | null> {
  const { code, stdout, stderr } = await runSwitchyard([...args, '--data', folder.path], secret);
  printed.push(stdout, stderr);
  return code;
}

it('secrets of sellers, of sign-ins and of buyers are in nothing that a story leaves behind', async () => {
  await play();
  const [, accessToken] = ['', ...signedIn.tokens];
  const made = await admin(instance, 'POST', '/v1/principals', {
    name: control,
    kind: 'buyer',
    transitional: true,
  });
  const secrets: Readonly<Record<string, string>> = {
    ...tokens,
    password: tokens.pair.slice('desk:'.length),
    webhook,
    listToken,
    clientSecret: machineClient.secret,
    accessToken: String(accessToken),
    agentToken: String(made['token']),
    ownToken: instance.token,
  };
  await readEverything();
  const places = await everyPlace();
  const foundIn = (text: string): readonly string[] => [
    ...new Set(
      places
        .filter(({ content }) => spellings(text).some((one) => content.includes(one)))
        .map(({ place }) => place),
    ),
  ];
  // Each was really used, and the search finds what is there.
  const basic = `Basic ${Buffer.from(tokens.pair).toString('base64')}`;
  expect([...heard]).toEqual(
    expect.arrayContaining([
      `Bearer ${tokens.bearer}`,
      `Bearer ${tokens.imported}`,
      `Bearer ${tokens.rotated}`,
      `Bearer ${tokens.ofClient}`,
      basic,
    ]),
  );
  expect(foundIn(control)).toEqual(
    expect.arrayContaining(['answer GET /v1/principals', 'database public.principal']),
  );
  for (const place of ['stdout of the server', 'traces', 'output of a command'])
    expect(
      places
        .filter((one) => one.place === place)
        .map(({ content }) => content)
        .join('').length,
    ).toBeGreaterThan(100);
  const hits = Object.entries(secrets).flatMap(([name, secret]) => {
    // The start prints one token for its reader.
    const expected = name === 'ownToken' ? ['stdout of the server'] : [];
    return foundIn(secret)
      .filter((place) => !expected.includes(place))
      .map((place) => `${name} in ${place}`);
  });
  expect(hits).toEqual([]);
});

/** Uses each secret: sellers by every way in, a rotation, a refused secret, and a buy with a buyer's own secrets. */
async function play(): Promise<void> {
  const add = (...args: readonly string[]) => ['sellers', 'add', ...args];
  expect(await run(add(desk.agentUrl, '--slug', 'desk', '--token-stdin'), `${tokens.bearer}\n`)).toBe(0);
  expect(await run(add(desk.agentUrl, '--slug', 'pair', '--basic', '--yes'), `${tokens.pair}\n`)).toBe(0);
  const file = join(folder.path, 'clients.json');
  writeFileSync(
    file,
    JSON.stringify({
      mcpServers: { leaky: { url: leaky.agentUrl, headers: { Authorization: `Bearer ${tokens.imported}` } } },
    }),
  );
  await run(['sellers', 'import', file]);
  await run(['sellers', 'import', file, '--yes']);
  const client = ['--client-id', machineClient.id, '--issuer', signedIn.server.issuer];
  expect(await run(add(signedIn.agentUrl, '--slug', 'signed-in', ...client), machineClient.secret)).toBe(0);
  const { credentials } = await admin(instance, 'GET', '/v1/credentials?seller=desk');
  const held = list(credentials).find(({ kind }) => kind === 'bearer');
  await run(['credentials', 'rotate', String(held?.['credential_id'])], `${tokens.rotated}\n`);
  await run(add('http://127.0.0.1:1/mcp', '--slug', 'nobody', '--token-stdin'), `${tokens.refused}\n`);
  const { client_id: nova } = await admin(instance, 'POST', '/v1/clients', { name: 'Nova' });
  const login = ['accounts', 'login', '--seller', 'desk', '--client', String(nova)];
  expect(await run(login, `${tokens.ofClient}\n`)).toBe(0);
  const brief = { adcp_version: '3.1', buying_mode: 'brief', brief: 'anything' };
  answers.push((await callTask('REST', instance, 'get_products', brief)).text);
  const catalogue = await Catalogue.read(instance, 1);
  const part = catalogue.packageOf('prompt');
  const targeting = {
    property_list: { agent_url: 'https://lists.example/mcp', list_id: 'l-1', auth_token: listToken },
  };
  const push = {
    url: 'https://buyer.example/hook',
    authentication: { schemes: ['HMAC-SHA256'], credentials: webhook },
  };
  const request = buyRequest([{ ...part, targeting_overlay: targeting }], {
    po_number: control,
    push_notification_config: push,
  });
  for (const args of [request, { ...request, ext: { vendor: { access_token: tokens.refused } } }])
    answers.push((await callTask('REST', instance, 'create_media_buy', args)).text);
  for (const endpoint of ['MCP', 'A2A'] as const)
    answers.push((await callTask(endpoint, instance, 'get_media_buys', { adcp_version: '3.1' })).text);
}

/** Reads every list and document of the description, and by the commands what people read most. */
async function readEverything(): Promise<void> {
  const headers = { authorization: `Bearer ${instance.token}` };
  const read = async (path: string): Promise<string> =>
    (await fetch(`${instance.url}${path}`, { headers, signal: AbortSignal.timeout(20_000) })).text();
  const { paths } = JSON.parse(await read('/openapi.json')) as {
    readonly paths: Readonly<Record<string, Json>>;
  };
  const plain = Object.entries(paths).filter(([path, of]) => of['get'] !== undefined && !path.includes('{'));
  expect(plain.length).toBeGreaterThan(30);
  for (const [path] of plain) {
    // A stream ends only with its reader.
    const text = await read(path).catch((error: unknown) => String(error));
    answers.push(`GET ${path}\n${text}`);
  }
  for (const slug of ['desk', 'pair', 'leaky', 'signed-in', 'nobody'])
    for (const what of ['', '/checks', '/report']) answers.push(await read(`/v1/sellers/${slug}${what}`));
  for (const args of [
    ['sellers', 'list'],
    ['sellers', 'show', 'desk'],
    ['credentials', 'list'],
    ['buys'],
    ['audit'],
  ])
    await run(args);
  await waitUntil('the traces are sent', () => (collector.received.length > 0 ? true : undefined));
}

async function everyPlace(): Promise<readonly { readonly place: string; readonly content: string }[]> {
  const database = await ownerView(folder.path);
  const stored = await database.texts();
  await database.close();
  const logs = readdirSync(join(folder.path, 'postgres')).filter((name) => name.endsWith('.log'));
  return [
    ...stored.map(({ place, text }) => ({ place: `database ${place}`, content: text })),
    { place: 'stdout of the server', content: instance.stdout() },
    { place: 'stderr of the server', content: instance.stderr() },
    ...logs.map((name) => ({
      place: `log ${name}`,
      content: readFileSync(join(folder.path, 'postgres', name), 'latin1'),
    })),
    { place: 'traces', content: JSON.stringify(collector.received.map(({ body }) => body)) },
    ...answers.map((content) => ({
      place: `answer ${content.split('\n', 1)[0]?.slice(0, 60) ?? ''}`,
      content,
    })),
    ...printed.map((content) => ({ place: 'output of a command', content })),
  ];
}
