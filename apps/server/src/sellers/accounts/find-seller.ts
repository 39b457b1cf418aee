import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import { reachOf } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';

export interface FindSellerDeps {
  readonly connections: ConnectionDirectory;
}

export const noClient: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no active client with this id.',
  field: 'client',
};

/** A seller that the gate has let through and that was not removed. */
export async function findSeller(
  { connections }: FindSellerDeps,
  caller: PrincipalCaller,
  slug: string,
): Promise<Result<Connection, AdminFailure>> {
  const found = await connections.bySlug(scopeOf(caller), slug);
  if (found === undefined || found.state === 'removed' || found.state === 'draft')
    return err({ code: 'NOT_FOUND', message: 'There is no seller with this slug.', field: 'slug' });
  return ok(found);
}

/** Somebody of one client is shown, and gives, what belongs to that client alone. */
export function mayManage(caller: PrincipalCaller, clientId: string): boolean {
  const reach = reachOf(caller, 'sellers', 'write');
  return reach.kind === 'everything' || reach.clientIds.includes(clientId);
}
