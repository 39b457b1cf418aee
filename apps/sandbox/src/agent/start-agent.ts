import type { MarketClock } from '../delivery/market-clock.js';
import { createServer } from 'node:http';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { dialects } from '@switchyard/protocol';
import { publicJwk } from '@switchyard/signing';
import { openDecider } from '../deciders/decider-events.js';
import { openSignIn, sellerScope, type SignInServer } from '../sign-in/sign-in-server.js';
import { openA2aEndpoint } from './a2a-endpoint.js';
import { oauthDoor, tokenDoor, type Door } from './admit.js';
import type { Agent } from './agent.js';
import { Agenda } from '../webhooks/agenda.js';
import type { AgentInfo } from './agent-info.js';
import { Books } from '../buys/books.js';
import { showCreative } from '../creatives/library.js';
import { CallLog } from './call-log.js';
import { catalogueOf } from '../buys/catalogue.js';
import { deliver } from '../delivery/deliver.js';
import { invoicesOf } from '../delivery/invoices.js';
import { freePort } from './free-port.js';
import { followTask } from './follow-task.js';
import type { Identity } from './identity.js';
import type { JsonObject } from '../json.js';
import { openMcpEndpoint } from './mcp-endpoint.js';
import { Outbox } from '../webhooks/outbox.js';
import type { Personality } from '../personalities.js';
import { catalogued } from '../test-controller/seed-product.js';
import { showBooks } from '../buys/show-buy.js';
import { signalsOf } from '../signals/signals-catalogue.js';
import { notifyVerdict } from '../webhooks/notify-verdict.js';
import { toolsOf } from './tools.js';

interface AgentSettings {
  readonly dataDir: string;
  readonly seed: string;
  readonly dayMs: number;
  readonly scale: number;
  readonly market: MarketClock;
}

export interface RunningAgent {
  readonly info: AgentInfo;
  readonly port: number;
  books(): JsonObject[];
  /** The current library of creatives. */
  creatives(): JsonObject[];
  calls(): JsonObject;
  stop(): Promise<void>;
}

/** Starts one agent on its own port and continues what an earlier process left unfinished. */
export async function startAgent(
  personality: Personality,
  identity: Identity,
  settings: AgentSettings,
): Promise<RunningAgent> {
  const port = await freePort(identity.port);
  const agent = makeAgent(personality, identity, settings, port);
  const signIn = personality.signIn === 'oauth' ? await signInOf(agent, identity, settings) : undefined;
  const app = appOf(signIn);
  const tools = toolsOf(personality, agent.names);
  openWellKnown(app, agent, identity);
  openDecider(app, agent);
  const door = signIn === undefined ? tokenDoor(identity.token) : openResource(app, agent, signIn);
  if (personality.protocol === 'mcp') openMcpEndpoint(app, agent, tools, door);
  else openA2aEndpoint(app, agent, tools, door);
  const books = (): JsonObject[] => [...agent.books.buys.values()].map((buy) => showBooks(agent, buy));
  const calls = (): JsonObject => callsOf(agent);
  app.get('/books', books);
  const creatives = (): JsonObject[] =>
    [...agent.books.creatives.values()].map((creative) => showCreative(agent, creative));
  app.get('/calls', calls);
  app.get<{ Querystring: { period?: string; credits?: string } }>('/invoices', ({ query }) =>
    invoicesOf(agent, query.period ?? '', query.credits),
  );
  await app.listen({ port, host: '127.0.0.1' });
  for (const buy of agent.books.buys.values()) deliver(agent, buy);
  for (const task of agent.books.tasks.values()) followTask(agent, task);
  for (const creative of agent.books.creatives.values()) notifyVerdict(agent, creative);
  agent.outbox.resume();
  return { info: infoOf(agent, identity), port, books, creatives, calls, stop: () => stop(app, agent) };
}

/** Its authorization server, if it has one, answers at the same origin. */
function appOf(signIn: SignInServer | undefined): FastifyInstance {
  const usual = { bodyLimit: 1_048_576, forceCloseConnections: true, logger: false } as const;
  if (signIn === undefined) return fastify(usual);
  return fastify({
    ...usual,
    serverFactory: (handler) =>
      createServer((request, response) =>
        signIn.owns(request.url ?? '') ? signIn.answer(request, response) : handler(request, response),
      ),
  });
}

