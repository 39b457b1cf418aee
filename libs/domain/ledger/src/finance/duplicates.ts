import type { BookedInvoice } from './compared-figures.js';
import { createBreak, type FoundBreak } from './create-break.js';

/** The break of a document that bills again what another one bills. */
export function duplicateOf(
  invoice: BookedInvoice,
  first: BookedInvoice | undefined,
  amountMicros: bigint,
  why: string,
): FoundBreak {
  const cause =
    why === 'It bills the same lines'
      ? `The invoice ${invoice.number} bills the same lines as ${first?.number ?? ''}.`
      : `The invoice ${invoice.number} bills again what ${first?.number ?? ''} bills: the delivery fits without it.`;
  return createBreak('duplicate_invoice', {
    seller: invoice.seller,
    currency: invoice.currency,
    invoicedMicros: amountMicros,
    differenceMicros: amountMicros,
    cause,
    evidence: [...(first === undefined ? [] : [first.id]), invoice.id],
  });
}

/** The order of two documents: by their days of issue, then by their numbers. */
export const byIssue = (left: BookedInvoice, right: BookedInvoice): number =>
  left.issuedOn === right.issuedOn
    ? compareText(left.number, right.number)
    : compareText(left.issuedOn, right.issuedOn);

/** What two documents have the same where one repeats the other: currency, days, lines and total. */
export function contentOf({
  currency,
  totalMicros,
  lines,
  period,
  serviceFrom = period,
  serviceTo = period,
}: BookedInvoice): string {
  const each = lines.map((line) =>
    [line.sellerMediaBuyId ?? '', line.packageRef ?? '', line.amountMicros.toString()].join('\u0000'),
  );
  return JSON.stringify([currency, totalMicros.toString(), serviceFrom, serviceTo, each.sort()]);
}

export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
