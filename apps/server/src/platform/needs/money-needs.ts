import { microsOf, microsToDecimal } from '@switchyard/money';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { most, next, nothing, found, words, type Source } from './need-source.js';
import type { Need } from './rank-needs.js';

const minus = (a: string, b: string): bigint => microsOf(a) - microsOf(b);
const text = microsToDecimal;

const breaks = z.object({
  ...next,
  breaks: z.array(
    z.object({
      break_id: z.string(),
      kind: z.string(),
      period: z.string(),
      seller: z.string(),
      currency: z.string(),
      difference: z.string(),
      cause: z.string(),
      campaign: z.string().nullable(),
    }),
  ),
});

const aging = z.object({
  aging: z.array(
    z.object({
      seller: z.string().optional(),
      currency: z.string(),
      current: z.string(),
      total: z.string(),
      invoices: z.number(),
    }),
  ),
});

/** So many sellers with overdue invoices are named one by one, in each currency; the others stand together. */
const overdueOnes = 2;

/** What is overdue, by seller and currency, most first. One seller more is no reason for a line of its own. */
export function overdueNeeds(
  rows: z.output<typeof aging>['aging'],
  nameOf: (slug: string) => string,
): readonly Need[] {
  const late = rows
    .map((row) => ({ ...row, seller: row.seller ?? '', micros: minus(row.total, row.current) }))
    .filter(({ micros }) => micros > 0n)
    .toSorted((a, b) => (a.micros < b.micros ? 1 : -1));
  return [...new Set(late.map(({ currency }) => currency))].flatMap((currency): readonly Need[] => {
    const own = late.filter((row) => row.currency === currency);
    const named = own.length <= overdueOnes + 1 ? own : own.slice(0, overdueOnes);
    const others = own.slice(named.length);
    const need = (id: string, title: string, reason: string, micros: bigint): Need => ({
      need_id: `overdue ${id === '' ? 'others' : id} ${currency}`,
      kind: 'overdue',
      loses: true,
      object: { kind: 'aging', id, name: id === '' ? title : nameOf(id) },
      title,
      reason,
      amount: text(micros),
      currency,
      amount_is: 'overdue',
      act: 'pay',
    });
    const sum = others.reduce((all, { micros }) => all + micros, 0n);
    return [
      ...named.map(({ seller, micros }) =>
        need(seller, `${nameOf(seller)}: invoices are overdue`, 'Their day of payment is over.', micros),
      ),
      ...(others.length === 0
        ? []
        : [
            need(
              '',
              `${others.length} other sellers: invoices are overdue`,
              `${others
                .slice(0, 5)
                .map(({ seller }) => nameOf(seller))
                .join(', ')}${others.length > 5 ? ' and others' : ''}.`,
              sum,
            ),
          ]),
    ];
  });
}

const events = z.object({
  ...next,
  events: z.array(
    z.object({
      event_id: z.string(),
      kind: z.string(),
      seller: z.string(),
      campaign: z.string().optional(),
      explanation: z.string().optional(),
      reason: z.string().optional(),
      received_at: z.string(),
    }),
  ),
});

const periods = z.object({
  periods: z.array(
    z.object({
      period: z.string(),
      state: z.string(),
      reopen_asked_by: z.string().optional(),
      reopen_reason: z.string().optional(),
    }),
  ),
});

const checklist = z.object({
  open_breaks: z.number(),
  quarantined_events: z.number(),
  unassigned_buys: z.number(),
  reconciliation_due: z.boolean(),
});

/** What waits for finance. */
export const moneyNeeds: readonly Source[] = [
  {
    needs: 'ledger.read',
    acts: 'ledger.write',
    counts: 'breaks',
    read: async ({ read, nameOf }) => {
      const answer = await read(breaks, 'list_breaks', { state: 'open', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.breaks.map((one) => {
          const isTwice = one.kind === 'duplicate_invoice';
          return {
            need_id: `break ${one.break_id}`,
            kind: isTwice ? ('paid_twice' as const) : ('difference' as const),
            loses: isTwice,
            object: { kind: 'break', id: one.break_id, name: nameOf(one.seller) },
            title: `${nameOf(one.seller)}: ${isTwice ? 'billed twice' : `difference in ${one.period}`}`,
            reason: [one.campaign, one.cause].filter(Boolean).join(': '),
            amount: one.difference,
            currency: one.currency,
            amount_is: isTwice ? 'twice' : 'difference',
            act: 'decide' as const,
          };
        }),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'ledger.read',
    acts: 'ledger.write',
    counts: 'overdue',
    read: async ({ read, nameOf }) => {
      const answer = await read(aging, 'show_aging', { by: 'seller' });
      if (answer === undefined) return nothing;
      return found(overdueNeeds(answer.aging, nameOf));
    },
  },
  {
    needs: 'reports.read',
    acts: 'ledger.approve',
    counts: 'events',
    read: async ({ read }) => {
      const answer = await read(events, 'list_events', { state: 'quarantined', counts: 'no', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.events.map((event) => ({
          need_id: `event ${event.event_id}`,
          kind: 'held_report' as const,
          loses: false,
          object: { kind: 'event', id: event.event_id, name: event.seller },
          title: `${event.seller}: a ${words(event.kind)} is held`,
          reason: [event.campaign, event.explanation ?? event.reason].filter(Boolean).join(': '),
          since: event.received_at,
          act: 'compare' as const,
        })),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'ledger.read',
    acts: 'ledger.approve',
    read: async ({ read, now, caller }) => {
      const answer = await read(periods, 'list_periods');
      if (answer === undefined) return nothing;
      // Months close in order: what is before the newest closed one is closed with it.
      const closed = answer.periods.find(({ state }) => state === 'closed')?.period ?? '';
      const over = answer.periods
        .map(({ period }) => period)
        .filter((period) => period > closed && period < isoOf(now).slice(0, 7))
        .toReversed();
      const asked = answer.periods.filter(
        ({ reopen_asked_by: by }) => by !== undefined && by !== caller.principalId,
      );
      const ofMonth = (kind: string, period: string) => ({
        need_id: `${kind} ${period}`,
        loses: false,
        object: { kind: 'period', id: period, name: period },
      });
      const due = await Promise.all(
        over.slice(0, 3).map(async (period): Promise<Need | undefined> => {
          const left = await read(checklist, 'show_checklist', {}, { period });
          if (left === undefined) return undefined;
          const tasks = [
            ...(left.reconciliation_due ? ['it is not compared'] : []),
            ...(left.open_breaks > 0 ? [`open differences ${left.open_breaks}`] : []),
            ...(left.quarantined_events > 0 ? [`held webhooks ${left.quarantined_events}`] : []),
            ...(left.unassigned_buys > 0 ? [`buys without a campaign ${left.unassigned_buys}`] : []),
          ];
          return {
            ...ofMonth('month', period),
            kind: 'month',
            title: tasks.length === 0 ? `${period} can be closed` : `${period} is over and not closed`,
            reason: tasks.length === 0 ? 'Nothing is left to do.' : `Left to do: ${tasks.join(', ')}.`,
            act: 'close',
          };
        }),
      );
      return found([
        ...due.filter((one) => one !== undefined),
        ...asked.map(({ period, reopen_reason: reason }): Need => ({
          ...ofMonth('reopen', period),
          kind: 'reopen',
          title: `Open ${period} again?`,
          reason: reason ?? 'Somebody asked for it.',
          act: 'agree',
        })),
      ]);
    },
  },
];
