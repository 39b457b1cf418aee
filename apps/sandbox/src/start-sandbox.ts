import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { AgentInfo } from './agent/agent-info.js';
import { MarketClock, speeds } from './delivery/market-clock.js';
import { Identities } from './agent/identity.js';
import type { JsonObject } from './json.js';
import { market, onRequest } from './personalities.js';
import { startAgent, type RunningAgent } from './agent/start-agent.js';

export interface SandboxOptions {
  /** Control port; 0 selects a free one. */
  readonly port: number;
  /** Folder for buys, keys and tokens. If absent, a temporary folder, removed by `stop`. */
  readonly dataDir?: string;
  readonly seed: string;
  /** The duration of a campaign day, in milliseconds. */
  readonly dayMs: number;
  /** Multiplies every latency and approval time; 1 is realistic, 0.1 is for tests. */
  readonly scale?: number;
  /** Slugs of the personalities to start; if absent, all but those on request. */
  readonly agents?: readonly string[];
}

export interface Sandbox {
  /** The control address: `/agents`, `/books`, `/calls`, `/clock`, `/healthz`. */
  readonly url: string;
  readonly agents: readonly AgentInfo[];
  stop(): Promise<void>;
}

/** The requested control port is in use. */
export class PortTaken extends Error {
  constructor(readonly port: number) {
    super(`port ${String(port)} on 127.0.0.1 is taken`);
  }
}

/** Starts the market: one port per agent, and one control port for all. Throws `PortTaken`. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'switchyard-market-')));
  const running: RunningAgent[] = [];
  await mkdir(dataDir, { recursive: true });
  const clock = new MarketClock(options.dayMs, join(dataDir, 'clock.json'));
  const control = controlOf(running, clock);
  const url = await listen(control, options.port);
  const stop = async (): Promise<void> => {
    clock.stop();
    await Promise.all([control.close(), ...running.map((agent) => agent.stop())]);
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await openAgents(options, dataDir, { running, clock });
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, agents: running.map((agent) => agent.info), stop };
}

async function openAgents(
  options: SandboxOptions,
  dataDir: string,
  { running, clock }: { readonly running: RunningAgent[]; readonly clock: MarketClock },
): Promise<void> {
  const known = options.agents === undefined ? market : [...market, ...onRequest];
  const unknown = options.agents?.find((slug) => !known.some((each) => each.slug === slug));
  if (unknown !== undefined) throw new Error(`no personality is called ${unknown}`);
  const identities = new Identities(dataDir);
  const settings = {
    dataDir,
    seed: options.seed,
    dayMs: options.dayMs,
    scale: options.scale ?? 1,
    market: clock,
  };
  for (const personality of known) {
    if (options.agents && !options.agents.includes(personality.slug)) continue;
    const identity = identities.of(personality.slug);
    // Saved before the agent answers: a token that was passed on must be valid after the next start.
    identities.save();
    const agent = await startAgent(personality, identity, settings);
    running.push(agent);
    identities.rememberPort(personality.slug, agent.port);
  }
  identities.save();
}

function controlOf(running: readonly RunningAgent[], clock: MarketClock): FastifyInstance {
  const control = fastify({ logger: false, forceCloseConnections: true });
  const each = (show: (agent: RunningAgent) => JsonObject) => () => running.map(show);
  const clockNow = (): JsonObject => ({
    speed: clock.speed,
    market_time: new Date(clock.now()).toISOString(),
  });
  control.get('/clock', clockNow);
  control.post<{ Params: { speed: string } }>('/clock/:speed', ({ params }, reply) => {
    const speed = speeds.find((one) => one === params.speed);
    if (params.speed === 'next-day') clock.nextDay();
    else if (speed === undefined)
      return reply.status(404).send({ error: 'paused, second, minute or next-day' });
    else clock.set(speed);
    return clockNow();
  });
  control.get('/healthz', () => ({ ok: true, agents: running.length }));
  control.get(
    '/agents',
    each(({ info: { token: _token, kinds, ...shown } }) => ({ ...shown, kinds: [...kinds] })),
  );
  control.get(
    '/books',
    each((agent) => ({ slug: agent.info.slug, buys: agent.books(), creatives: agent.creatives() })),
  );
  control.get(
    '/calls',
    each((agent) => ({ slug: agent.info.slug, ...agent.calls() })),
  );
  return control;
}

async function listen(control: FastifyInstance, port: number): Promise<string> {
  try {
    await control.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') throw new PortTaken(port);
    throw error;
  }
  return `http://127.0.0.1:${String((control.server.address() as AddressInfo).port)}`;
}
