/**
 * Many buyers at once, on `switchyard up` with its limits as they are usually set.
 *
 * - crowd: 200 buyers with a credential each ask the market at the same moment, over several rounds, while somebody asks
 *   `/healthz` every 20 ms. Shown beside the same without the bound on work in flight.
 * - neighbours: a quiet tenant asks once at a time, alone and then beside a tenant that keeps 100 requests open. Rounds
 *   of both in turn.
 *
 * Buyers, sellers, server and database share the machine, so ratios are the steadier figures.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken } from '@switchyard/testing';
import { startFarm, tokenOf } from './field.mjs';
import { median, quantile } from './statistics.mjs';
import { postgresOf } from './webhooks/machine.mjs';

const bin = fileURLToPath(new URL('../../apps/cli/bin/switchyard.mjs', import.meta.url));
const run = promisify(execFile);
const sellers = 20;
const crowdSize = 200;
const noisyOpen = 100;
const rates = { SWITCHYARD_RATE_READS: '100000/1000000', SWITCHYARD_RATE_PUBLIC: '100000/1000000' };
/** No limits in effect. */
const unbounded = {
  SWITCHYARD_REQUESTS: '10000',
  SWITCHYARD_REQUESTS_PER_CALLER: '10000',
  SWITCHYARD_REQUESTS_WAITING: '100000',
  SWITCHYARD_REQUESTS_AT_FIRST: '10000',
};

