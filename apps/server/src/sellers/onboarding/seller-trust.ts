import { authorize } from '@switchyard/tenancy';
import type { Connection } from '@switchyard/sellers';
import type { AdminFailure, SellerDraft } from '../../platform/failure.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';

/** Members of the request that decide whose signature is accepted as a seller's. */
type TrustMember = 'agent_url' | 'jwks_uri' | 'brand_json_url' | 'legacy_webhooks';

/**
 * Refuses a change of what decides whose signature is accepted as a known seller's, unless the caller may approve
 * sellers: a forged report costs money. Every route that changes a seller checks this first. A new seller has no
 * history to forge, so whoever may add it names its keys.
 */
export function trustFault(
  caller: Pick<PrincipalCaller, 'kind' | 'permissions'>,
  known: Connection | undefined,
  draft: SellerDraft,
): AdminFailure | undefined {
  const [field] = known === undefined ? [] : trustChanges(known, draft);
  if (field === undefined) return undefined;
  const allowed = authorize(caller, { access: 'credentials', area: 'sellers', permission: 'approve' });
  if (allowed.ok) return undefined;
  return {
    code: 'INSUFFICIENT_PERMISSIONS',
    message: `This changes the ${field} of a known seller, and so whose signature counts. ${allowed.error.message}`,
    field,
  };
}

/** Members of the draft that differ from the stored ones. The address leads to the keys if none are pinned. */
function trustChanges(known: Connection, draft: SellerDraft): readonly TrustMember[] {
  const changes: Readonly<Record<TrustMember, boolean>> = {
    agent_url: known.agentUrl !== draft.agentUrl,
    jwks_uri: known.pinnedJwksUri !== draft.jwksUri,
    brand_json_url: known.pinnedBrandJsonUrl !== draft.brandJsonUrl,
    legacy_webhooks: known.legacyWebhooks !== (draft.legacyWebhooks ?? false),
  };
  return (Object.keys(changes) as TrustMember[]).filter((member) => changes[member]);
}
