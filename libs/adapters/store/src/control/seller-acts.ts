import { approvedChecks } from '@switchyard/sellers';
import { runOf, saveRun } from '../sellers/onboarding-runs.js';
import { freely, refused, type ActRules } from './control-act.js';
import { lockRow } from '../core/lock-row.js';

/** A seller that was live once may be brought in again after it failed or was removed. */
const beforeLive: ReadonlySet<string> = new Set(['draft', 'onboarding', 'failed', 'removed']);

/**
 * A seller goes live by another person, on the results that it was shown: a check that ran since, or another
 * address, voids the request.
 */
export const sellerLive: ActRules<'seller_live'> = {
  judge: async (client, { connectionId, digest }) => {
    const columns = ['slug', 'state', 'agent_url'] as const;
    const seller = await lockRow(client, 'connection', { id: connectionId }, columns);
    const run = await runOf(client, connectionId);
    if (seller === undefined || run === undefined || !beforeLive.has(seller.state))
      return refused('CONFLICT', 'It is no draft any more.');
    if (run.digest !== digest) return refused('CONFLICT', 'A check of the seller has changed since.');
    return {
      ...freely(`seller ${seller.slug}`),
      asks: true,
      basedOn: [digest, seller.agent_url],
      reason: `Lets ${seller.slug} at ${seller.agent_url} go live: it gets requests and credentials of clients.`,
    };
  },
  apply: async (client, { connectionId }, { at }) => {
    await client.models.connection.updateMany({
      where: { organization_id: client.organizationId, id: connectionId, state: { in: [...beforeLive] } },
      data: { state: 'live', state_reason: null, updated_at: new Date(at) },
    });
    const run = await runOf(client, connectionId);
    if (run !== undefined)
      await saveRun(client, { ...run, state: 'live', checks: approvedChecks(run.checks, at), updatedAt: at });
    return true;
  },
};
