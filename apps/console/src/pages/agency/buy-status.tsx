import type { Answer } from '../../api/client.js';
import { textAt } from '../../api/task.js';
import { Go } from '../../parts/go.js';
import { SellerName, useSellerNames } from '../../parts/seller-name.js';
import { Status } from '../../parts/status.js';

export const buyStatuses = [
  'pending_approval',
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'canceled',
  'rejected',
] as const;

/** Selects the buys that somebody has to put under a campaign: a rejected one spends nothing. */
export const withoutCampaign = {
  campaign: 'none',
  status: buyStatuses.filter((status) => status !== 'rejected').join(','),
};

/** A status as text for people. */
export const statusText = (status: string): string => words[status]?.[0] ?? status.replaceAll('_', ' ');

const words: Readonly<Record<string, readonly [words: string, tone: string]>> = {
  pending_approval: ['To approve', 'accent'],
  pending_creatives: ['Waits for a creative', 'warn'],
  pending_start: ['Begins later', 'gray'],
  active: ['Running', 'good'],
  paused: ['Paused', 'warn'],
  completed: ['Ended', 'gray'],
  canceled: ['Cancelled', 'gray'],
  rejected: ['Refused', 'bad'],
};

/** The state of a buy: of one that runs at some of its sellers only, at how many. */
function stateOf({ status, sellers }: Shown): readonly [words: string, tone: string | undefined] {
  const runs = sellers.filter((one) => one.status === 'active' && one.has_taken_it).length;
  const others = sellers.filter((one) => one.status !== 'completed' && one.status !== 'canceled').length;
  if (runs > 0 && runs < others) return [`${runs} of ${others} sellers run`, 'warn'];
  return words[status] ?? [statusText(status), undefined];
}

interface Shown {
  readonly media_buy_id: string;
  readonly operation_id: string;
  readonly status: string;
  readonly created_at: string;
  readonly changes?: readonly { readonly at: string }[];
  readonly sellers: readonly {
    readonly seller: string;
    readonly status: string;
    readonly has_taken_it: boolean;
    readonly held_by?: { readonly target: string; readonly reason?: string };
  }[];
}

/** What a buy is called by. */
export interface Called {
  readonly buyer_ref?: string;
  readonly brand: string | null;
  readonly brand_name: string | null;
  readonly sellers: readonly { readonly seller: string }[];
}

/** A buy's name: its own reference, else its owner and sellers, by their short names unless others are known. */
export const buyText = (
  { buyer_ref: ref, brand_name: name, brand, sellers }: Called,
  nameOf: (slug: string) => string = (slug) => slug,
): string =>
  ref ??
  `${name ?? brand ?? 'Media buy'}${sellers.length === 0 ? '' : ` at ${sellers.map(({ seller }) => nameOf(seller)).join(', ')}`}`;

/** The name of a buy for people. */
export function useBuyText(): (buy: Called) => string {
  const nameOf = useSellerNames();
  return (buy) => buyText(buy, nameOf);
}

const why: Readonly<Record<string, readonly [why: string, next: string]>> = {
  pending_approval: [
    'It goes beyond a limit: another person has to approve it before any seller is asked.',
    'Somebody who may approve it decides under Approvals.',
  ],
  pending_creatives: ['A line lacks a creative.', 'Assign a creative to each line, on the page of the buy.'],
  pending_start: ['Its first day has not come.', 'Nothing: it starts by itself.'],
  active: ['It runs.', 'Nothing. Look at its pacing on its page.'],
  paused: ['Somebody paused it.', 'Resume it on its page.'],
  completed: ['Its last day is over and the final reports are in.', 'Finance compares its invoices.'],
  canceled: ['It was cancelled.', 'Nothing: a cancelled buy does not run again.'],
  rejected: [
    'Its approval was denied, or its sellers refused it.',
    'Read the reasons on its page, change the plan and buy again.',
  ],
};

/** The time of its last change, if known. */
const sinceOf = ({ changes, created_at: created }: Shown): string | undefined =>
  changes === undefined
    ? undefined
    : changes.reduce((latest, { at }) => (at > latest ? at : latest), created);

/** The status of a buy with its explanation: the state at each seller. */
export function BuyStatus({ buy }: { readonly buy: Shown }) {
  // Until a seller has it, this is the future status at the seller: nothing starts by itself then.
  const isWaiting = buy.status === 'pending_start' && !buy.sellers.some((seller) => seller.has_taken_it);
  const stop = buy.sellers.find(({ held_by: held }) => held !== undefined)?.held_by;
  const waiting = stop === undefined ? 'Sent' : 'Held by a stop';
  const [status, tone] = isWaiting ? ([waiting, 'warn'] as const) : stateOf(buy);
  const [reason, text] = isWaiting
    ? stop === undefined
      ? ([
          'No seller has taken it yet.',
          'Wait for the sellers; the page of the buy says what each said.',
        ] as const)
      : ([
          `The emergency stop ${stop.target} holds it. ${stop.reason ?? ''}`,
          'It is sent to the sellers when the stop ends.',
        ] as const)
    : (why[buy.status] ?? ['Its sellers reported this.', 'Open the buy to see each seller.']);
  const next =
    buy.status === 'pending_approval' ? (
      <>
        {text}{' '}
        <Go to="/inbox/approvals" search={{ operation_id: buy.operation_id, state: 'all' }}>
          See whom it waits for
        </Go>
      </>
    ) : (
      text
    );
  return (
    <Status
      of={status}
      tone={tone}
      explain={{
        why: reason,
        since: sinceOf(buy),
        evidence: (
          <ul>
            {buy.sellers.map((seller) => (
              <li key={seller.seller}>
                <SellerName of={seller.seller} size={18} />:{' '}
                {seller.has_taken_it ? statusText(seller.status) : 'no order there yet'}
              </li>
            ))}
          </ul>
        ),
        next: (
          <>
            {next} <Go to={`/buys/${encodeURIComponent(buy.media_buy_id)}`}>Open the buy</Go>
          </>
        ),
        cli: `npx switchyard buys show ${buy.media_buy_id}`,
      }}
    />
  );
}

/** The last day of a flight, as YYYY-MM-DD. A flight ends before its end time, as in pacing. */
export const lastDayOf = ({ end_time: end }: { readonly end_time: string }): string =>
  new Date(Date.parse(end) - 1).toISOString().slice(0, 10);

/** The days of a package that has its own, as text: `2026-12-01 to 2026-12-31`. Empty if it runs as its buy does. */
export function ownDaysOf(
  { terms }: Pick<Answer<'GET /v1/buys/{id}'>['packages'][number], 'terms'>,
  buy: { readonly start_time: string; readonly end_time: string },
): string {
  const [start, end] = [textAt(terms['start_time']), textAt(terms['end_time'])];
  if (start === '' && end === '') return '';
  return `${(start || buy.start_time).slice(0, 10)} to ${lastDayOf({ end_time: end || buy.end_time })}`;
}
