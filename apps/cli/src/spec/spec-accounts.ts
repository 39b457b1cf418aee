import type { AccountsAdmin, AccountView } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** One account, which stands as it was last told to. */
export function specAccounts(): AccountsAdmin {
  let account: AccountView = {
    account_id: 'acc1',
    principal_id: 'p1',
    principal: 'agency',
    brand_domain: 'brand.example',
    operator: 'agency.example',
    sandbox: false,
    status: 'active',
    created_at: '2026-11-21T12:00:00.000Z',
  };
  return {
    list: () => Promise.resolve([account]),
    stand: (_caller, id, { status, reason }) => {
      if (id !== account.account_id)
        return Promise.resolve(err({ code: 'NOT_FOUND', message: 'No open account has this id.' } as const));
      account = { ...account, status, reason };
      return Promise.resolve(ok(account));
    },
  };
}