function signInOf(agent: Agent, { token }: Identity, { dataDir }: AgentSettings): Promise<SignInServer> {
  const { personality, origin, agentUrl } = agent;
  return openSignIn({
    origin,
    resource: agentUrl,
    sellerName: personality.name,
    client: { id: machineClient, secret: token },
    file: join(dataDir, personality.slug, 'sign-in.json'),
  });
}

/** The client that the desk of an agent behind OAuth has given us; its secret is what others use as token. */
const machineClient = 'switchyard-machine';

/** Publishes where tokens for an agent come from (RFC 9728). */
function openResource(app: FastifyInstance, agent: Agent, signIn: SignInServer): Door {
  const path = `/.well-known/oauth-protected-resource/${agent.personality.protocol}`;
  app.get(path, () => ({
    resource: agent.agentUrl,
    authorization_servers: [agent.origin],
    scopes_supported: [sellerScope],
    bearer_methods_supported: ['header'],
  }));
  return oauthDoor(signIn, `${agent.origin}${path}`, sellerScope);
}

function makeAgent(
  personality: Personality,
  identity: Identity,
  settings: AgentSettings,
  port: number,
): Agent {
  const names = dialects[personality.dialect];
  const origin = `http://127.0.0.1:${String(port)}`;
  const books = new Books(join(settings.dataDir, personality.slug, 'books.jsonl'));
  const agenda = new Agenda();
  const key = {
    kid: identity.kid,
    privateKey: identity.privateKey,
    tag: names.webhookTag,
    legacyNames: { signature: names.legacySignatureHeader, timestamp: names.legacyTimestampHeader },
  };
  const sales = personality.kind === 'sales';
  const catalogue = sales ? catalogueOf(settings.seed, personality) : [];
  return {
    personality,
    names,
    seed: settings.seed,
    dayMs: settings.dayMs,
    scale: settings.scale,
    origin,
    agentUrl: `${origin}/${personality.protocol}`,
    // Built at every read, because a conformance run may add products while the agent runs.
    get products() {
      return [
        ...[...books.seeded.values()].map((product) => catalogued({ personality }, product)),
        ...catalogue,
      ];
    },
    signals: personality.kind === 'signals' ? signalsOf(settings.seed, personality) : [],
    books,
    agenda,
    outbox: new Outbox(books, agenda, key),
    calls: new CallLog(),
    now: () => Date.now(),
    market: settings.market,
  };
}

function infoOf(agent: Agent, identity: Identity): AgentInfo {
  const { personality, origin } = agent;
  return {
    slug: personality.slug,
    name: personality.name,
    character: personality.character,
    agent_url: agent.agentUrl,
    protocol: personality.protocol,
    dialect: personality.dialect,
    form: personality.form,
    kinds: [personality.kind],
    currency: personality.currency,
    token: identity.token,
    ...(personality.signIn === 'oauth' ? { client_id: machineClient } : {}),
    jwks_uri: `${origin}/.well-known/jwks.json`,
    brand_json_url: `${origin}/.well-known/brand.json`,
    books_url: `${origin}/books`,
    invoices_url: `${origin}/invoices`,
    calls_url: `${origin}/calls`,
  };
}

function callsOf(agent: Agent): JsonObject {
  return {
    counts: Object.fromEntries(agent.calls.counts),
    recent: agent.calls.recent.map(({ at, tool, caller, args }) => ({ at, tool, caller, args })),
  };
}

async function stop(app: FastifyInstance, agent: Agent): Promise<void> {
  agent.agenda.stop();
  await app.close();
}

/** The public documents of an agent: its identity, and the key that verifies its signatures. */
function openWellKnown(app: FastifyInstance, agent: Agent, identity: Identity): void {
  const { personality, origin, agentUrl } = agent;
  const id = personality.slug.replaceAll('-', '_');
  app.get('/.well-known/brand.json', () => ({
    id,
    names: [{ en: personality.name }],
    house: { domain: `${personality.slug}.market.example`, name: personality.name },
    agents: [{ type: personality.kind, url: agentUrl, id, jwks_uri: `${origin}/.well-known/jwks.json` }],
  }));
  const useMembers = Object.values(dialects).map((names) => names.keyUseMember);
  const key = { kid: identity.kid, alg: 'ed25519' as const, publicKey: identity.publicKey };
  app.get('/.well-known/jwks.json', () => ({ keys: [publicJwk(key, useMembers)] }));
}
