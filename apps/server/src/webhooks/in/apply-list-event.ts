import { readListChange, thingOfList, type ListKind } from '@switchyard/sellers';
import type { GovernanceCases, InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, isJsonObject, isoOf, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';

/** How long a person may answer before what runs goes on, in milliseconds. */
const answerWithinMs = 24 * 60 * 60_000;

/**
 * Makes a case of a changed list of properties or collections that packages of ours name
 * (docs/protocol/governance.md#changed-lists). Only the agent whose list it is is believed, and only with its signature.
 */
export async function applyListEvent(
  {
    ports,
    governance,
    governedThings,
  }: Pick<WorkerDeps, 'ports' | 'governedThings'> & { readonly governance: GovernanceCases },
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
  const { added, removed, total, validUntil } = change;
  // A time that is still to come is only until when the owner wants to be asked again.
  const isOver = validUntil !== undefined && validUntil <= now;
  const told = { ...defined({ added, removed, total }), ...(isOver && { valid_until: isoOf(validUntil) }) };
  // Before the case: nobody buys with it meanwhile.
  if (isOver)
    await governedThings?.end(
      scope,
      { kind: thingOfList(kind), subject: listId, agentUrl: connection.agentUrl },
      now,
    );
  await governance.open(
    scope,
    {
      id,
      kind,
      // The workers read the list from its owner before they ask anybody.
      state: 'open',
      rightsId: listId,
      reason: 'Its owner says that it has changed.',
      effectiveAt: now + answerWithinMs,
      uses: [],
      connectionId: connection.id,
      owner: connection.slug,
      eventId: id,
      changes: { told },
      actAt: now,
    },
    now,
  );
  return { id, state: 'applied' };
}
