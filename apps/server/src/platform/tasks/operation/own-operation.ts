import { isMarketRead, readRetentionMs, type OperationState } from '@switchyard/buys';
import { isInReach, type Reach, type TenantScope } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';

/**
 * An operation within reach, by its task's id or its own; `reachOf` is the reach for work of a task. Any other is not
 * found, and neither is a read whose answers are too old to buy from.
 */
export async function ownOperation(
  { ports }: Pick<HandlerDeps, 'ports'>,
  scope: TenantScope,
  reachOf: (task: string) => Reach,
  id: string,
): Promise<OperationState | undefined> {
  const { store, clock } = ports;
  const named =
    (await store.byTaskId(scope, { kind: 'everything' }, id)) ??
    (isUuid(id) ? await store.state(scope, id) : undefined);
  if (named === undefined || !isInReach(reachOf(named.operation.task), named.operation)) return undefined;
  const { task, settledAt } = named.operation;
  const isStale = isMarketRead(task) && settledAt !== undefined && clock.now() - settledAt >= readRetentionMs;
  return isStale ? undefined : named;
}
