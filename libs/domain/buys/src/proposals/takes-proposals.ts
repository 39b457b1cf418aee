import { createMediaBuy, hasFeature, shapeArgs, taskNameAt } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';

/**
 * Whether a seller can be sent its proposal by name: its release has proposals, its tool names the arguments, and it
 * does not say that it supports none. One that says nothing of it is taken at its word: it made the proposal.
 */
export function takesProposals({ form, dialect, capabilities, tools }: Connection): boolean {
  if (!hasFeature(form, 'proposals')) return false;
  const buying = capabilities?.original['media_buy'];
  if (isJsonObject(buying) && buying['supports_proposals'] === false) return false;
  const declared = tools?.[taskNameAt(createMediaBuy, dialect, tools)];
  return shapeArgs({ proposal_id: '', total_budget: {} }, declared).dropped.length === 0;
}
