import { findBuy, type BuyNamed } from '@switchyard/buys';
import { findTask, type AnyTaskSpec, type TaskError } from '@switchyard/protocol';
import { eitherReach, isInReach, ownReach, reachOf, type Belongings, type Reach } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandledCall, HandlerDeps } from '../handler.js';
import type { PrincipalCaller } from '../task-call.js';
import { permissionError, permissionRefusal } from './permission-refusal.js';

/** The objects on which a caller may run a task. */
export function reachOfTask(
  caller: PrincipalCaller,
  { area, permission }: Pick<AnyTaskSpec, 'area' | 'permission'>,
): Reach {
  return area === 'of_its_task' ? ownReach(caller.principalId) : reachOf(caller, area, permission);
}

/** The work of a task that a caller may read: what it may start, and what it may read there. */
export function reachOfWork(caller: PrincipalCaller, name: string): Reach {
  const spec = findTask(name);
  if (spec === undefined) return ownReach(caller.principalId);
  return eitherReach(reachOfTask(caller, spec), reachOfTask(caller, { ...spec, permission: 'read' }));
}

/**
 * Refuses to make something for a brand, client or campaign on which the caller lacks the task's permission. The
 * refusal does not reveal whether it exists. What a draft changes was in reach when it was found.
 */
export async function refuseOutside(
  { grants }: Pick<HandlerDeps, 'grants'>,
  { principal, spec }: Pick<HandledCall<unknown>, 'principal' | 'spec'>,
  made: Belongings & { readonly mediaBuyId?: string },
): Promise<Result<undefined, TaskError>> {
  if (principal === undefined || made.mediaBuyId !== undefined) return ok(undefined);
  const { principalId, organizationId } = principal;
  if (isInReach(reachOfTask(principal, spec), { ...made, principalId })) return ok(undefined);
  const outside = made.brandDomain === undefined ? 'the scope own' : `the scope brand:${made.brandDomain}`;
  const { area, permission } = spec;
  const refusal = await permissionRefusal(grants, { organizationId }, { area, permission, outside });
  return err(permissionError(refusal));
}

/** If the caller may read the buy, the error names the missing permission instead of `not found`. */
export async function whyNotFound(
  deps: Pick<HandlerDeps, 'ports' | 'grants'>,
  { scope, principal, spec, request }: HandledCall<BuyNamed>,
  errors: readonly TaskError[],
): Promise<readonly TaskError[]> {
  if (principal === undefined || errors[0]?.code !== 'MEDIA_BUY_NOT_FOUND') return errors;
  const reading = {
    principalId: principal.principalId,
    reach: reachOfTask(principal, { ...spec, permission: 'read' }),
  };
  const seen = await findBuy(deps.ports.store, scope, reading, request);
  if (seen === undefined) return errors;
  const missing = { ...spec, outside: 'a scope that this buy is in' };
  return [permissionError(await permissionRefusal(deps.grants, scope, missing))];
}
