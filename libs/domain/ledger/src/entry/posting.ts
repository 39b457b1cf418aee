/** One line of an entry. A debit is positive, a credit negative; never zero. */
export interface Posting {
  readonly account: AccountName;
  /** The UTC day of the amount, `YYYY-MM-DD`. */
  readonly day: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly amountMicros: bigint;
}

export type PostingFault =
  | 'unknown_account'
  | 'bad_day'
  | 'bad_currency'
  | 'zero_amount'
  | 'amount_too_large';

const dayText = /^\d{4}-\d{2}-\d{2}$/;
const currencyText = /^[A-Z]{3}$/;
/** The database stores amounts in 64 bits. */
const maxAmount = 2n ** 63n - 1n;

export function faultOfPosting(posting: Posting): PostingFault | undefined {
  if (!isAccountName(posting.account)) return 'unknown_account';
  if (!dayText.test(posting.day)) return 'bad_day';
  if (!currencyText.test(posting.currency)) return 'bad_currency';
  if (posting.amountMicros === 0n) return 'zero_amount';
  if (posting.amountMicros > maxAmount || posting.amountMicros < -maxAmount) return 'amount_too_large';
  return undefined;
}

/** The currencies in which the lines do not sum to zero, in order of appearance. */
export function unbalancedCurrencies(
  postings: readonly Pick<Posting, 'currency' | 'amountMicros'>[],
): readonly string[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amountMicros } of postings) {
    sums.set(currency, (sums.get(currency) ?? 0n) + amountMicros);
  }
  return [...sums].filter(([, sum]) => sum !== 0n).map(([currency]) => currency);
}

/** The two lines for an additional debt of `amountMicros` for delivered media; a negative amount reduces the debt. */
export function spendPostings(day: string, currency: string, amountMicros: bigint): readonly Posting[] {
  if (amountMicros === 0n) return [];
  return [
    { account: 'media_spend', day, currency, amountMicros },
    { account: 'seller_payable', day, currency, amountMicros: -amountMicros },
  ];
}

/**
 * The chart of accounts. It is closed: a posting to any other name is refused.
 *
 * `media_spend`: the cost of delivered media, a debit. `seller_payable`: the debt to the seller for it, a credit.
 * Budgets are not posted: a budget is a limit and not a debt, and is compared with reported spend. An invoice moves
 * its amount from `seller_payable` to `seller_invoiced`. The rest is explained by a break: `invoice_difference` (paid
 * as invoiced), `write_off`, `seller_credit` (the seller owes a credit) or `disputed`. `accrued`: delivered in a
 * closed period and not invoiced (docs/ledger.md#invoices-and-breaks). A payment moves its amount from
 * `seller_invoiced` to `cash`, between two currencies through `currency_exchange`; the realised difference of the
 * rates is `exchange_difference` (docs/ledger.md#payments). What an invoice bills beside media: `seller_fees` for fees,
 * `input_tax` for its tax, `commission_income` for the commission that it takes off. `in_transit`: ordered from the bank
 * and not booked by it yet. `cash_discount`: what sellers allow for early payment. What clients are billed is
 * `client_receivable`: for media `client_media`, for our work `markup_income` and `fee_income`, and `output_tax`.
 * `unbilled`: delivered in a closed period and not billed to its client (docs/ledger.md#billing-clients).
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
  'seller_fees',
  'input_tax',
  'commission_income',
  'in_transit',
  'cash_discount',
  'client_receivable',
  'client_media',
  'markup_income',
  'fee_income',
  'output_tax',
  'unbilled',
] as const;

type AccountName = (typeof accountNames)[number];

export function isAccountName(text: string): text is AccountName {
  return (accountNames as readonly string[]).includes(text);
}
