import type { Proposal, ProposalQuote } from '@switchyard/buys';
import { prefixId } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { newest, slugsAndIds } from './offers.js';

/** Stores the newest quote of each proposal, in one statement for all sellers; an older one changes nothing. */
export async function saveProposals(client: TenantClient, quotes: readonly ProposalQuote[]): Promise<void> {
  if (quotes.length === 0) return;
  const stored = newest(
    quotes,
    ({ connectionId, proposal }) => `${connectionId} ${storableText(proposal.proposalId)}`,
    ({ proposal }) => proposal.proposedAt,
  );
  await client.query({
    name: 'save_proposals',
    text: `
      INSERT INTO offered_proposal (connection_id, proposal_id, organization_id, seller, proposal, proposed_at)
      SELECT made.connection_id, made.proposal_id, $1, made.seller, made.proposal, made.proposed_at
      FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[])
        AS made (connection_id, proposal_id, seller, proposal, proposed_at)
      ON CONFLICT (connection_id, proposal_id)
        DO UPDATE SET proposal = excluded.proposal, proposed_at = excluded.proposed_at
        WHERE offered_proposal.proposed_at <= excluded.proposed_at`,
    values: [
      client.organizationId,
      stored.map(({ connectionId }) => connectionId),
      stored.map(({ proposal }) => storableText(proposal.proposalId)),
      stored.map(({ proposal }) => proposal.seller),
      stored.map(({ proposal }) => storableJson(proposal)),
      stored.map(({ proposal }) => new Date(proposal.proposedAt)),
    ],
  });
}

/** Reads proposals by prefixed id. Proposals of another organization are not found. */
export async function readProposals(
  store: Pick<Store, 'onceInTenant'>,
  scope: TenantScope,
  prefixedIds: readonly string[],
): Promise<ReadonlyMap<string, Proposal>> {
  const named = slugsAndIds(prefixedIds);
  if (named[0].length === 0) return new Map();
  const { rows } = await store.onceInTenant<{ proposal: Proposal }>(scope, {
    text: `SELECT proposal FROM offered_proposal
           WHERE organization_id = scope.organization_id
             AND (seller, proposal_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    values: named,
  });
  return new Map(rows.map(({ proposal }) => [prefixId(proposal.seller, proposal.proposalId), proposal]));
}
