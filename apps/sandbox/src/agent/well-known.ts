import { dialects } from '@switchyard/protocol';
import { publicJwk } from '@switchyard/signing';
import type { FastifyInstance } from 'fastify';
import type { Agent } from './agent.js';
import type { Identity } from './identity.js';

/** The public documents of an agent: its identity, and the key that verifies its signatures. */
export function openWellKnown(app: FastifyInstance, agent: Agent, identity: Identity): void {
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
