import {
  syncAccounts as task,
  taskError,
  type SyncAccountsRequest,
  type SyncedAccount,
} from '@switchyard/protocol';
import { planAccounts, type AccountRecord } from '@switchyard/tenancy';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { brandWords } from './brand-words.js';
import { ofAccount, subscribeToAgent, withSubscribers } from './sync-subscribers.js';
import { oncePerKey } from '../platform/tasks/operation/once-per-key.js';
import { writeAnswer } from '../platform/tasks/answer/write-answer.js';

/**
 * Declares accounts (docs/protocol/accounts.md#two-planes). A dry run shows the result of each row and stores nothing,
 * not even a key. No seller is called.
 */
export async function syncAccounts(
  deps: HandlerDeps,
  handled: HandledCall<SyncAccountsRequest>,
): Promise<Handled> {
  const { request, principal, scope, version } = handled;
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  // Closing needs a separate permission, beside that for opening.
  if (request.deleteMissing && principal.permissions['media_buys']?.includes('delete') !== true) {
    const message = 'delete_missing needs the permission media_buys.delete.';
    const suggestion = 'Leave out delete_missing, or request the permission.';
    const error = taskError('PERMISSION_DENIED', message, { field: 'delete_missing', suggestion });
    return { kind: 'failed', errors: [error] };
  }
  const { principalId } = principal;
  if (request.agent !== undefined) return subscribeToAgent(deps, handled, request.agent);
  const known = await deps.accounts.accounts(scope, principalId);
  const strange = request.accounts.flatMap(({ account }, at) =>
    account !== undefined &&
    'accountId' in account &&
    !known.some((accountRecord) => isOpen(accountRecord, account.accountId))
      ? [
          taskError('ACCOUNT_NOT_FOUND', 'You have no account with this id.', {
            field: `accounts[${at}].account`,
          }),
        ]
      : [],
  );
  if (strange.length > 0) return { kind: 'failed', errors: strange };
  const plan = planAccounts({
    requested: request.accounts,
    deleteMissing: request.deleteMissing,
    known,
    liveBuys: request.deleteMissing ? await deps.accounts.liveBuys(scope, principalId) : new Map(),
    allowsSandbox: deps.declareOnFirstUse,
    words: await brandWords(deps, handled, known),
    newId: () => deps.ports.ids.uuid(),
  });
  const { profile } = version;
  if (request.dryRun) {
    const { rows } = await withSubscribers(deps, handled, plan);
    const payload = writeAnswer(task, { accounts: rows.map(dryRunRow), dryRun: true }, profile);
    return { kind: 'done', status: 'completed', payload };
  }

  // The buyer's bank data and callback secrets are only in the hash of the request, and not stored.
  const stored = {
    accounts: plan.rows.map(({ brandDomain, operator }) => ({ brand: brandDomain, operator })),
  };
  return oncePerKey(deps, handled, stored, async (operationId) => {
    const { rows, sets } = await withSubscribers(deps, handled, plan, operationId);
    const refused = new Set(
      rows.filter(({ action }) => action === 'failed').map(({ accountId }) => accountId),
    );
    const change = { ...plan.change, open: plan.change.open.filter(({ id }) => !refused.has(id)) };
    const now = deps.ports.clock.now();
    const after = await deps.accounts.apply(scope, principalId, change, now);
    const opened = new Map(rows.flatMap((row) => openedAs(row, after)));
    await deps.subscriptions?.store.replace(
      scope,
      principalId,
      sets.map((set) => ofAccount(set, opened.get(set.accountId ?? '') ?? set.accountId)),
      now,
    );
    const shown = rows.map((row) => ({ ...row, ...idIn(row, opened) }));
    const payload = writeAnswer(task, { accounts: shown, dryRun: false }, profile);
    return { kind: 'done', status: 'completed', payload };
  });
}

/** A concurrent copy may have opened the same pair a moment before: then its id is the account's. */
function openedAs(
  row: SyncedAccount,
  after: readonly AccountRecord[],
): readonly (readonly [string, string])[] {
  const open = after.find(
    (account) =>
      account.closedAt === undefined &&
      account.brandDomain === row.brandDomain &&
      account.brandId === row.brandId &&
      account.operator === row.operator,
  );
  return row.action === 'created' && row.accountId !== undefined && open !== undefined
    ? [[row.accountId, open.id]]
    : [];
}

function idIn({ accountId }: SyncedAccount, opened: ReadonlyMap<string, string>) {
  const id = opened.get(accountId ?? '') ?? accountId;
  return id === undefined ? {} : { accountId: id };
}

/** An account that a dry run would open gets no id, because the id would name nothing afterwards. */
function dryRunRow(row: SyncedAccount): SyncedAccount {
  if (row.action !== 'created') return row;
  const { accountId: _never, ...shown } = row;
  return shown;
}

function isOpen(account: { readonly id: string; readonly closedAt?: number }, id: string): boolean {
  return account.id === id && account.closedAt === undefined;
}
