import type { Campaign, ClientRepository } from '@switchyard/buys';
import type { Reach } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import { type PrincipalCaller, scopeOf } from '../platform/tasks/call/task-call.js';
import type { AdminFailure } from '../platform/failure.js';

/** A campaign within the caller's reach, by its id. */
export async function campaignIn(
  { clients }: { readonly clients: ClientRepository },
  caller: PrincipalCaller,
  reach: Reach,
  id: string,
): Promise<Campaign | undefined> {
  return isUuid(id) ? (await clients.campaigns(scopeOf(caller), reach, { id, limit: 1 }))[0] : undefined;
}

export const noCampaign: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no campaign with this id.',
  field: 'campaign_id',
};
