import { DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import type { TransportFailure } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import { originFetch } from './origin-fetch.js';
import type { Exchange, Wires } from './exchange.js';
import { failureOf } from './failure.js';

export type AgentCard = Awaited<ReturnType<DefaultAgentCardResolver['resolve']>>;

const wellKnown = '.well-known/agent-card.json';

/**
 * Fetches an agent card: first below the agent's URL, where a host with several agents has one card for each, then at
 * the root of the host. Every failure has `delivered: 'no'`, because no task was sent.
 */
export async function resolveCard(
  agentUrl: string,
  exchange: Exchange,
  wires: Wires,
): Promise<Result<AgentCard, TransportFailure>> {
  for (const address of cardAddresses(agentUrl)) {
    delete exchange.failure;
    const resolver = new DefaultAgentCardResolver({
      fetchImpl: originFetch(new URL(agentUrl).origin, exchange, wires),
      legacyCompat: { enabled: true },
    });
    try {
      const card = await resolver.resolve(address, '');
      if (Array.isArray(card.supportedInterfaces) && card.supportedInterfaces.length > 0) return ok(card);
    } catch {
      const failed = failureIn(exchange);
      if (failed !== undefined && failed.code !== 'http_error') return err({ ...failed, delivered: 'no' });
    }
  }
  return err({ ...(failureIn(exchange) ?? failureOf('protocol_error', 'no')), delivered: 'no' });
}

function cardAddresses(agentUrl: string): string[] {
  if (agentUrl.endsWith('.json')) return [agentUrl];
  const beneath = `${agentUrl.replace(/\/+$/, '')}/${wellKnown}`;
  const atRoot = new URL(`/${wellKnown}`, agentUrl).href;
  return beneath === atRoot ? [atRoot] : [beneath, atRoot];
}

/** The compiler cannot see that the fetch sets it. */
function failureIn(exchange: Exchange): TransportFailure | undefined {
  return exchange.failure;
}
