import { readAccounts, setAccount } from '../finance/bank-accounts.js';
import type { ActRules } from './control-act.js';

/** Where money goes is decided by two people. Who decides compares the whole account with what the seller has sent. */
export const bankAccountSet: ActRules<'set_bank_account'> = {
  judge: async (client, { owner, account }) => {
    const known = (await readAccounts(client)).find((one) =>
      'seller' in owner ? one.seller === owner.seller : one.currency === owner.currency,
    );
    const whose = 'seller' in owner ? owner.seller : `ours for ${owner.currency}`;
    const textOf = (one: typeof account): string =>
      [one.name, one.iban, one.bic ?? ''].filter(Boolean).join(', ');
    return {
      asks: true,
      basedOn: known === undefined ? null : [known.name, known.iban, known.bic ?? ''],
      place: {},
      subject: `bank account, ${whose}`,
      reason:
        'seller' in owner
          ? `Payments to ${owner.seller} go to this account, a day after the approval.`
          : `Payments in ${owner.currency} are made from this account.`,
      after: textOf(account),
      ...(known !== undefined && { before: textOf(known) }),
    };
  },
  apply: async (client, { owner, account }, taking) => {
    await setAccount(client, owner, account, taking);
    return true;
  },
};
