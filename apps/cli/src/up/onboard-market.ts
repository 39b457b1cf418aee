import type { ImportedSeller, PrincipalCaller, Switchyard } from '@switchyard/server';
import { Secret } from '@switchyard/values';
import type { SandboxAgent } from './sandbox-process.js';

/**
 * Brings the practice market into the local organization. A seller that is live at the same address already is left
 * alone, so that a second start costs nothing and rotates no credential.
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
