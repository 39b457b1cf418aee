import { readRevocation, usesRights } from '@switchyard/sellers';
import type { GovernanceCases, InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

/** How long before its deadline a revocation is acted on, in milliseconds: sellers need time to answer. */
const leadMs = 60 * 60_000;

/**
 * Makes a case of revoked rights (docs/protocol/governance.md#revoked-rights). Only the agent that granted them is
 * believed, and only with its signature: else any seller could stop what runs at others.
 */
export async function applyRightsEvent(
  { ports, governance }: Pick<WorkerDeps, 'ports'> & { readonly governance: GovernanceCases },
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark> {
  const { id } = event;
  const quarantined = (reason: string): InboxMark => ({ id, state: 'quarantined', reason });
  const connection = await ports.connections.byId(scope, event.connectionId);
  if (connection?.kinds.includes('rights') !== true) return quarantined('not_its_owner');
  if (event.keyid === undefined) return quarantined('not_signed');
  const parsed = parseStrictJson(event.body);
  const body = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  const revocation = readRevocation(body);
  if (revocation === undefined) return quarantined('unreadable_revocation');
  const naming = await governance.creativesNaming(scope, revocation.rightsId);
  const touched = naming.filter(({ body: of }) => usesRights(of, revocation, connection.agentUrl));
  if (touched.length === 0) return quarantined('unknown_rights');
  const now = ports.clock.now();
  await governance.open(
    scope,
    {
      ...revocation,
      id,
      kind: 'rights_revoked',
      state: 'open',
      connectionId: connection.id,
      owner: connection.slug,
      eventId: id,
      buys: await governance.runningWith(
        scope,
        touched.map((creative) => creative.id),
      ),
      actAt: Math.max(now, revocation.effectiveAt - leadMs),
    },
    now,
  );
  return { id, state: 'applied' };
}
