import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import type { AgentInfo } from './agent/agent-info.js';
import { MarketClock, speeds } from './delivery/market-clock.js';
import { Identities } from './agent/identity.js';
import type { JsonObject } from './json.js';
import { desk, market, onRequest } from './personalities.js';
import { startPublisher, type Publisher } from './publisher/start-publisher.js';
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
  /** The control address: `/agents`, `/publisher`, `/books`, `/calls`, `/clock`, `/healthz`. */
  readonly url: string;
  readonly agents: readonly AgentInfo[];
  /** The publisher whose domain names the desk, unless the desk is not started. */
  readonly publisher?: {
    readonly domain: string;
    readonly desk: AgentInfo;
    /** Id of an account of ours at the desk. */
    readonly account: string;
  };
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
  const sites: Publisher[] = [];
  await mkdir(dataDir, { recursive: true });
  const clock = new MarketClock(options.dayMs, join(dataDir, 'clock.json'));
  const control = controlOf(running, sites, clock);
  const url = await listen(control, options.port);
  const stop = async (): Promise<void> => {
    clock.stop();
    await Promise.all([control.close(), ...[...running, ...sites].map((each) => each.stop())]);
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  try {
    sites.push(...(await openAgents(options, dataDir, { running, clock })));
  } catch (error) {
    await stop();
    throw error;
  }
  const [found, others] = [running.filter(isDesk), running.filter((agent) => !isDesk(agent))];
  const agents = others.map(({ info }) => info);
  const [own, site] = [found[0]?.info, sites[0]];
  if (own === undefined || site === undefined) return { url, agents, stop };
  return {
    url,
    agents,
    publisher: { domain: site.domain, desk: own, account: desk.accounts[0]?.id ?? '' },
    stop,
  };
}

const isDesk = ({ info }: RunningAgent): boolean => info.slug === desk.slug;

/** Starts the agents into `running`, and answers with the site of the publisher if its desk is among them. */
async function openAgents(
  options: SandboxOptions,
  dataDir: string,
  { running, clock }: { readonly running: RunningAgent[]; readonly clock: MarketClock },
): Promise<readonly Publisher[]> {
  const known = [...market, desk, ...(options.agents === undefined ? [] : onRequest)];
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
  const own = running.find(isDesk)?.info;
  const network = running.find(({ info }) => info.slug === 'malformed')?.info;
  const sites =
    own === undefined
      ? []
      : [await startPublisher({ desk: own, ...(network && { network }) }, identities.of(siteName).port)];
  for (const { port } of sites) identities.rememberPort(siteName, port);
  identities.save();
  return sites;
}

const siteName = 'publisher';

function controlOf(
  running: readonly RunningAgent[],
  sites: readonly Publisher[],
  clock: MarketClock,
): FastifyInstance {
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
  control.get('/publisher', (_request, reply) => {
    const [site] = sites;
    if (site === undefined) return reply.code(404).send({ error: 'its desk does not run' });
    return reply.send({ domain: site.domain, agent_url: running.find(isDesk)?.info.agent_url });
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
