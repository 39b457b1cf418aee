import type { AccountHold, AccountRecord, HoldChange } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import { testControllerTool } from '../platform/tasks/call/test-controller.js';
import { movedTo, refusedAs, textAt } from './answers.js';
import type { TestControl } from './test-control.js';

const known = ['active', 'pending_approval', 'rejected', 'payment_required', 'suspended', 'closed'] as const;
type AccountStatus = (typeof known)[number];

/**
 * Puts one of the caller's accounts into a state, by the steps that an admin could take. Buyers' accounts are ours
 * (docs/protocol/accounts.md#two-planes), so no seller is called. Ours are open from the start: none waits for
 * approval, and none is rejected. A hold set by somebody else, for example finance, is not lifted: it holds this very
 * caller.
 */
export async function forceAccountStatus(control: TestControl): Promise<JsonObject> {
  const { params, deps, scope, caller, names } = control;
  const name = textAt(params, 'account_id');
  const wanted = known.find((status) => status === params['status']);
  if (name === undefined || wanted === undefined)
    return refusedAs(
      'INVALID_PARAMS',
      'params.account_id and a params.status that accounts have are required.',
    );
  const id = names.idOf(caller, 'account', name);
  const account = (await deps.accounts.accounts(scope, caller.principalId)).find(
    (accountRecord) => accountRecord.id === id,
  );
  if (account === undefined) return refusedAs('NOT_FOUND', 'You have no account with this id.', null);
  const now = statusOf(account);
  if (now === wanted) return movedTo(now, wanted);
  if (now === 'closed' || wanted === 'pending_approval' || wanted === 'rejected')
    return refusedAs('INVALID_TRANSITION', `No account of ours goes from ${now} to ${wanted}.`, now);
  if (wanted === 'closed') return close(control, account);
  if (now !== 'active' && wanted !== 'active')
    return refusedAs('INVALID_TRANSITION', `From ${now} it becomes active first.`, now);
  const moved = await deps.accounts.hold(scope, account.id, change(account, wanted), deps.clock.now());
  return moved ? movedTo(now, wanted) : notMoved(now);
}

/** Somebody else holds it, or it was changed a moment ago. */
function notMoved(now: AccountStatus): JsonObject {
  if (now === 'active') return refusedAs('INVALID_STATE', 'Somebody has changed it meanwhile.', now);
  const why = `Only who set it to ${now} lifts that: ${testControllerTool} lifts what it set itself.`;
  return refusedAs('FORBIDDEN', why, now);
}

async function close({ deps, scope, caller }: TestControl, account: AccountRecord): Promise<JsonObject> {
  const now = statusOf(account);
  const live = (await deps.accounts.liveBuys(scope, caller.principalId)).get(account.id) ?? [];
  if (live.length > 0) return refusedAs('INVALID_STATE', 'It has media buys that are not over.', now);
  const lift = change(account, 'active');
  if (now !== 'active' && !(await deps.accounts.hold(scope, account.id, lift, deps.clock.now())))
    return notMoved(now);
  const closing = { open: [], close: [account.id] };
  await deps.accounts.apply(scope, caller.principalId, closing, deps.clock.now());
  return movedTo(now, 'closed');
}

function change({ hold }: AccountRecord, wanted: 'active' | AccountHold): HoldChange {
  return {
    reason: testControllerTool,
    ...(hold === undefined ? {} : { from: hold, onlyIfReason: testControllerTool }),
    ...(wanted === 'active' ? {} : { to: wanted }),
  };
}

function statusOf({
  closedAt,
  hold,
}: AccountRecord): Exclude<AccountStatus, 'pending_approval' | 'rejected'> {
  return closedAt === undefined ? (hold ?? 'active') : 'closed';
}
