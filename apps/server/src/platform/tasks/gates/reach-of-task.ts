import { clientIn, findBuy, type BuyNamed, type CampaignDirectory } from '@switchyard/buys';
import { findTask, type AnyTaskSpec, type TaskError } from '@switchyard/protocol';
import { eitherReach, mayActFor, ownReach, reachOf, type ActedFor, type Reach } from '@switchyard/tenancy';
import type { HandledCall, HandlerDeps } from '../call/handler.js';
import { scopeOf, type PrincipalCaller } from '../call/task-call.js';
import { permissionError, permissionRefusal } from '../../caller/permission-refusal.js';

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

/** Whom a request acts for, as far as it is known before the brand is looked up. */
type Named = Omit<ActedFor, 'isEntered'> & {
  readonly brandId?: string;
  /** Whether a brand of the domain is entered, where that is known already. */
  readonly isEntered?: boolean;
};

/** Whether a caller may use a task's permission for a brand. The brand is looked up only where that decides. */
export async function mayActForNamed(
  campaigns: CampaignDirectory | undefined,
  caller: PrincipalCaller,
  spec: Pick<AnyTaskSpec, 'area' | 'permission'>,
  { brandId = '', ...named }: Named,
): Promise<boolean> {
  const { area, permission } = spec;
  if (area === 'of_its_task') return true;
  const judge = (place: ActedFor): boolean => mayActFor(caller, { area, permission }, place);
  if (judge({ ...named, isEntered: true })) return true;
  const { brandDomain, clientId } = named;
  if (brandDomain === undefined || clientId !== undefined || named.isEntered === false)
    return judge({ ...named, isEntered: clientId !== undefined });
  const brand = { domain: brandDomain, brandId };
  const known = await campaigns?.known(scopeOf(caller), { brand, names: [] });
  const client = known && clientIn(brand, known);
  const isEntered = known !== undefined && known.brands.length > 0;
  return judge({ ...named, isEntered, ...(client && { clientId: client.id }) });
}

/**
 * Refuses to make or change something for a brand, client or campaign on which the caller lacks the task's permission
 * (docs/protocol/accounts.md#for-whom-a-caller-may-act). The refusal names only what the caller named.
 */
export async function refuseOutside(
  { grants, ports: { campaigns } }: Pick<HandlerDeps, 'grants' | 'ports'>,
  { principal, spec }: Pick<HandledCall<unknown>, 'principal' | 'spec'>,
  named: Named,
): Promise<TaskError | undefined> {
  if (principal === undefined || (await mayActForNamed(campaigns, principal, spec, named))) return undefined;
  const outside = named.brandDomain === undefined ? 'the scope own' : `the scope brand:${named.brandDomain}`;
  const { area, permission } = spec;
  return permissionError(await permissionRefusal(grants, principal, { area, permission, outside }));
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