export async function crowd({ quick, only }) {
  const closers = [];
  try {
    const farm = await startFarm(sellers, 200);
    closers.push(() => farm.stop());
    const wants = (part) => only === undefined || only === part;
    const tables = [];
    const bounded = await product('switchyard', farm.sellers, {}, closers);
    if (wants('crowd')) {
      const open = await product('without the bound', farm.sellers, unbounded, closers);
      const rounds = quick ? 2 : 5;
      const field = [bounded, open].map((one) => ({ ...one, rounds: [] }));
      for (let round = -1; round < rounds; round += 1) {
        for (const one of field) {
          const result = await together(one, one.crowd);
          if (round >= 0) one.rounds.push(result);
        }
      }
      tables.push(field.map(crowdRow));
    }
    if (wants('neighbours')) tables.push(await neighbours(bounded, quick ? 3 : 7));
    return tables;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** All at once, each with its own connection, as separate buyers have. */
async function together(one, tokens) {
  const health = watchHealth(one);
  const began = performance.now();
  const answers = await Promise.all(tokens.map((token) => ask(one, token)));
  const ms = performance.now() - began;
  return { ms, answers, health: await health.stop() };
}

function crowdRow({ label, rounds }) {
  const answers = rounds.flatMap((round) => round.answers);
  const health = rounds.flatMap((round) => round.health);
  const good = answers.filter(({ status }) => status === 200);
  const waits = good.map(({ ms }) => ms);
  return {
    scenario: `${crowdSize} buyers at once, ${sellers} sellers at 200 ms each`,
    contender: label,
    'all ms': Math.round(median(rounds.map(({ ms }) => ms))),
    'p50 ms': Math.round(quantile(waits, 0.5)),
    'p99 ms': Math.round(quantile(waits, 0.99)),
    'max ms': Math.round(Math.max(...waits)),
    answered: `${good.length}/${answers.length}`,
    refused: answers.filter(({ status, retryAfter }) => [429, 503].includes(status) && retryAfter > 0).length,
    'health p50': Math.round(quantile(health, 0.5)),
    'health p99': Math.round(quantile(health, 0.99)),
    'health max': Math.round(Math.max(...health)),
    rounds: rounds.length,
    errors: [...new Set(answers.map(({ error }) => error).filter(Boolean))].slice(0, 2),
  };
}

async function neighbours(one, rounds) {
  const alone = [];
  const beside = [];
  const refused = [];
  for (let round = -1; round < rounds; round += 1) {
    const quietly = await inTurn(one, 12);
    const noise = noisy(one);
    // The neighbour's requests are all active before anybody is measured beside it.
    await Promise.all([1, 2].map(() => ask(one, one.quiet)));
    const disturbed = await inTurn(one, 12);
    const counted = await noise.stop();
    if (round < 0) continue;
    alone.push(quietly);
    beside.push(disturbed);
    refused.push(counted.refused / counted.sent);
  }
  const p95 = (all) => median(all.map((each) => quantile(each, 0.95)));
  const row = (contender, all) => ({
    scenario: `a quiet tenant, one request at a time; its neighbour keeps ${noisyOpen} open`,
    contender,
    'p50 ms': Math.round(median(all.map((each) => quantile(each, 0.5)))),
    'p95 ms': Math.round(p95(all)),
    'x alone': Number((p95(all) / p95(alone)).toFixed(2)),
    'neighbour refused': contender === 'alone' ? '' : `${Math.round(100 * median(refused))} %`,
    rounds: all.length,
  });
  return [row('alone', alone), row('beside a noisy one', beside)];
}

async function inTurn(one, count) {
  const took = [];
  for (let at = 0; at < count; at += 1) {
    const { status, ms, error } = await ask(one, one.quiet);
    if (status !== 200) throw new Error(`The quiet tenant was told ${status} ${error ?? ''}.`);
    took.push(ms);
  }
  return took;
}

/** A caller that never stops: an answered or refused request is repeated, after the pause of the refusal. */
function noisy(one) {
  const state = { stopped: false, sent: 0, refused: 0 };
  const loops = Array.from({ length: noisyOpen }, async () => {
    while (!state.stopped) {
      const { status, retryAfter } = await ask(one, one.loud);
      state.sent += 1;
      if (status === 200) continue;
      state.refused += 1;
      for (let pause = 0; pause < retryAfter * 10 && !state.stopped; pause += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
  return {
    stop: async () => {
      state.stopped = true;
      await Promise.all(loops);
      return state;
    },
  };
}

let briefs = 0;

async function ask(one, token) {
  const began = performance.now();
  try {
    const answer = await request(new URL('/v1/tasks/get_products', one.url), {
      method: 'POST',
      dispatcher: one.dispatcher,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ adcp_version: '3.0', brief: `crowd ${(briefs += 1)}`, buying_mode: 'brief' }),
    });
    const body = await answer.body.json();
    const ms = performance.now() - began;
    const status = answer.statusCode;
    const isWhole = status !== 200 || body.products?.length === sellers;
    return {
      status,
      ms,
      retryAfter: Number(answer.headers['retry-after'] ?? 0),
      error: isWhole ? undefined : `${body.products?.length} products of ${sellers}`,
    };
  } catch (error) {
    return { status: 0, ms: performance.now() - began, retryAfter: 0, error: error.message };
  }
}

/** On a separate connection, as a balancer does: the next request 20 ms after the last answer. */
function watchHealth(one) {
  const dispatcher = new Agent();
  const state = { stopped: false };
  const took = [];
  const loop = (async () => {
    while (!state.stopped) {
      const began = performance.now();
      const answer = await request(new URL('/healthz', one.url), { dispatcher });
      await answer.body.dump();
      took.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return {
    stop: async () => {
      state.stopped = true;
      await loop;
      await dispatcher.close();
      return took;
    },
  };
}

/** The built product with the sellers of two tenants: many buyers in one and a noisy caller in the other. */
async function product(label, farmed, environment, closers) {
  const data = mkdtempSync(join(tmpdir(), 'switchyard-bench-'));
  const server = spawn(process.execPath, [bin, 'up', '--data', data, '--no-sandbox', '--no-campaign'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...rates, ...environment },
  });
  const gone = once(server, 'exit');
  closers.push(async () => {
    server.kill('SIGTERM');
    await gone;
    rmSync(data, { recursive: true, force: true });
  });
  const { url } = await tokenOf(data, server);
  const rows = farmed.map(({ slug, token, url: agent_url }) => {
    return { slug, token, agent_url, protocol: 'mcp', dialect: 'adcp', form: '3.0' };
  });
  const file = join(data, 'bench-sellers.json');
  writeFileSync(file, JSON.stringify(rows), { mode: 0o600 });
  await run(process.execPath, [bin, 'sellers', 'import', file, '--data', data]);
  const store = openStore(postgresOf(data).ownerUrl);
  try {
    const local = await store.pool.query("select id from organization where slug = 'local'");
    const organizationId = local.rows[0].id;
    const buyer = async (organization) =>
      createToken(store, await createPrincipal(store, organization, { permissions: allPermissions }));
    const tokens = [];
    for (let at = 0; at < crowdSize; at += 1) tokens.push(await buyer(organizationId));
    const other = await createOrganization(store);
    const loud = await buyer(other.id);
    const dispatcher = new Agent({ connections: 512, keepAliveTimeout: 60_000 });
    closers.push(() => dispatcher.destroy());
    const imported = await request(new URL('/v1/sellers/import', url), {
      method: 'POST',
      dispatcher,
      headers: { authorization: `Bearer ${loud}`, 'content-type': 'application/json' },
      body: JSON.stringify(rows),
    });
    if (imported.statusCode !== 200)
      throw new Error(`The second tenant has no sellers: ${imported.statusCode}`);
    await imported.body.dump();
    await store.pool.query('analyze');
    return { label, url, dispatcher, crowd: tokens, quiet: tokens[0], loud };
  } finally {
    await store.close();
  }
}
