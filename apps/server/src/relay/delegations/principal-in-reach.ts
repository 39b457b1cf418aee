import { reachOf, type PrincipalDirectory } from '@switchyard/tenancy';
import { err, isUuid, ok, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../platform/failure.js';
import type { PrincipalCaller } from '../../platform/tasks/call/task-call.js';

/**
 * The principal whose delegations or records a caller may use: to read, any in its reach; to write, itself, unless it
 * manages principals. Others are not found, so that no answer reveals which ids exist.
 */
export function principalInReach(
  caller: PrincipalCaller,
  principalId: string | undefined,
  kind: 'read' | 'write',
): Result<string | undefined, AdminFailure> {
  if (principalId === caller.principalId) return ok(principalId);
  const isMore =
    kind === 'read'
      ? reachOf(caller, 'delegations', 'read').kind === 'everything'
      : caller.permissions['principals']?.includes('write') === true;
  if (isMore) return ok(principalId);
  if (principalId === undefined) return ok(caller.principalId);
  return err(unknownPrincipal);
}

/** The same to read, for an existing principal: otherwise the empty chain of a mistyped id would be reported as intact. */
export async function existingPrincipalInReach(
  deps: { readonly principals: Pick<PrincipalDirectory, 'find'> },
  caller: PrincipalCaller,
  principalId: string | undefined,
): Promise<Result<string | undefined, AdminFailure>> {
  const of = principalInReach(caller, principalId, 'read');
  if (!of.ok || of.value === undefined || of.value === caller.principalId) return of;
  return knownPrincipal(deps, caller, of.value);
}

/** A principal of the caller's own organization: that of another tenant is not found. */
export async function knownPrincipal(
  { principals }: { readonly principals: Pick<PrincipalDirectory, 'find'> },
  { organizationId }: PrincipalCaller,
  principalId: string,
): Promise<Result<string, AdminFailure>> {
  const isThere =
    isUuid(principalId) && (await principals.find({ organizationId }, principalId)) !== undefined;
  return isThere ? ok(principalId) : err(unknownPrincipal);
}

const unknownPrincipal: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no principal with this name.',
  field: 'principal_id',
};
