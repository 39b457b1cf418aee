/**
 * The chart of accounts. It is closed: a posting to any other name is refused.
 *
 * `media_spend`: the cost of delivered media, a debit. `seller_payable`: the debt to the seller for it, a credit.
 * Budgets are not posted: a budget is a limit and not a debt, and is compared with reported spend. An invoice moves
 * its amount from `seller_payable` to `seller_invoiced`. The rest is explained by a break: `invoice_difference` (paid
 * as invoiced), `write_off`, `seller_credit` (the seller owes a credit) or `disputed`. `accrued`: delivered in a
 * closed period and not invoiced (docs/ledger.md#invoices-and-breaks). A payment moves its amount from
 * `seller_invoiced` to `cash`, between two currencies through `currency_exchange`; the realised difference of the
 * rates is `exchange_difference` (docs/ledger.md#payments).
 */
const accountNames = [
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
