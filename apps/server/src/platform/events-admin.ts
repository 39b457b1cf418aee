import type { EventLog, LoggedDetail } from '@switchyard/store';
import { ownerFilter, visibleTo } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { EventDetail, EventsAdmin } from '../application/events-admin.js';
import type { PrincipalCaller } from '../application/task-call.js';
import { admitEvent, type Admission } from '../hands/admit-event.js';
import type { HandsParts } from '../hands/hands-parts.js';
import { eventDetail, eventView, withoutAddress } from './event-views.js';
import type { EvidenceVault } from './seal-evidence.js';

export interface EventsAdminParts extends HandsParts {
  readonly events: EventLog;
  /** Opens the bytes that held a secret, for who looks at them. */
  readonly evidence: Pick<EvidenceVault, 'open'>;
  readonly newId: () => string;
}

const shownAtMost = 500;
const shownUsually = 100;

/** What people do with webhooks: look at them, and decide about those that were put aside. */
export function createEventsAdmin(parts: EventsAdminParts): EventsAdmin {
  const show = async (
    caller: PrincipalCaller,
    id: string,
    raw = false,
  ): Promise<Result<EventDetail, AdminFailure>> => {
    const found = await parts.events.show({ organizationId: caller.organizationId }, id, ownerFilter(caller));
    if (found === undefined) return notFound;
    const isOperator = visibleTo(caller).kind === 'everything';
    // What was sealed holds secrets, and the address of a webhook is one: both are an operator's to see.
    const whole = raw && isOperator ? await unsealed(parts, caller, found) : found;
    const detail = eventDetail(isOperator ? whole : withoutAddress(whole), raw);
    if (isOperator) return ok(detail);
    const { registration_id: _secret, ...shown } = detail;
    return ok(shown);
  };
  return {
    list: async (caller, { limit, ...filter }) => {
      const wanted = Math.min(limit ?? shownUsually, shownAtMost);
      const listed = await parts.events.list(
        { organizationId: caller.organizationId },
        { ...filter, ...ownerFilter(caller), limit: wanted },
      );
      return listed.map(eventView);
    },
    show: (caller, id, { raw }) => show(caller, id, raw),
    admit: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      const known = await parts.events.show(scope, id, ownerFilter(caller));
      const event = known === undefined ? undefined : await parts.inbox.find(scope, id);
      if (known === undefined) return notFound;
      if (event === undefined) return conflict('It is a copy: the first one counts.');
      const admitted = await admitEvent(parts, scope, event, admissionOf(parts, caller, reason));
      return admitted.ok ? show(caller, id) : conflict(admitted.error.message);
    },
    dismiss: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      if ((await parts.events.show(scope, id, ownerFilter(caller))) === undefined) return notFound;
      const { decisionId, ...by } = admissionOf(parts, caller, reason);
      const isDecided = await parts.store.inTenant(scope, (client) =>
        parts.events.decide(client, {
          ...by,
          id: decisionId,
          eventId: id,
          decision: 'dismissed',
          decidedAt: parts.ports.clock.now(),
          state: 'refused',
          stateReason: 'dismissed',
        }),
      );
      return isDecided ? show(caller, id) : conflict('It does not stand in quarantine.');
    },
  };
}

/** With the bytes as they came, where those were sealed; as they are stored where the vault does not open them. */
async function unsealed(
  parts: EventsAdminParts,
  { organizationId, principalId }: PrincipalCaller,
  event: LoggedDetail,
): Promise<LoggedDetail> {
  const { sealedId, connectionId, seller } = event;
  if (sealedId === undefined) return event;
  const body = await parts.evidence.open({ organizationId }, sealedId, { connectionId, seller }, principalId);
  return body === undefined ? event : { ...event, body };
}

function admissionOf(parts: EventsAdminParts, caller: PrincipalCaller, reason: string): Admission {
  return {
    decisionId: parts.newId(),
    principalId: caller.principalId,
    principalName: caller.name,
    reason,
  };
}

const notFound: Result<never, AdminFailure> = err({
  code: 'NOT_FOUND',
  message: 'No event of yours has this id.',
  field: 'id',
});

function conflict(message: string): Result<never, AdminFailure> {
  return err({
    code: 'CONFLICT',
    message,
    suggestion: 'Look at it with: switchyard events show ID',
  });
}
