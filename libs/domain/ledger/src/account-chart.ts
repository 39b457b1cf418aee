/**
 * The chart of accounts, closed: a posting to any other name is refused.
 *
 * `media_spend`: what delivered media cost, a debit. `seller_payable`: what is owed to the seller for it, a credit.
 * Budgets are no postings: a budget is a limit, not a debt, and it is held against reported spend where both are known.
 */
export const accountNames = ['media_spend', 'seller_payable'] as const;

export type AccountName = (typeof accountNames)[number];

export function isAccountName(text: string): text is AccountName {
  return (accountNames as readonly string[]).includes(text);
}
