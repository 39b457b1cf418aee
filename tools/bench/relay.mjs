/**
 * The sealed relay beside a direct call: the same MCP seller behind all contenders, which verifies the signature of
 * every signed request; contenders in turn, in interleaved rounds.
 *
 * - direct: the brand calls the seller itself, the floor;
 * - switchyard: `switchyard up`, with the seller's credential in its vault and a delegation: token, signature, nonce,
 *   scan, delegation, audit row, custody;
 * - bare proxy: the bytes sent on by node:http and undici, with nothing verified, decided or recorded: no relay in Node
 *   is faster;
 * - mcp-hub from npm. It takes no signature and passes none on, so it and the seller verify nothing; it checks no
 *   caller either.
 *
 * Two callers, each for all contenders. The goal is set beside a direct call by the official SDK (`sdk`): its client,
 * a session kept, each call signed while it is made. The stricter figure (`bare`) is a loop over undici whose requests
 * were signed before the clock starts; it asks mcp-hub over its REST door, which is its fastest.
 *
 * Caller, seller, gateway and database share the machine, so CPU time per call is the steadier figure. Medians of
 * the rounds.
 */
import { execFile, fork, spawn } from 'node:child_process';
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
import { startHub } from './relay/hub.mjs';
import { median, quantile, spread } from './statistics.mjs';
import { cpuMsOf, databaseCpuMs, postgresOf } from './webhooks/machine.mjs';

const bin = fileURLToPath(new URL('../../apps/cli/bin/switchyard.mjs', import.meta.url));
const here = (name) => fileURLToPath(new URL(`./relay/${name}`, import.meta.url));
const run = promisify(execFile);

const scenarios = {
  one: { task: 'get_products', inFlight: 1, calls: 400 },
  sixteen: { task: 'get_products', inFlight: 16, calls: 2_000 },
  buys: { task: 'create_media_buy', inFlight: 1, calls: 200 },
  manybuys: { task: 'create_media_buy', inFlight: 16, calls: 1_000 },
};

/** Calls of each contender before the first round that counts, many at once because that is sooner done. */
const warmingCalls = { get_products: 4_000, create_media_buy: 1_500 };

const callers = { sdk: 'sdk-caller.mjs', bare: 'caller.mjs' };

