import { exceeds, toleranceIn, type ReconcileInput } from './compared-figures.js';
import { createBreak, type FoundBreak } from './create-break.js';
import { shiftDay } from './period.js';
import type { Reconciliation } from './reconcile.js';

/** An invoice as its seller lists it. */
export interface AccountInvoice {
  readonly number: string;
  readonly amountMicros: bigint;
  readonly status: string;
}

/** A seller's own figures for one account and period. */
export interface AccountFigures {
  /** UUID. */
  readonly id: string;
  readonly seller: string;
  readonly currency: string;
  /** First and last day of the spend, in the days of `timezone`; absent where the seller names none. */
  readonly coversFrom: string;
  readonly coversTo: string;
  readonly timezone?: string;
  readonly totalSpendMicros?: bigint;
  /** Invoices of the period. */
  readonly invoices: readonly AccountInvoice[];
}

const billed: ReadonlySet<string> = new Set(['issued', 'paid', 'past_due']);

/**
 * Compares sellers' account figures with deliveries and invoices. They do not name buys, so they are compared
 * by seller, currency and period. Resolving these differences moves no money: only lines of invoices do.
 */
export function compareAccounts(
  input: ReconcileInput,
  accounts: readonly AccountFigures[],
): Pick<Reconciliation, 'matched' | 'breaks'> {
  const found = accounts.flatMap((account) => [
    ...spendOf(input, accounts, account),
    ...account.invoices.map((invoice) => invoiceOf(input, account, invoice)),
  ]);
  return {
    matched: found.filter((result) => result === 'matched').length,
    breaks: found.filter((result) => typeof result === 'object'),
  };
}

type Outcome = FoundBreak | 'matched' | 'not_compared';

function spendOf(
  input: ReconcileInput,
  accounts: readonly AccountFigures[],
  account: AccountFigures,
): readonly Outcome[] {
  const { seller, currency, totalSpendMicros, timezone } = account;
  const alike = accounts.filter(
    (candidate) => candidate.seller === seller && candidate.currency === currency,
  );
  // One comparison for all accounts of a seller in a currency, because deliveries name no account.
  if (
    alike[0] !== account ||
    totalSpendMicros === undefined ||
    !alike.every((candidate) => coversAll(input, candidate))
  )
    return [];
  const packages = input.packages.filter((item) => item.seller === seller && item.currency === currency);
  const delivered = packages.reduce((sum, { countedMicros }) => sum + countedMicros, 0n);
  const received = alike.reduce((sum, candidate) => sum + (candidate.totalSpendMicros ?? 0n), 0n);
  const differenceMicros = received - delivered;
  const size = differenceMicros < 0n ? -differenceMicros : differenceMicros;
  if (!exceeds(input, packages, size, delivered)) return ['matched'];
  const isCut = timezone !== undefined && !/^(?:Etc\/)?(?:UTC|GMT|Z)$/i.test(timezone);
  const days =
    timezone === undefined
      ? '; the seller does not say in which time zone the days of the account are.'
      : `; the days of the account are those of ${timezone}.`;
  return [
    createBreak(
      isCut ? 'time_zone_cut' : 'unknown',
      {
        seller,
        currency,
        polledMicros: received,
        differenceMicros,
        cause: `The account figures of the seller and its delivery reports have different amounts${isCut || timezone === undefined ? days : '.'}`,
        evidence: alike.map(({ id }) => id),
        tolerance: toleranceIn(input, packages, delivered),
      },
      'account',
    ),
  ];
}

/** Sellers may send the last day, or the first day after it. */
function coversAll({ from, to }: ReconcileInput, { coversFrom, coversTo }: AccountFigures): boolean {
  return coversFrom === from && (coversTo === to || coversTo === shiftDay(to, -1));
}

function invoiceOf(input: ReconcileInput, account: AccountFigures, listed: AccountInvoice): Outcome {
  const { seller, currency, id } = account;
  const { number, amountMicros, status } = listed;
  const booked = input.invoices.find((invoice) => invoice.seller === seller && invoice.number === number);
  const found = (kind: 'missing_invoice' | 'unknown', differenceMicros: bigint, cause: string): FoundBreak =>
    createBreak(
      kind,
      {
        seller,
        currency,
        polledMicros: amountMicros,
        differenceMicros,
        cause,
        evidence: [id, ...(booked === undefined ? [] : [booked.id])],
      },
      `invoice ${number}`,
    );
  if (booked === undefined)
    return billed.has(status)
      ? found(
          'missing_invoice',
          amountMicros,
          `The seller lists the invoice ${number} (${status}), which is not here.`,
        )
      : 'not_compared';
  if (status === 'void')
    return found('unknown', -booked.totalMicros, `The seller lists the invoice ${number} as void.`);
  if (!billed.has(status)) return 'not_compared';
  if (booked.totalMicros === amountMicros && booked.currency === currency) return 'matched';
  return found(
    'unknown',
    amountMicros - booked.totalMicros,
    `The seller lists the invoice ${number} with another amount than its file.`,
  );
}
