import type { AccountBook, AccountOfSomebody } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock } from '@switchyard/values';
import type { AccountsAdmin, AccountView, StandingAsk } from '../application/accounts-admin.js';
import type { AdminFailure } from '../application/admin.js';
import type { PrincipalCaller } from '../application/task-call.js';

export interface AccountsAdminParts {
  readonly accounts: Pick<AccountBook, 'everybodys' | 'hold'>;
  readonly clock: Clock;
}

/** Behind `/v1/accounts`. */
export function createAccountsAdmin(parts: AccountsAdminParts): AccountsAdmin {
  const find = async (caller: PrincipalCaller, id: string): Promise<AccountOfSomebody | undefined> =>
    isUuid(id) ? (await parts.accounts.everybodys(caller)).find((one) => one.id === id) : undefined;
  return {
    list: async (caller) => (await parts.accounts.everybodys(caller)).map(accountView),
    stand: async (caller, accountId, ask) => {
      const account = await find(caller, accountId);
      if (account === undefined) return err(notFound);
      const change = {
        reason: ask.reason,
        ...(account.hold === undefined ? {} : { from: account.hold }),
        ...(ask.status === 'active' ? {} : { to: ask.status }),
      };
      if (!mayFollow(account, ask)) return err(illegal(account, ask));
      if (!(await parts.accounts.hold(caller, account.id, change, parts.clock.now()))) return err(outrun);
      const after = await find(caller, accountId);
      return after === undefined ? err(notFound) : ok(accountView(after));
    },
  };
}

/** An account is let go before it is held for something else, so that each hold has an end of its own. */
function mayFollow(account: AccountOfSomebody, { status }: StandingAsk): boolean {
  const now = statusOf(account);
  return now !== status && (now === 'active' || status === 'active');
}

function illegal(account: AccountOfSomebody, { status }: StandingAsk): AdminFailure {
  const now = statusOf(account);
  const message = now === status ? `It is ${status} already.` : `From ${now} it becomes active first.`;
  return { code: 'CONFLICT', message, field: 'status' };
}

function statusOf({ hold }: AccountOfSomebody): AccountView['status'] {
  return hold ?? 'active';
}

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No open account has this id.', field: 'id' };
const outrun: AdminFailure = {
  code: 'CONFLICT',
  message: 'Somebody has changed this account meanwhile.',
  recovery: 'transient',
};

function accountView(account: AccountOfSomebody): AccountView {
  const { brandId, holdReason, heldAt } = account;
  return {
    account_id: account.id,
    principal_id: account.principalId,
    principal: account.principalName,
    brand_domain: account.brandDomain,
    ...(brandId === '' ? {} : { brand_id: brandId }),
    operator: account.operator,
    sandbox: account.isSandbox,
    status: statusOf(account),
    ...(holdReason === undefined ? {} : { reason: holdReason }),
    ...(heldAt === undefined ? {} : { held_at: isoOf(heldAt) }),
    created_at: isoOf(account.createdAt),
  };
}