export async function relay({ quick, sdk, only, caller: wanted }) {
  const closers = [];
  try {
    const key = generateSigningKey('bench-brand');
    const seller = worker('seller.mjs', closers);
    const { url } = await seller.told;
    const jwk = publicJwk(key, ['adcp_use']);
    await seller.ask({ jwk });
    const bare = worker('caller.mjs', closers);
    const { headers } = await bare.ask({ session: url });
    const relayed = await product(url, jwk, closers);
    const proxy = worker('proxy.mjs', closers);
    const { post: proxied } = await proxy.ask({ url, headers });
    // The public gateway is asked for with the public SDK: `--no-sdk` leaves both out.
    const hub = sdk ? await startHub(url, closers) : { why: 'left out' };
    if (hub.why !== undefined) console.log(`mcp-hub was not measured: ${hub.why}.`);
    const signed = {
      signedFor: url,
      kid: key.kid,
      pem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    };
    const direct = { label: 'direct', post: url, headers, ...signed };
    const ours = { label: 'switchyard', isRelay: true, ...relayed, ...signed };
    const floor = {
      label: 'bare proxy',
      isRelay: true,
      post: proxied,
      headers: {},
      pid: proxy.pid,
      ...signed,
    };
    const theirs = { label: 'mcp-hub', ...hub, server: 'bench', kid: key.kid, pem: signed.pem };
    const tables = [];
    for (const [kind, script] of Object.entries(callers)) {
      if (wanted !== undefined && wanted !== kind) continue;
      const caller = kind === 'bare' ? bare : worker(script, closers);
      // A REST door is no MCP door: each caller takes the gateway's own for its kind.
      const gateway = { ...theirs, ...(kind === 'bare' ? { mcp: undefined } : {}) };
      const field = [direct, ours, floor, ...(hub.why === undefined ? [gateway] : [])];
      for (const [name, scenario] of Object.entries(scenarios)) {
        if (only !== undefined && only !== name) continue;
        const calls = quick ? scenario.calls / 4 : scenario.calls;
        const said = `${kind === 'sdk' ? 'SDK client' : 'bare loop'}: ${scenario.task}, ${scenario.inFlight} in flight, rounds of ${calls}`;
        tables.push(await measure(field, caller, seller.pid, { ...scenario, calls, said }, quick ? 5 : 11));
      }
    }
    return tables;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function measure(field, caller, sellerPid, { task, inFlight, calls, said }, rounds) {
  const played = new Map(field.map((one) => [one, []]));
  // Whoever is measured has been running for a while: code that was compiled a moment ago says nothing of tomorrow.
  for (const one of field) {
    await play(one, caller, sellerPid, task, 16, warmingCalls[task]);
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
  return field.map((one) => rowOf(said, one, played.get(one), floor));
}

async function play(one, caller, sellerPid, task, inFlight, calls) {
  const { post, mcp, isRelay, signedFor, headers, server, kid, pem } = one;
  await caller.ask({
    prepare: { post, mcp, isRelay, signedFor, headers, server, kid, pem, task, count: calls },
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
    // Round by round: what was slow for one was slow for the other.
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

/** The built product on a data folder of its own, with the seller, the brand and what it delegates. */
async function product(sellerUrl, jwk, closers) {
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
  const row = {
    slug: 'bench',
    token: 'bench-token',
    agent_url: sellerUrl,
    protocol: 'mcp',
    dialect: 'adcp',
    form: '3.0',
  };
  writeFileSync(file, JSON.stringify([row]), { mode: 0o600 });
  await run(process.execPath, [bin, 'sellers', 'import', file, '--data', data]);
  const { pid: postmaster, ownerUrl } = postgresOf(data);
  const token = await brandOf(ownerUrl, jwk);
  return {
    post: `${url}/relay/bench/mcp`,
    headers: { authorization: `Bearer ${token}` },
    pid: server.pid,
    postmaster,
    settle: () => analyzed(ownerUrl),
  };
}

/** What the database does of its own accord within a minute: until then it plans for tables that are still empty. */
async function analyzed(ownerUrl) {
  const store = openStore(ownerUrl);
  try {
    await store.pool.query('analyze');
  } finally {
    await store.close();
  }
}

/** A brand with a key, a token and a delegation of both tasks without a ceiling. */
async function brandOf(ownerUrl, jwk) {
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
    await delegations(store).grant(scope, {
      id: randomUUID(),
      organizationId,
      principalId: principal.id,
      seller: 'bench',
      tasks: ['get_products', 'create_media_buy'],
      grantedAt: Date.now() - 1_000,
      until: Date.now() + 86_400_000,
      grantedBy: { principalId: principal.id },
    });
    return await createToken(store, principal);
  } finally {
    await store.close();
  }
}

async function tokenOf(data, server) {
  const until = Date.now() + 90_000;
  for (;;) {
    try {
      return JSON.parse((await run(process.execPath, [bin, 'token', '--data', data, '--json'])).stdout);
    } catch (error) {
      if (server.exitCode !== null || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function worker(script, closers) {
  const child = fork(here(script), [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  closers.push(() => child.connected && child.disconnect());
  const next = () =>
    new Promise((resolve, reject) => {
      const gone = (code) => reject(new Error(`${script} ended with ${code}`));
      child.once('exit', gone);
      child.once('message', (answer) => {
        child.off('exit', gone);
        resolve(answer);
      });
    });
  return {
    pid: child.pid,
    told: script === 'seller.mjs' ? next() : undefined,
    ask: (message) => {
      const answer = next();
      child.send(message);
      return answer;
    },
  };
}
