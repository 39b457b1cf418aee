import type { ImportedSeller, PrincipalCaller, Switchyard } from '@switchyard/server';
import { Secret } from '@switchyard/values';
import type { SandboxAgent } from './sandbox-process.js';

/**
 * Onboards the sandbox market in the local organization. A seller that is already live at the same address is not
 * changed, so that a second start is fast and rotates no credential.
 */
export async function onboardMarket(
  switchyard: Switchyard,
  agents: readonly SandboxAgent[],
): Promise<readonly ImportedSeller[]> {
  const { admin, operator } = switchyard;
  const live = await liveAddresses(admin, operator);
  const missing = agents.filter((agent) => live.get(agent.slug) !== agent.agentUrl);
  if (missing.length === 0) return [];
  const imported = await admin.importSellers(
    operator,
    missing.map((agent) => ({
      slug: agent.slug,
      agentUrl: agent.agentUrl,
      protocol: agent.protocol,
      dialect: agent.dialect,
      token: new Secret(Buffer.from(agent.token)),
    })),
  );
  if (imported.ok) return imported.value;
  return missing.map(({ slug }) => ({ slug, state: 'failed', reason: imported.error.message }));
}

async function liveAddresses(
  admin: Switchyard['admin'],
  operator: PrincipalCaller,
): Promise<ReadonlyMap<string, string>> {
  const sellers = await admin.listSellers(operator);
  return new Map(
    sellers.filter((seller) => seller.state === 'live').map((seller) => [seller.slug, seller.agent_url]),
  );
}
