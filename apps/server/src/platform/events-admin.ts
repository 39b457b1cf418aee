import type { EventLog } from '@switchyard/store';
import { err, type Result } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { EventDetail, EventsAdmin } from '../application/events-admin.js';
import type { PrincipalCaller } from '../application/task-call.js';
import { admitEvent, type Admission } from '../hands/admit-event.js';
import type { HandsParts } from '../hands/hands-parts.js';
import { eventDetail, eventView } from './event-views.js';

export interface EventsAdminParts extends HandsParts {
  readonly events: EventLog;
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
    const found = await parts.events.show({ organizationId: caller.organizationId }, id);
    return found === undefined ? notFound : { ok: true, value: eventDetail(found, raw) };
  };
  return {
    list: async (caller, { limit, ...filter }) => {
      const wanted = Math.min(limit ?? shownUsually, shownAtMost);
      const listed = await parts.events.list(
        { organizationId: caller.organizationId },
        { ...filter, limit: wanted },
      );
      return listed.map(eventView);
    },
    show: (caller, id, { raw }) => show(caller, id, raw),
    admit: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      const known = await parts.events.show(scope, id);
      const event = known === undefined ? undefined : await parts.inbox.find(scope, id);
      if (known === undefined) return notFound;
      if (event === undefined) return conflict('It is a copy: the first one counts.');
      const admitted = await admitEvent(parts, scope, event, admissionOf(parts, caller, reason));
      return admitted.ok ? show(caller, id) : conflict(admitted.error.message);
    },
    dismiss: async (caller, id, reason) => {
      const scope = { organizationId: caller.organizationId };
      if ((await parts.events.show(scope, id)) === undefined) return notFound;
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
