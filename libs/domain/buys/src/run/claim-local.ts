import type { TaskError } from '@switchyard/protocol';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { brandNamed, belongingOf } from '../campaigns/place-draft.js';
import type { Mutation } from '../model/caller.js';
import { crowdedError, insertBudget } from '../model/insert-budget.js';
import { claim } from './mutate.js';
import type { Operation } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';

interface LocalClaim {
  readonly kind: 'fresh' | 'replay';
  readonly operation: Operation;
}

/**
 * Claims the key of a mutation that involves no seller. Its operation is stored as completed before the work,
 * so that a repeat finds it. `stored` is the part of the request that may be kept.
 */
export async function claimLocal(
  ports: BuysPorts,
  task: string,
  mutation: Mutation<{ readonly idempotencyKey?: string; readonly context?: JsonObject }>,
  stored: JsonObject,
): Promise<Result<LocalClaim, readonly TaskError[]>> {
  const claimed = await claim(ports, task, mutation);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'replay')
    return ok({ kind: 'replay', operation: claimed.value.state.operation });
  const { operation } = claimed.value;
  const done: Operation = {
    ...operation,
    request: stored,
    status: 'completed',
    settledAt: operation.createdAt,
  };
  const { scope, account } = mutation;
  const belonging =
    account === undefined
      ? {}
      : await belongingOf(ports, scope, brandNamed(account.brandDomain, account.brandId));
  const budget = insertBudget(ports.insertCeilings, mutation.principalId, mutation.account);
  const placed = { ...done, ...belonging };
  const draft = { operation: placed, legs: [], registrations: [], sellerBuys: [], packages: [], ...budget };
  const begun = await ports.store.begin(mutation.scope, draft);
  if (begun.kind === 'crowded') return err([crowdedError(begun, ports.clock.now())]);
  if (begun.kind === 'stored') return ok({ kind: 'fresh', operation: placed });
  // Another request with this key was stored first: it is read again, because it may be a different one.
  const counterpart = await claim(ports, task, mutation);
  if (!counterpart.ok) return counterpart;
  return counterpart.value.kind === 'replay'
    ? ok({ kind: 'replay', operation: counterpart.value.state.operation })
    : err([]);
}
