import type { BuyAssignment } from '@switchyard/buys';

/** The row of a decision on the owner of a buy; the ledger entry is written later. */
export function assignmentRows(
  organizationId: string,
  assignment: BuyAssignment | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  if (assignment === undefined) return [];
  return [
    {
      id: assignment.id,
      organization_id: organizationId,
      media_buy_id: assignment.mediaBuyId,
      campaign_id: assignment.campaignId,
      client_id: assignment.clientId,
      source: assignment.source,
      reason: assignment.reason,
      principal_id: assignment.principalId,
      at: new Date(assignment.at),
    },
  ];
}
