import {
  decidesControl,
  placeOfRequest,
  type ControlKind,
  type ControlRequest,
  type ControlRequests,
  type ControlSeen,
} from '@switchyard/buys';
import type { PermissionArea } from '@switchyard/protocol';
import { isInReach, reachOf } from '@switchyard/tenancy';
import { defined, err, ok, type Clock, type Result } from '@switchyard/values';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';

interface DecideDeps {
  readonly controls: Pick<ControlRequests, 'find' | 'decide'>;
  readonly clock: Clock;
}

const kinds = Object.keys(decidesControl) as readonly ControlKind[];

/** The changes of controls that a caller may read: those of each area, in its reach there. */
export function controlsSeen(caller: PrincipalCaller): readonly ControlSeen[] {
  const areas = [...new Set(kinds.map((kind) => decidesControl[kind].area))];
  return areas.map((area: PermissionArea) => ({
    kinds: kinds.filter((kind) => decidesControl[kind].area === area),
    reach: reachOf(caller, area, 'read'),
  }));
}

export function seesControl(caller: PrincipalCaller, request: ControlRequest): boolean {
  if (request.requestedBy === caller.principalId) return true;
  const place = placeOfRequest(request);
  return controlsSeen(caller).some(
    (seen) => seen.kinds.includes(request.kind) && isInReach(seen.reach, place),
  );
}

/** Decides a change of a control; undefined if the caller sees none with this id. */
export async function decideControl(
  { controls, clock }: DecideDeps,
  caller: PrincipalCaller,
  decision: { readonly id: string; readonly state: 'approved' | 'denied'; readonly reason?: string },
): Promise<Result<ControlRequest, AdminFailure> | undefined> {
  const { id, state, reason } = decision;
  const scope = scopeOf(caller);
  const found = await controls.find(scope, id, clock.now());
  if (found === undefined || !seesControl(caller, found)) return undefined;
  const { area, kind } = decidesControl[found.kind];
  if (!isInReach(reachOf(caller, area, kind), placeOfRequest(found)))
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: `This needs the permission ${area}.${kind} where the ${found.subject} is.`,
    });
  if (caller.program !== undefined) return err(notByProgram);
  const by = { state, by: caller.principalId, at: clock.now(), ...defined({ reason }) };
  const decided = await controls.decide(scope, id, by);
  if (decided.kind === 'own_request')
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message: 'The requester, and whoever can act as it, cannot decide: another person must.',
      suggestion: anotherPerson(`${area}.${kind}`),
    });
  if (decided.kind === 'decided_before')
    return err({ code: 'CONFLICT', message: 'It is already decided, or it has expired.' });
  if (decided.kind === 'failed') return err({ code: 'CONFLICT', message: decided.message });
  const after = await controls.find(scope, id, clock.now());
  return after === undefined ? err(unknownRequest) : ok(after);
}

/** How to go on where another person must decide. */
export const anotherPerson = (permission: string): string =>
  `Ask somebody else who holds ${permission} for it, invite one, or set the organization's four_eyes to off.`;

export const notByProgram: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'A program may not decide what another person must decide.',
  suggestion: 'Decide it at the console or the command line.',
};

export const unknownRequest: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no approval with this id.',
};
