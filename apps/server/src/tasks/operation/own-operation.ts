import { isMarketRead, readRetentionMs, type OperationState } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import type { HandlerDeps } from '../handler.js';

/**
 * An operation of this principal, by its task's id or by its own. Somebody else's is not found, and neither is a
 * question whose answers are too old to be bought by.
 */
export async function ownOperation(
  { ports }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  principalId: string,
  id: string,
): Promise<OperationState | undefined> {
  const { store, clock } = ports;
  const named =
    (await store.byTaskId(scope, principalId, id)) ?? (isUuid(id) ? await store.state(scope, id) : undefined);
  if (named?.operation.principalId !== principalId) return undefined;
  const { task, settledAt } = named.operation;
  const isStale = isMarketRead(task) && settledAt !== undefined && clock.now() - settledAt >= readRetentionMs;
  return isStale ? undefined : named;
}
