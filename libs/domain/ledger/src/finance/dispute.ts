import { microsToDecimal, type Micros } from '@switchyard/money';
import type { Posting } from '../entry/posting.js';

/** How a case ends. A case is never merely done: its end says what became of the amount. */
export const disputeOutcomes = ['credited', 'accepted', 'partly', 'withdrawn'] as const;
export type DisputeOutcome = (typeof disputeOutcomes)[number];

/** What stands on accounts because of something, in micros. */
export type AccountAmounts = ReadonlyMap<Posting['account'], bigint>;

interface CaseState {
  readonly amountMicros: Micros;
  /** Absent while the case is open. */
  readonly outcome?: DisputeOutcome;
  /** The part that is credited, of one that ends `partly`. */
  readonly creditedMicros?: Micros;
}

/**
 * What a case leaves on the accounts (docs/ledger.md#disputes): its amount is disputed while it is open. What is credited
 * or withdrawn goes back to what is owed by delivery, where a credit note stands against it; what is accepted is the
 * difference that is paid.
 */
export function disputeAmounts({
  amountMicros,
  outcome,
  creditedMicros = amountMicros,
}: CaseState): AccountAmounts {
  if (outcome === undefined) return pair('disputed', amountMicros);
  switch (outcome) {
    case 'accepted':
      return pair('invoice_difference', amountMicros);
    case 'partly':
      return pair('invoice_difference', amountMicros - creditedMicros);
    case 'credited':
    case 'withdrawn':
      return new Map();
  }
}

const pair = (account: Posting['account'], amount: bigint): AccountAmounts =>
  new Map<Posting['account'], bigint>([
    [account, amount],
    ['seller_payable', -amount],
  ]);

/** The postings that lead from what stands on accounts to what shall stand there. */
export function movedPostings(
  before: AccountAmounts,
  now: AccountAmounts,
  { currency, day }: Pick<Posting, 'currency' | 'day'>,
): readonly Posting[] {
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((account) => {
    const amountMicros = (now.get(account) ?? 0n) - (before.get(account) ?? 0n);
    return amountMicros === 0n ? [] : [{ account, day, currency, amountMicros }];
  });
}

/** What the letter of a case says. */
export interface DisputeLetter {
  readonly number: string;
  readonly organization: string;
  readonly invoice: string;
  readonly issuedOn: string;
  readonly period: string;
  readonly currency: string;
  readonly totalMicros: Micros;
  readonly amountMicros: Micros;
  readonly reason: string;
  readonly dueOn: string;
  /** Of both sides, where the case is about a difference that was found. */
  readonly figures?: {
    readonly invoicedMicros?: Micros;
    readonly reportedMicros?: Micros;
    readonly orderedMicros?: Micros;
    readonly thirdPartyMicros?: Micros;
    readonly sellerMediaBuyId?: string;
    readonly packageRef?: string;
  };
  readonly lines: readonly {
    readonly line: number;
    readonly sellerMediaBuyId?: string;
    readonly packageRef?: string;
    readonly description?: string;
    readonly amountMicros: Micros;
  }[];
}

/** One line of a letter: what it is, and its value. */
type Fact = readonly [name: string, value: string];

/** The facts of a letter, for its text and for a table of a document. */
export function letterFacts(letter: DisputeLetter): readonly Fact[] {
  const money = (micros: Micros): string => `${microsToDecimal(micros)} ${letter.currency}`;
  const { figures = {} } = letter;
  const known = (name: string, micros: Micros | undefined): readonly Fact[] =>
    micros === undefined ? [] : [[name, money(micros)]];
  return [
    ['Case', letter.number],
    ['Invoice', `${letter.invoice} of ${letter.issuedOn}, for ${letter.period}`],
    ['Invoice total', money(letter.totalMicros)],
    ['Disputed amount', money(letter.amountMicros)],
    ['Reason', letter.reason],
    ...(figures.sellerMediaBuyId === undefined
      ? []
      : [['Your media buy', figures.sellerMediaBuyId] as const]),
    ...(figures.packageRef === undefined ? [] : [['Your package', figures.packageRef] as const]),
    ...known('You invoiced', figures.invoicedMicros),
    ...known('You reported', figures.reportedMicros),
    ...known('We ordered', figures.orderedMicros),
    ...known('A third party counted', figures.thirdPartyMicros),
    ...letter.lines.map(({ line, sellerMediaBuyId, packageRef, description, amountMicros }): Fact => [
      `Line ${line}`,
      [sellerMediaBuyId, packageRef, description, money(amountMicros)]
        .filter((part) => part !== undefined)
        .join(', '),
    ]),
    ['Please answer by', letter.dueOn],
  ];
}

/** The letter of a case as plain text for a mail. */
export function letterText(letter: DisputeLetter): { readonly subject: string; readonly text: string } {
  const facts = letterFacts(letter).map(([name, value]) => `${name}: ${value}`);
  return {
    subject: `Dispute ${letter.number}: invoice ${letter.invoice}`,
    text: [
      'To whom it may concern,',
      '',
      'We do not agree with an amount of your invoice. The rest of the invoice is not affected.',
      '',
      ...facts,
      '',
      'Please send a credit note, or figures that explain the amount. Name the case in your answer.',
      '',
      letter.organization,
      '',
    ].join('\n'),
  };
}
