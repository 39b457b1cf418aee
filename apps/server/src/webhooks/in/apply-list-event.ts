import { askedBecause, readListChange, type ListKind } from '@switchyard/sellers';
import type { GovernanceCases, InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

/** How long a person may answer before what runs goes on, in milliseconds. */
const answerWithinMs = 24 * 60 * 60_000;

/**
 * Makes a case of a changed list of properties or collections that packages of ours name
 * (docs/protocol/governance.md#changed-lists). Only the agent whose list it is is believed, and only with its signature.
 */
export async function applyListEvent(
  { ports, governance }: Pick<WorkerDeps, 'ports'> & { readonly governance: GovernanceCases },
  scope: TenantScope,
  event: WaitingEvent,
  kind: ListKind,
): Promise<InboxMark> {
  const { id } = event;
  const quarantined = (reason: string): InboxMark => ({ id, state: 'quarantined', reason });
  const connection = await ports.connections.byId(scope, event.connectionId);
  if (connection?.kinds.includes('governance') !== true) return quarantined('not_its_owner');
  if (event.keyid === undefined) return quarantined('not_signed');
  const parsed = parseStrictJson(event.body);
  const body = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  const change = readListChange(kind, body);
  if (change === undefined) return quarantined('unreadable_list_change');
  const { listId } = change;
  if (!(await governance.isListNamed(scope, listId, connection.agentUrl))) return quarantined('unknown_list');
  const now = ports.clock.now();
  const why = askedBecause(kind, change, now);
  await governance.open(
    scope,
    {
      id,
      kind,
      // A change that takes nothing away is on record, and nobody is asked.
      state: why === undefined ? 'done' : 'asked',
      rightsId: listId,
      reason: why ?? `${change.added ?? 0} entries were added.`,
      effectiveAt: now + answerWithinMs,
      uses: [],
      connectionId: connection.id,
      owner: connection.slug,
      eventId: id,
      ...(why !== undefined && { actAt: now }),
    },
    now,
  );
  return { id, state: 'applied' };
}
