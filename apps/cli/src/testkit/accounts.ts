import { err, ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One account, which stands as it was last told to. */
export function specAccounts(): SpecAnswers {
  let account = {
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
    list_all_accounts: () => ok({ accounts: [account] }),
    set_account_status: ({ params, body }) => {
      if (params['id'] !== account.account_id)
        return err({ code: 'NOT_FOUND', message: 'No open account has this id.' });
      account = { ...account, ...(body as object) };
      return ok(account);
    },
  };
}
