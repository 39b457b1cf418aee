/**
 * The longest time for which one message of a caller or a seller delays everybody else, for each kind of message with a
 * limit, beside the same load without it. The built product is queried over MCP during ordinary queries, and its event
 * loop is measured from within.
 *
 * `stall ms` is the delay of others, with the machine's own load; `slice cpu ms` is the CPU time of the main thread
 * between two ticks of the loop, and the steadier figure. The goal for both is less than 100.
 */
import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { wholeServer } from './contenders/whole-server.mjs';
import { startFarm } from './field.mjs';
import { largestRequests } from './hostile/largest-bodies.mjs';

const sellers = 50;
const ordinary = { adcp_version: '3.0', brief: 'shoes', buying_mode: 'brief' };
const members = (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
const one = (kind) => ['short', kind];
const all = (kind) => Array.from({ length: sellers }, () => kind);

/** The message, its sender, and the answers of sellers. */
const kinds = {
  'nothing (ordinary questions)': { args: ordinary },
  'no credential: ext at the cap': { args: { ...ordinary, ext: members(1_900) }, isAnonymous: true },
  'no credential: 128,000 members': { args: { ...ordinary, ext: members(128_000) }, isAnonymous: true },
  'credential: 19,900 members': { args: { ...ordinary, ext: members(19_900) } },
  'credential: 1 MB of text': { args: { ...ordinary, ext: { text: 'x'.repeat(1_040_000) } } },
  'credential: 60,000 members': { args: { ...ordinary, ext: members(60_000) } },
  'seller: 2,000 levels': { args: ordinary, say: one('deep') },
  'seller: 400,000 members': { args: ordinary, say: one('many members') },
  'seller: 150,000 members': { args: ordinary, say: one('members at the cap') },
  'seller: 150,000 members as text': { args: ordinary, say: one('members at the cap as text') },
  'seller: 8 items of 19,000 members': { args: ordinary, say: one('large items') },
  'seller: 19,000 members beside items': { args: ordinary, say: one('strange members') },
  'seller: 12,000 products': { args: ordinary, say: one('many products') },
  'seller: 5,000 products': { args: ordinary, say: one('products at the cap') },
  'seller: 5,000 odd products': { args: ordinary, say: one('odd products') },
  'seller: 1,500 proposals': { args: ordinary, say: one('proposals') },
  'seller: 4 MB of text': { args: ordinary, say: one('long texts') },
  'seller: 5,000 products for 2.5': {
    args: { brief: 'shoes', brand_manifest: 'https://x.example' },
    say: one('products at the cap'),
  },
  '50 sellers: 1,000 products each': { args: ordinary, say: all('a thousand products') },
  '50 sellers: 150,000 members each': { args: ordinary, say: all('members at the cap') },
  '50 sellers: 150,000 members each, as text': { args: ordinary, say: all('members at the cap as text') },
  '50 sellers: 4 MB of text each': { args: ordinary, say: all('long texts') },
};

export async function hostile({ quick, only }) {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-stalls-'));
  const socket = join(folder, 'stalls.sock');
  const farm = await startFarm(sellers);
  process.env.SWITCHYARD_BENCH_STALLS = socket;
  for (const name of ['READS', 'WRITES', 'COMBINED', 'INSERTS'])
    process.env[`SWITCHYARD_RATE_${name}`] = '10000/100000';
  process.env.NODE_OPTIONS = `--import=${new URL('./hostile/stalls.mjs', import.meta.url).href}`;
  const server = await wholeServer(farm.sellers);
  delete process.env.NODE_OPTIONS;
  try {
    const rows = [];
    const chosen = Object.entries(kinds).filter(([name]) => only === undefined || name.includes(only));
    await measured(server, socket, farm, kinds['nothing (ordinary questions)'], 3);
    for (const [name, kind] of chosen)
      rows.push({
        scenario: 'longest stall of the event loop by one message',
        contender: name,
        ...(await measured(server, socket, farm, kind, quick ? 2 : 5)),
      });
    return only === undefined || only === 'routes'
      ? [rows, await largestBodies(server, socket, quick)]
      : [rows];
  } finally {
    await server.close();
    farm.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The routes that hold the loop longest with the largest body that they take, of all routes with a body. */
async function largestBodies({ url, token }, socket, quick) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const read = await request(new URL('/openapi.json', url), { headers });
  const rows = [];
  for (const { name, path, body } of largestRequests(await read.body.json())) {
    if (marketReads.test(path) || (quick && !name.endsWith('unknown members'))) continue;
    await stallsSince(socket);
    const startedAt = performance.now();
    const answer = await request(new URL(path, url), { method: 'POST', headers, body: body() });
    await answer.body.dump();
    const { ms, cpuMs } = await stallsSince(socket);
    rows.push({
      scenario: 'longest stall of the event loop by the largest body of a route: the ten longest',
      contender: name,
      'stall ms': Number(ms.toFixed(1)),
      'slice cpu ms': Number(cpuMs.toFixed(1)),
      ms: Math.round(performance.now() - startedAt),
      answer: String(answer.statusCode),
    });
  }
  return rows.toSorted((one, other) => other['slice cpu ms'] - one['slice cpu ms']).slice(0, 10);
}

/** What asks every seller is measured above; what ends the caller's token is left out. */
const marketReads =
  /get_products|get_signals|list_creative_formats|list_authorized_properties|\/principals\/|\/me\//;

async function measured(server, socket, farm, { args, isAnonymous, say = [] }, rounds) {
  await farm.say(say);
  await stallsSince(socket);
  const quiet = { ms: [], cpuMs: [] };
  const longest = { ms: [], cpuMs: [] };
  let last;
  for (let round = 0; round < rounds; round += 1) {
    await farm.say([]);
    await ask(server, ordinary);
    note(quiet, await stallsSince(socket));
    await farm.say(say);
    const beside = ask(server, ordinary, true);
    last = await ask(server, args, isAnonymous);
    await beside;
    note(longest, await stallsSince(socket));
  }
  const worst = (list) => Number(Math.max(...list).toFixed(1));
  return {
    'stall ms': worst(longest.ms),
    'without ms': worst(quiet.ms),
    'slice cpu ms': worst(longest.cpuMs),
    'without cpu ms': worst(quiet.cpuMs),
    ms: Math.round(last.ms),
    answer: last.answer,
  };
}

function note(into, { ms, cpuMs }) {
  into.ms.push(ms);
  into.cpuMs.push(cpuMs);
}

async function ask({ url, token }, args, isAnonymous = false) {
  const startedAt = performance.now();
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_products', arguments: args },
  };
  const answer = await request(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(message),
  });
  const body = await answer.body.json();
  const ms = performance.now() - startedAt;
  const content = body.result?.structuredContent;
  if (!Array.isArray(content?.products)) {
    const fault = content?.errors?.[0] ?? body.error?.data?.errors?.[0] ?? body.errors?.[0] ?? {};
    return { ms, answer: `${answer.statusCode} ${fault.code ?? 'no code'}` };
  }
  const rows = content.sellers ?? content.ext?.switchyard?.sellers ?? [];
  const failed = rows.filter(({ status }) => status !== 'answered');
  const why = [...new Set(failed.map(({ code }) => code))].join(' ');
  return {
    ms,
    answer: `${content.products.length} products, ${rows.length - failed.length}/${rows.length} sellers ${why}`,
  };
}

/** The stalls of the server's loop since the previous call. */
function stallsSince(path) {
  return new Promise((resolve, reject) => {
    let text = '';
    connect(path)
      .on('data', (chunk) => (text += chunk))
      .on('error', reject)
      .on('end', () => resolve(JSON.parse(text)));
  });
}
