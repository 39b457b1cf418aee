import type { BuysRequest, ReadRequest } from '@switchyard/buys';
import { taskError, type AccountRef, type TaskError } from '@switchyard/protocol';
import { resolveAccount, type Reach } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandledCall, HandlerDeps } from '../call/handler.js';
import { timeoutOf } from '../call/timeout.js';
import { reachOfTask } from './reach-of-task.js';

/**
 * A read of the caller's own buys, limited to one account if it names one, because an agency reads one client at a
 * time. A brand and operator without purchases have no buys; an unknown id is not found
 * (docs/protocol/accounts.md#two-planes).
 */
export async function buysRequestOf(
  deps: HandlerDeps,
  handled: HandledCall<{ readonly account?: AccountRef }>,
): Promise<Result<BuysRequest, TaskError>> {
  const query = readRequestOf(handled);
  const { account: requested } = handled.request;
  if (requested === undefined) return ok(query);
  const found = resolveAccount({
    requested,
    known: await deps.principals.accountsOf(handled.scope, query.principalId),
    organizationDomain: await deps.domainOf(handled.scope),
    declareOnFirstUse: true,
  });
  if (!found.ok) return err(taskError(found.error.code, found.error.message, { field: found.error.field }));
  if (found.value.kind === 'none') return ok(query);
  const { brandDomain, brandId, operator } = found.value.account;
  return ok({ ...query, account: { brandDomain, brandId, operator } });
}

/** A principal's read of the buys within its reach. */
function readRequestOf({
  call,
  scope,
  spec,
  principal,
  args,
}: HandledCall<unknown>): ReadRequest & { readonly principalId: string; readonly reach: Reach } {
  if (principal === undefined) throw new Error(`${spec.name} needs a principal.`);
  return {
    scope,
    principalId: principal.principalId,
    reach: reachOfTask(principal, spec),
    deadlineMs: timeoutOf(args, spec.deadlineMs),
    signal: call.signal,
    ...(call.onSeller === undefined ? {} : { onSeller: call.onSeller }),
  };
}
