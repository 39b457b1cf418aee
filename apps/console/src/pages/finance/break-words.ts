import type { Answer } from '../../api/client.js';
import { moneyText } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import type { Sent } from '../../api/client.js';

export type Break = Answer<'GET /v1/breaks'>['breaks'][number];
export type Evidence = Answer<'GET /v1/breaks/{id}/evidence'>;
export type Decision = NonNullable<Sent<'POST /v1/breaks/{id}/resolve'>['body']>['as'];

const kinds: Readonly<Record<Break['kind'], string>> = {
  late_report: 'Figures came late',
  window_mismatch: 'Month starts on another day',
  time_zone_cut: 'Month starts on another day',
  missing_package: 'Not invoiced yet',
  missing_invoice: 'Not invoiced yet',
  currency: 'Another currency',
  price: 'Other price, same count',
  over_delivery: 'Delivered above order',
  duplicate_invoice: 'Billed twice',
  wrong_po: 'PO differs',
  gross_net: 'Commission in or out',
  tax_inside: 'Tax in the amount',
  other_months: 'Other months billed too',
  billed_to_order: 'Billed as ordered',
  third_party: 'Two counts differ',
  exchanged: 'Amounts exchanged',
  units: 'Other count, same price',
  unordered_fee: 'Fee not ordered',
  unassigned_line: 'Line without a buy',
  unknown: 'Amounts differ',
};

/** A difference in a few words. */
export const kindWords = ({ kind, difference }: Pick<Break, 'kind' | 'difference'>): string =>
  kind === 'missing_invoice' && !difference.startsWith('-') ? 'Billed, and not here' : kinds[kind];

/** A difference as the head of its page. */
export function breakTitle({ kind, difference, currency }: Break): string {
  const isLess = difference.startsWith('-');
  const amount = moneyText(difference.replace(/^-/, ''), currency, 'cents');
  switch (kind) {
    case 'missing_invoice':
      return isLess
        ? `${amount} delivered, not invoiced yet`
        : `${amount} billed, and the invoice is not here`;
    case 'missing_package':
      return `${amount} delivered, not invoiced yet`;
    case 'duplicate_invoice':
      return `${amount} billed twice`;
    case 'over_delivery':
      return `${amount} delivered above the order`;
    case 'wrong_po':
      return 'The invoice names another purchase order';
    case 'unordered_fee':
      return `A fee of ${amount} that nobody ordered`;
    case 'unassigned_line':
      return `${amount} billed for nothing that was bought`;
    case 'third_party':
      return `Two counts differ by ${amount}`;
    case 'late_report':
      return `The seller reported ${amount} ${isLess ? 'less' : 'more'} later`;
    default:
      return `Invoiced ${amount} ${isLess ? 'less' : 'more'} than delivered`;
  }
}

/** The key, name and meaning of each decision. The first four are the usual ones. */
export const decisions: readonly {
  readonly as: Decision;
  readonly key: string;
  readonly title: string;
  readonly text: string;
}[] = [
  {
    as: 'expected',
    key: 'E',
    title: 'Expect it later',
    text: 'It stays accrued, and is matched when it comes',
  },
  { as: 'dispute', key: 'D', title: 'Dispute', text: 'The seller has to answer; its amount is not paid' },
  {
    as: 'accept',
    key: 'A',
    title: 'Accept the invoice',
    text: 'The invoice is right; the difference is booked',
  },
  { as: 'corrected', key: 'C', title: 'Correct', text: 'A figure was corrected; nothing is booked' },
  { as: 'credit', key: 'R', title: 'Credit note', text: 'The seller gives the money back' },
  { as: 'write-off', key: 'W', title: 'Write off', text: 'Too small to follow' },
];

const accounts: Readonly<Record<string, string>> = {
  invoice_difference: 'Seller differences',
  write_off: 'Write-offs',
  seller_credit: 'Credits of sellers',
  disputed: 'In dispute',
  seller_payable: 'Payable to sellers',
};

/** What the books do for a decision, as a sentence. */
export function booksText(
  postings: Evidence['decisions'][number]['postings'] | undefined,
  currency: string,
): string {
  if (postings === undefined) return '';
  if (postings.length === 0) return 'Books: nothing moves.';
  const moves = postings.map(
    ({ account, amount }) =>
      `${amount.startsWith('-') ? '' : '+'}${moneyText(amount, currency, 'cents')} on “${accounts[account] ?? clean(account).replaceAll('_', ' ')}”`,
  );
  return `Books: ${moves.join(', ')}.`;
}
