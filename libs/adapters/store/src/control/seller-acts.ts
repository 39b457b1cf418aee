import { approvedChecks } from '@switchyard/sellers';
import { runOf, saveRun } from '../sellers/onboarding-runs.js';
import { freely, refused, type ActRules } from './control-act.js';

/** A seller that was live once may be brought in again after it failed or was removed. */
const beforeLive: ReadonlySet<string> = new Set(['draft', 'onboarding', 'failed', 'removed']);

/**
 * A seller goes live by another person, on the results that it was shown: a check that ran since, or another
 * address, voids the request.
 */
export const sellerLive: ActRules<'seller_live'> = {
  judge: async (client, { connectionId, digest }) => {
    const { rows } = await client.query<{ slug: string; state: string; agent_url: string }>(
      'select slug, state, agent_url from connection where organization_id = $1 and id = $2 for update',
      [client.organizationId, connectionId],
    );
    const run = await runOf(client, connectionId);
    const [seller] = rows;
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
    const when = new Date(at);
    await client.query(
      `update connection set state = 'live', state_reason = null, updated_at = $3
       where organization_id = $1 and id = $2 and state = any($4)`,
      [client.organizationId, connectionId, when, [...beforeLive]],
    );
    const run = await runOf(client, connectionId);
    if (run !== undefined)
      await saveRun(client, { ...run, state: 'live', checks: approvedChecks(run.checks, at), updatedAt: at });
    return true;
  },
};
