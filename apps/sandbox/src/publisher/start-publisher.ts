import fastify from 'fastify';
import { freePort } from '../agent/free-port.js';
import type { AgentInfo } from '../agent/agent-info.js';

/** A publisher's site, with the documents that say who sells for it. */
export interface Publisher {
  /** `127.0.0.1:PORT`. */
  readonly domain: string;
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Serves adagents.json and brand.json: its own desk, which both name; a network that may sell the rest, if it runs; and one
 * whose time is over.
 */
export async function startPublisher(
  sellers: { readonly desk: AgentInfo; readonly network?: AgentInfo },
  wantedPort: number | undefined,
): Promise<Publisher> {
  const { desk, network } = sellers;
  const port = await freePort(wantedPort);
  const domain = `127.0.0.1:${String(port)}`;
  const app = fastify({ logger: false, forceCloseConnections: true });
  const property = 'gazette_web';
  const entry = (url: string, authorizedFor: string, more: object): object => ({
    url,
    authorized_for: authorizedFor,
    authorization_type: 'property_ids',
    property_ids: [property],
    ...more,
  });
  app.get('/.well-known/adagents.json', () => ({
    contact: { name: `${desk.name} ad desk`, domain },
    properties: [
      {
        property_id: property,
        property_type: 'website',
        name: desk.name,
        identifiers: [{ type: 'domain', value: domain }],
        publisher_domain: domain,
      },
    ],
    authorized_agents: [
      entry(desk.agent_url, 'Own desk, all pages', { delegation_type: 'direct', exclusive: true }),
      ...(network === undefined
        ? []
        : [entry(network.agent_url, 'What is left', { delegation_type: 'ad_network' })]),
      entry('https://agent.remnant.example/mcp', 'What was left until 2024', {
        delegation_type: 'ad_network',
        effective_until: '2024-12-31T23:59:59Z',
      }),
    ],
    last_updated: '2026-01-01T00:00:00Z',
  }));
  app.get('/.well-known/brand.json', () => ({
    id: 'gazette',
    names: [{ en: desk.name }],
    agents: [{ type: 'sales', id: 'gazette_desk', url: desk.agent_url, jwks_uri: desk.jwks_uri }],
  }));
  await app.listen({ port, host: '127.0.0.1' });
  return { domain, port, stop: () => app.close() };
}
