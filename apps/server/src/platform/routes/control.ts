import type {
  ControlAct,
  ControlKind,
  ControlOutcomes,
  ControlRefusal,
  ControlRequests,
} from '@switchyard/buys';
import { joinsDuties, reachOf, type PlacedGrant } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import { scopeOf, type PrincipalCaller } from '../tasks/call/task-call.js';
import { WaitsForApproval } from './route.js';

/** What a route that changes a control needs. */
export interface ControlDeps {
  readonly controls: Pick<ControlRequests, 'take'>;
  readonly clock: Clock;
}

/** A member of the answer to a step that its requester took alone; the audit records it as well. */
export const aloneMember = {
  alone: z
    .literal(true)
    .exactOptional()
    .describe('Another person would have to approve this, and nobody else could: it was done at once.'),
};

/** The value of `aloneMember`. */
export const aloneOf = ({ alone }: { readonly alone: boolean }): { readonly alone?: true } =>
  alone ? { alone: true } : {};

/** What an act did; or the answer of a route, where it waits or is refused. */
export async function takeControl<Kind extends ControlKind>(
  { controls, clock }: ControlDeps,
  caller: PrincipalCaller,
  act: Extract<ControlAct, { readonly kind: Kind }>,
): Promise<
  | { readonly done: ControlOutcomes[Kind]; readonly alone: boolean }
  | { readonly answer: Result<WaitsForApproval, AdminFailure> }
> {
  const taken = await controls.take<Kind>(scopeOf(caller), act, {
    principalId: caller.principalId,
    at: clock.now(),
    reach: reachOf(caller, 'media_buys', 'write'),
    isProgram: caller.program !== undefined,
  });
  if (taken.kind === 'done') return { done: taken.outcome, alone: taken.alone };
  if (taken.kind === 'waits') return { answer: ok(new WaitsForApproval(taken.id)) };
  return { answer: err(controlFailure(taken.refusal)) };
}

/**
 * Refuses what would let somebody new both set limits and buy under them, unless nobody else could approve it: such a role
 * is granted afterwards, by a request. The value says whether the caller is alone.
 */
export async function refuseJoined(
  { controls }: { readonly controls: Pick<ControlRequests, 'demandsAnother'> },
  caller: PrincipalCaller,
  granted: readonly PlacedGrant[],
  field: string,
): Promise<Result<{ readonly alone: boolean }, AdminFailure>> {
  if (!joinsDuties([], granted)) return ok({ alone: false });
  const demands = await controls.demandsAnother(caller, 'add_grant', caller.principalId);
  if (demands !== 'another' && caller.program === undefined) return ok({ alone: demands === 'alone' });
  return err({
    code: 'CONFLICT',
    message:
      'This would let one principal both set limits and buy under them: another person must approve that.',
    field,
    suggestion:
      'Leave ledger.write or media_buys.write out, and grant a role with it afterwards: that is a request.',
  });
}

/** A refusal of a change of a control, with how to go on. */
export function controlFailure({ code, message }: ControlRefusal): AdminFailure {
  switch (code) {
    case 'OVER_LIMIT':
      return { code: 'CONFLICT', message, suggestion: 'Raise this limit first, or choose another target.' };
    case 'NO_RATE':
      return {
        code: 'CONFLICT',
        message,
        suggestion: 'Enter it: switchyard rates set FROM TO RATE --date D --source S.',
      };
    case 'PROGRAM':
      return {
        code: 'INSUFFICIENT_PERMISSIONS',
        message,
        suggestion: 'Do it at the console or the command line.',
      };
    case 'NOBODY':
      return {
        code: 'INSUFFICIENT_PERMISSIONS',
        message,
        suggestion: 'Have a role with it given to another person: switchyard grants add.',
      };
    default:
      return { code, message };
  }
}
