/**
 * The sealed relay beside a direct call: the same MCP seller behind all contenders, which verifies the signature of
 * every signed request; contenders in turn, in interleaved rounds.
 *
 * - direct: the brand calls the seller itself, the floor;
 * - switchyard: `switchyard up`, with the seller's credential in its vault and a delegation: token, signature, nonce,
 *   scan, delegation, audit row, custody;
 * - bare proxy: the bytes sent on by node:http and undici, with nothing verified, decided or recorded: no relay in Node
 *   is faster;
 * - checking proxy: the same with one Ed25519 verification and one row in our database before: none that checks is;
 * - recording proxy: the same with as many rows as we store, in one bare table: none that keeps such records is;
 * - mcp-hub from npm. It takes no signature and passes none on, so it and the seller verify nothing; it checks no
 *   caller either.
 *
 * Three pairs of caller and seller, each for all contenders. `adcp`: the public protocol's SDK on both sides, which is
 * what a brand and a seller have without us: its signer around the official MCP client, and its server with its verifier.
 * `sdk`: the official MCP SDK on both sides and our own signing, which is less work for both. `bare`: a loop over undici
 * whose requests were signed before the clock starts, and which asks mcp-hub over its REST door: hardly any work of the
 * caller's hides ours.
 *
 * Caller, seller, gateway and database share the machine, so CPU time per call is the steadier figure. Medians of
 * the rounds.
 */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generateSigningKey, publicJwk } from '@switchyard/signing';
import { delegations, openStore, signerDirectory } from '@switchyard/store';
import { createPrincipal, createToken } from '@switchyard/testing';
import { startWorker, tokenOf } from './field.mjs';
import { startHub } from './relay/hub.mjs';
import { median, quantile, spread } from './statistics.mjs';
import { cpuMsOf, databaseCpuMs, postgresOf } from './webhooks/machine.mjs';

const bin = fileURLToPath(new URL('../../apps/cli/bin/switchyard.mjs', import.meta.url));
const run = promisify(execFile);

const scenarios = {
  one: { task: 'get_products', inFlight: 1, calls: 400 },
  sixteen: { task: 'get_products', inFlight: 16, calls: 2_000 },
  buys: { task: 'create_media_buy', inFlight: 1, calls: 200 },
  manybuys: { task: 'create_media_buy', inFlight: 16, calls: 1_000 },
};

/** The sellers' own credential, for callers that call them without us. */
const credential = { authorization: 'Bearer bench-token' };

/** Calls of each contender before the first counted round; concurrent, to be faster. */
const warmingCalls = { get_products: 4_000, create_media_buy: 1_500 };

/** Callers and their sellers. */
const pairs = {
  adcp: {
    caller: 'sdk-caller.mjs',
    seller: 'adcp-seller.mjs',
    signer: 'adcp',
    slug: 'adcp',
    title: 'AdCP SDK',
  },
  sdk: { caller: 'sdk-caller.mjs', seller: 'seller.mjs', slug: 'bench', title: 'MCP SDK' },
  bare: { caller: 'caller.mjs', seller: 'seller.mjs', slug: 'bench', title: 'bare loop' },
};

