import type { Posting } from '../entry/posting.js';
import type { ClientDraft, ClientLineType } from './bill-client.js';

const accountOf: Readonly<Record<ClientLineType, Posting['account']>> = {
  media: 'client_media',
  markup: 'markup_income',
  fee: 'fee_income',
};

/** What an issued document posts on a day. A credit note has negative amounts and posts the opposite. */
export function clientInvoicePostings(
  { currency, lines, taxMicros, grossMicros }: Omit<ClientDraft, 'kind' | 'netMicros'>,
  day: string,
): readonly Posting[] {
  const amounts = new Map<Posting['account'], bigint>([['client_receivable', grossMicros]]);
  const add = (account: Posting['account'], amount: bigint): void => {
    amounts.set(account, (amounts.get(account) ?? 0n) + amount);
  };
  for (const { type, netMicros } of lines) add(accountOf[type], -netMicros);
  add('output_tax', -taxMicros);
  return postingsOf(amounts, { day, currency });
}

/** What a client has paid; a negative amount takes a payment back. */
export const clientPaymentPostings = (
  amountMicros: bigint,
  at: { readonly day: string; readonly currency: string },
): readonly Posting[] =>
  postingsOf(
    new Map<Posting['account'], bigint>([
      ['cash', amountMicros],
      ['client_receivable', -amountMicros],
    ]),
    at,
  );

/** What is delivered and not billed: on the last day of a month, and back on the first day after it. */
export function unbilledPostings(
  amountMicros: bigint,
  {
    currency,
    lastDay,
    firstDay,
  }: { readonly currency: string; readonly lastDay: string; readonly firstDay: string },
): readonly Posting[] {
  const on = (day: string, amount: bigint): readonly Posting[] =>
    postingsOf(
      new Map<Posting['account'], bigint>([
        ['unbilled', amount],
        ['client_media', -amount],
      ]),
      { day, currency },
    );
  return [...on(lastDay, amountMicros), ...on(firstDay, -amountMicros)];
}

function postingsOf(
  amounts: ReadonlyMap<Posting['account'], bigint>,
  at: { readonly day: string; readonly currency: string },
): readonly Posting[] {
  return [...amounts].flatMap(([account, amountMicros]) =>
    amountMicros === 0n ? [] : [{ account, ...at, amountMicros }],
  );
}
