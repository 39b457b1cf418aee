/**
 * The chart of accounts, closed: a posting to any other name is refused.
 *
 * `media_spend`: what delivered media cost, a debit. `seller_payable`: what is owed to the seller for it, a credit.
 * Budgets are no postings: a budget is a limit, not a debt, and it is held against reported spend where both are known.
 * An invoice moves what it bills from `seller_payable` to `seller_invoiced`. What is left over is explained by a break:
 * `invoice_difference` (paid as invoiced), `write_off`, `seller_credit` (the seller owes a credit) or `disputed`. `accrued`
 * holds what a closed period delivered and nobody has invoiced (docs/ledger.md#invoices-and-breaks). A payment moves what
 * it pays from `seller_invoiced` to `cash`, between two currencies over `currency_exchange`; what the rate made of it in
 * between is `exchange_difference` (docs/ledger.md#payments).
 */
export const accountNames = [
  'media_spend',
  'seller_payable',
  'seller_invoiced',
  'invoice_difference',
  'write_off',
  'seller_credit',
  'disputed',
  'accrued',
  'cash',
  'currency_exchange',
  'exchange_difference',
] as const;

export type AccountName = (typeof accountNames)[number];

export function isAccountName(text: string): text is AccountName {
  return (accountNames as readonly string[]).includes(text);
}