export async function relay({ quick, sdk, only, caller: wanted }) {
  const closers = [];
  try {
    const key = generateSigningKey('bench-brand');
    const jwk = publicJwk(key, ['adcp_use']);
    const pem = key.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const isChosen = (kind) => (wanted === undefined ? sdk || kind === 'bare' : wanted === kind);
    const chosen = Object.entries(pairs).filter(([kind]) => isChosen(kind));
    const sellers = new Map();
    for (const [, { slug, seller: script }] of chosen) {
      if (!sellers.has(slug)) sellers.set(slug, await startSeller(script, jwk, closers));
    }
    const relayed = await product(sellers, jwk, closers);
    // The public gateway runs only with the public SDK: `--no-sdk` leaves out both, and the callers made of SDKs.
    const hub = sdk ? await startHub(sellers, closers) : { why: 'left out' };
    if (hub.why !== undefined) console.log(`mcp-hub was not measured: ${hub.why}.`);
    const tables = [];
    for (const [kind, pair] of chosen) {
      const seller = sellers.get(pair.slug);
      const caller = worker(pair.caller, closers);
      const signed = { signer: pair.signer, signedFor: seller.url, kid: key.kid, pem };
      const session = kind === 'bare' ? await caller.ask({ session: seller.url }) : { headers: {} };
      const field = await fieldOf(
        seller,
        { ...signed, headers: session.headers },
        { kind, relayed, hub },
        closers,
      );
      for (const [name, scenario] of Object.entries(scenarios)) {
        if (only !== undefined && only !== name) continue;
        const calls = quick ? scenario.calls / 4 : scenario.calls;
        const warming = warmingCalls[scenario.task] / (quick ? 4 : 1);
        const title = `${pair.title}: ${scenario.task}, ${scenario.inFlight} in flight, rounds of ${calls}`;
        const played = { ...scenario, calls, warming, title };
        tables.push(await measure(field, caller, seller.pid, played, quick ? 5 : 11));
      }
    }
    return tables;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function startSeller(script, jwk, closers) {
  const one = worker(script, closers);
  const { url } = await one.started;
  await one.ask({ jwk });
  return { url, pid: one.pid, slug: script === 'adcp-seller.mjs' ? 'adcp' : 'bench' };
}

/** The contenders, the floor first. */
async function fieldOf({ url, slug }, signed, { kind, relayed, hub }, closers) {
  const proxyOf = async (label, checks) => {
    const proxy = worker('proxy.mjs', closers);
    const { post } = await proxy.ask({ url, ...checks });
    return { label, pid: proxy.pid, asked: { ...signed, isRelay: true, post, headers: {} } };
  };
  const direct = { label: 'direct', asked: { ...signed, post: url, credential } };
  const { post, headers, ...running } = relayed.at(slug);
  const ours = { label: 'switchyard', ...running, asked: { ...signed, isRelay: true, post, headers } };
  const floors = [
    await proxyOf('bare proxy', {}),
    await proxyOf('checking proxy', { ownerUrl: relayed.ownerUrl }),
    await proxyOf('recording proxy', { ownerUrl: relayed.ownerUrl, records: true }),
  ];
  if (hub.why !== undefined) return [direct, ours, ...floors];
  // A REST API is not MCP: each caller uses the gateway's own API of its kind, and signs nothing.
  const { kid, pem } = signed;
  const asked = { post: hub.post, server: slug, kid, pem, ...(kind === 'bare' ? {} : { mcp: hub.mcp }) };
  return [direct, ours, ...floors, { label: 'mcp-hub', pid: hub.pid, asked }];
}

async function measure(field, caller, sellerPid, { task, inFlight, calls, warming, title }, rounds) {
  const played = new Map(field.map((one) => [one, []]));
  // Contenders run for a while before the measurement, so that their code is compiled and optimized.
  for (const one of field) {
    await play(one, caller, sellerPid, task, 16, warming);
    await one.settle?.();
  }
  for (let round = 0; round < rounds; round += 1) {
    for (let place = 0; place < field.length; place += 1) {
      const one = field[(place + round) % field.length];
      const result = await play(one, caller, sellerPid, task, inFlight, calls);
      played.get(one).push(result);
    }
  }
  const floor = played.get(field[0]);
  return field.map((one) => rowOf(title, one, played.get(one), floor));
}

async function play(one, caller, sellerPid, task, inFlight, calls) {
  await caller.ask({
    prepare: { ...one.asked, task, count: calls },
  });
  const cpu = () => ({
    seller: cpuMsOf(sellerPid),
    own: one.pid === undefined ? 0 : cpuMsOf(one.pid),
    database: one.postmaster === undefined ? 0 : databaseCpuMs(one.postmaster),
  });
  const before = cpu();
  const { ms, latencies, wrong } = await caller.ask({ go: { inFlight } });
  const after = cpu();
  if (wrong.length > 0) throw new Error(`${one.label}: ${wrong.length} of ${calls} wrong, e.g. ${wrong[0]}`);
  const each = (name) => ((after[name] - before[name]) * 1_000) / calls;
  return {
    perSecond: calls / (ms / 1_000),
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
    seller: each('seller'),
    own: each('own'),
    database: each('database'),
  };
}

function rowOf(scenario, { label }, rounds, floor) {
  const of = (list, name) => median(list.map((round) => round[name]));
  const rate = of(rounds, 'perSecond');
  return {
    scenario,
    contender: label,
    'p50 ms': Number(of(rounds, 'p50').toFixed(2)),
    // By round, because a slow round is slow for both.
    '+ ms': Number(median(rounds.map(({ p50 }, at) => p50 - floor[at].p50)).toFixed(2)),
    'p99 ms': Number(of(rounds, 'p99').toFixed(1)),
    'per second': Math.round(rate),
    spread: spread(rounds.map(({ perSecond }) => perSecond)),
    'of direct': `${Math.round(100 * median(rounds.map(({ perSecond }, at) => perSecond / floor[at].perSecond)))} %`,
    'CPU µs': Math.round(of(rounds, 'own')),
    'database CPU µs': Math.round(of(rounds, 'database')),
    'seller CPU µs': Math.round(of(rounds, 'seller')),
    rounds: rounds.length,
  };
}

/** The built product on its own data folder, with the sellers, the brand and its delegations. */
async function product(sellers, jwk, closers) {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const profiled = process.env.BENCH_CPU_PROFILE;
  const flags = profiled === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiled}`];
  const rates = { SWITCHYARD_RATE_READS: '100000/1000000', SWITCHYARD_RATE_WRITES: '100000/1000000' };
  const server = spawn(
    process.execPath,
    [...flags, bin, 'up', '--data', data, '--no-sandbox', '--no-campaign'],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...rates } },
  );
  const gone = once(server, 'exit');
  closers.push(async () => {
    server.kill('SIGTERM');
    await gone;
    rmSync(data, { recursive: true, force: true });
  });
  const { url } = await tokenOf(data, server);
  const file = join(data, 'bench-sellers.json');
  const rows = [...sellers].map(([slug, seller]) => ({
    slug,
    token: 'bench-token',
    agent_url: seller.url,
    protocol: 'mcp',
    dialect: 'adcp',
    form: '3.0',
  }));
  writeFileSync(file, JSON.stringify(rows), { mode: 0o600 });
  await run(process.execPath, [bin, 'sellers', 'import', file, '--data', data]);
  const { pid: postmaster, ownerUrl } = postgresOf(data);
  const token = await brandOf(ownerUrl, jwk, [...sellers.keys()]);
  return {
    // By the socket, as the server connects itself.
    ownerUrl: `${ownerUrl}?host=${encodeURIComponent(join(data, 'postgres/pg'))}`,
    at: (slug) => ({
      post: `${url}/relay/${slug}/mcp`,
      headers: { authorization: `Bearer ${token}` },
      pid: server.pid,
      postmaster,
      settle: () => analyzed(ownerUrl),
    }),
  };
}

/** Analyzes the tables, which the database does by itself within a minute: until then it plans for empty tables. */
async function analyzed(ownerUrl) {
  const store = openStore(ownerUrl);
  try {
    await store.pool.query('analyze');
  } finally {
    await store.close();
  }
}

/** A brand with a key, a token and a delegation of both tasks without a ceiling. */
async function brandOf(ownerUrl, jwk, slugs) {
  const store = openStore(ownerUrl);
  try {
    const { rows } = await store.pool.query("select id from organization where slug = 'local'");
    const organizationId = rows[0].id;
    const scope = { organizationId };
    const permissions = { products: ['read'], media_buys: ['read', 'write'] };
    const principal = await createPrincipal(store, organizationId, {
      name: 'bench',
      kind: 'brand',
      permissions,
    });
    await signerDirectory(store).add(scope, {
      id: randomUUID(),
      principalId: principal.id,
      agentUrl: 'https://brand.invalid/agent',
      keys: { kind: 'document', jwks: { keys: [jwk] } },
      dialect: 'adcp',
      allowsRsaPss: false,
      createdAt: Date.now(),
    });
    for (const seller of slugs) {
      await delegations(store).grant(scope, {
        id: randomUUID(),
        organizationId,
        principalId: principal.id,
        seller,
        tasks: ['get_products', 'create_media_buy'],
        grantedAt: Date.now() - 1_000,
        until: Date.now() + 86_400_000,
        grantedBy: { principalId: principal.id },
      });
    }
    return await createToken(store, principal);
  } finally {
    await store.close();
  }
}

function worker(script, closers) {
  // The public SDK warns about its own tools' names in every request.
  const one = startWorker(`./relay/${script}`, closers, { quiet: script === 'adcp-seller.mjs' });
  return { ...one, started: script.endsWith('seller.mjs') ? one.next() : undefined };
}
