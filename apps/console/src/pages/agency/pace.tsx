import { useQuery } from '@tanstack/react-query';
import { api, type Answer } from '../../api/client.js';
import { decimal, micros, Money, moneyText, percentText } from '../../parts/money.js';
import { Go } from '../../parts/go.js';
import { Status } from '../../parts/status.js';
import { dayText } from '../../parts/time.js';

export type PaceRow = Answer<'GET /v1/pacing'>['pacing'][number];

/** The campaigns with their figures of each day. */
export const usePacing = (isEnabled = true) =>
  useQuery({
    queryKey: ['ledger', 'pacing', 'days'],
    queryFn: ({ signal }) =>
      api('GET /v1/pacing', { query: { by: 'campaign', days: 'true', limit: '200' }, signal }),
    enabled: isEnabled,
  });

/** The budget of a campaign: its plan, or what is booked where it has none. */
export const budgetOf = (row: PaceRow): string => row.planned ?? row.committed;

const minus = (a: string, b: string): bigint => (micros(a) ?? 0n) - (micros(b) ?? 0n);

/** The difference of two amounts as decimal text. */
export const lessText = (a: string, b: string): string => decimal(minus(a, b));

/** What the forecast, the delivery or what is ordered is over the budget; 0 where none is. */
export function overOf(row: PaceRow): bigint {
  const most = [row.forecast, row.delivered, row.ordered ?? '0']
    .map((amount) => minus(amount, budgetOf(row)))
    .concat(0n);
  return most.reduce((a, b) => (a > b ? a : b));
}

/** What a thousand impressions cost, of rows of one currency whose impressions are all known. */
export function cpmOf(rows: readonly PaceRow[]): string | undefined {
  const impressions = rows.reduce((sum, row) => sum + (row.impressions ?? Number.NaN), 0);
  const isMixed = rows.some((row) => (row.not_converted ?? []).length > 0);
  if (!(impressions > 0) || isMixed) return undefined;
  const spent = rows.reduce((sum, { delivered }) => sum + (micros(delivered) ?? 0n), 0n);
  return decimal((spent * 1_000n) / BigInt(impressions));
}

/** Whole days from one day to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

const worst = ['over_budget', 'will_overspend', 'no_report_for_days', 'not_started', 'behind', 'ahead'];

/** What a person does about the worst alert. */
const nextSteps: Readonly<Record<string, string>> = {
  over_budget: 'Lower or cancel buys, or agree on a larger budget. Do not buy more.',
  will_overspend: 'Lower budgets before the money is spent.',
  no_report_for_days: 'Ask the seller for its reports before you change anything.',
  not_started: 'Ask the seller why nothing runs.',
  behind: 'Raise budgets where a seller can deliver.',
  ahead: 'Look whether the budget lasts to the end.',
};

/** The state of a campaign in few words, with its tone and the code of the alert that costs most. */
export function paceState(row: PaceRow, today: string): { words: string; tone: string; code?: string } {
  const codes = row.alerts.map(({ code }) => code);
  const code = worst.find((one) => codes.includes(one));
  const percent = Math.abs(Number(row.difference_percent ?? 0));
  if (code === 'over_budget' || code === 'will_overspend')
    return overOf(row) > 0n
      ? { words: `Over by ${moneyText(decimal(overOf(row)), null, 'whole')}`, tone: 'bad', code }
      : { words: 'Lowered, report due', tone: 'gray', code };
  if (code === 'no_report_for_days') {
    const days = row.through === undefined ? undefined : daysBetween(row.through, today) - 1;
    return { words: days === undefined ? 'No figures' : `No figures, ${days} days`, tone: 'bad', code };
  }
  if (code === 'not_started') return { words: 'Not started', tone: 'warn', code };
  if (code === 'behind') return { words: `Behind by ${percentText(percent)}`, tone: 'warn', code };
  if (code === 'ahead') return { words: `Ahead by ${percentText(percent)}`, tone: 'warn', code };
  if (row.ends_on < today) return { words: 'Ended', tone: 'gray' };
  return { words: 'On plan', tone: 'good' };
}

/** Worst first: what loses money by its amount, then the largest difference from the plan. */
export function worstFirst(rows: readonly PaceRow[], today: string): readonly PaceRow[] {
  const rank = (row: PaceRow): number => worst.indexOf(paceState(row, today).code ?? '');
  const place = (row: PaceRow): number => (rank(row) === -1 ? worst.length : Math.max(1, rank(row)));
  return rows.toSorted((a, b) => {
    const over = overOf(b) - overOf(a);
    return (
      place(a) - place(b) ||
      (place(a) === 1 && over !== 0n ? (over > 0n ? 1 : -1) : 0) ||
      Math.abs(Number(b.difference_percent ?? 0)) - Math.abs(Number(a.difference_percent ?? 0))
    );
  });
}

/** The state of a campaign; its button says why, with all alerts. */
export function PacePill({ row, today }: { readonly row: PaceRow; readonly today: string }) {
  const { words, tone, code } = paceState(row, today);
  const { campaign_id: campaign = '' } = row;
  return (
    <Status
      of={words}
      tone={tone}
      explain={{
        why:
          row.alerts.length === 0
            ? 'What was delivered is near what was planned by that day.'
            : row.alerts.map((alert) => <div key={alert.code}>{alert.message}</div>),
        evidence: (
          <>
            Compared through {row.through === undefined ? 'no day yet' : dayText(row.through)}:{' '}
            <Money amount={row.delivered_through} currency={row.currency} /> delivered,{' '}
            <Money amount={row.planned_through} currency={row.currency} /> planned.{' '}
            <Go to="/reports" search={{ campaign, by: 'buy' }}>
              Its figures
            </Go>
          </>
        ),
        next: (
          <>
            {code === undefined ? 'Nothing.' : nextSteps[code]}{' '}
            <Go to={`/campaigns/${campaign}`}>Open the campaign</Go>
          </>
        ),
        cli: 'npx switchyard pacing',
      }}
    />
  );
}

/** What was delivered on each of the last days with figures, for drawing. */
export const lastDays = (row: PaceRow, count: number): readonly number[] =>
  (row.days ?? [])
    .filter(({ day }) => row.through !== undefined && day <= row.through)
    .slice(-count)
    .map(({ delivered }) => Number(delivered));
