import { createMediaBuy, hasFeature, shapeArgs, taskNameAt } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject } from '@switchyard/values';

/**
 * Whether a seller can be sent its proposal by id: its release has proposals, its tool lists the arguments, and its
 * capabilities do not exclude them. Without a declaration the answer is yes, because it made the proposal.
 */
export function takesProposals({ form, dialect, capabilities, tools }: Connection): boolean {
  if (!hasFeature(form, 'proposals')) return false;
  const buying = capabilities?.original['media_buy'];
  if (isJsonObject(buying) && buying['supports_proposals'] === false) return false;
  const declared = tools?.[taskNameAt(createMediaBuy, dialect, tools)];
  return shapeArgs({ proposal_id: '', total_budget: {} }, declared).dropped.length === 0;
}
