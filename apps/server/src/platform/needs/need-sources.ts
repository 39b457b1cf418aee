import { microsOf, microsToDecimal } from '@switchyard/money';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import type { Need } from './rank-needs.js';

/** What a source reads with: the lists of other routes, as their own callers get them. */
export interface Reading {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly caller: PrincipalCaller;
  /** Undefined where the route refuses. */
  readonly read: <Schema extends z.ZodType>(
    schema: Schema,
    id: string,
    query?: Readonly<Record<string, string>>,
    params?: Readonly<Record<string, string>>,
  ) => Promise<z.output<Schema> | undefined>;
  /** The name of a seller by its short name; the short name where the caller may not read sellers. */
  readonly nameOf: (slug: string) => string;
  /** False where no seller is connected yet. */
  readonly hasSellers: boolean;
}

interface Found {
  readonly needs: readonly Need[];
  /** How many there are; the needs may be fewer. */
  readonly count: number;
  readonly hasMore?: boolean;
}

/** One kind of waiting work. What a person cannot end does not need that person. */
interface Source {
  readonly needs: string;
  readonly acts: string;
  /** The name under which its number stands among the counts. */
  readonly counts?: string;
  readonly read: (reading: Reading) => Promise<Found>;
}

const most = '50';
const dayMs = 86_400_000;
const soonMs = 14 * dayMs;
const nothing: Found = { needs: [], count: 0 };
const found = (needs: readonly Need[], cursor?: string): Found => ({
  needs,
  count: needs.length,
  hasMore: cursor !== undefined,
});
const next = { next_cursor: z.string().optional() };
const rows = z.array(z.unknown());
const running = { status: 'active', limit: most };

/** What is counted beside its line of the menu, and needs nobody. */
const counted = (of: readonly unknown[] = []): Found => ({
  needs: [],
  count: of.length,
  hasMore: of.length >= Number(most),
});

const minus = (a: string, b: string): bigint => microsOf(a) - microsOf(b);
const text = microsToDecimal;

const pacing = z.object({
  date: z.string(),
  ...next,
  pacing: z.array(
    z.object({
      campaign_id: z.string().optional(),
      campaign: z.string().optional(),
      currency: z.string(),
      ends_on: z.string(),
      planned: z.string().optional(),
      committed: z.string(),
      ordered: z.string().optional(),
      delivered: z.string(),
      forecast: z.string(),
      planned_through: z.string().optional(),
      delivered_through: z.string(),
      alerts: z.array(z.object({ code: z.string(), message: z.string() })),
    }),
  ),
});
type Pace = z.output<typeof pacing>['pacing'][number];

/** The need of one campaign: of several alerts the one that costs most; the others stand in its reason. */
export function needOfPace(pace: Pace): Need | undefined {
  const { campaign_id: id = '', campaign: name = id, currency, alerts } = pace;
  const codes = alerts.map(({ code }) => code);
  const planned = pace.planned ?? pace.committed;
  const excess = [pace.forecast, pace.delivered, pace.ordered ?? '0']
    .map((amount) => minus(amount, planned))
    .reduce((x, y) => (x > y ? x : y));
  const unseen = minus(pace.committed, pace.delivered);
  const behind = minus(pace.planned_through ?? '0', pace.delivered_through);
  const reasonOf = (...own: readonly string[]): string =>
    alerts
      .toSorted((a, b) => Number(own.includes(b.code)) - Number(own.includes(a.code)))
      .map(({ message }) => message)
      .join(' ');
  const base = { need_id: `campaign ${id} ${currency}`, object: { kind: 'campaign', id, name }, currency };
  // Once the budgets are lowered only the reports of what was spent before are waited for.
  const isMended = excess <= 0n && pace.ordered !== undefined;
  if (!isMended && (codes.includes('over_budget') || codes.includes('will_overspend')))
    return {
      ...base,
      kind: 'overspend',
      loses: true,
      title: codes.includes('over_budget') ? `${name} is over its budget` : `${name} will overspend`,
      reason: reasonOf('over_budget', 'will_overspend'),
      ...(excess > 0n && { amount: text(excess), amount_is: 'over budget' }),
      act: 'lower_budgets',
    };
  if (codes.includes('no_report_for_days'))
    return {
      ...base,
      kind: 'silent',
      loses: true,
      title: `${name}: no figures`,
      reason: reasonOf('no_report_for_days'),
      ...(unseen > 0n && { amount: text(unseen), amount_is: 'not seen' }),
      act: 'open_seller',
    };
  if (!codes.includes('behind') && !codes.includes('not_started')) return undefined;
  return {
    ...base,
    kind: 'behind',
    loses: false,
    title: codes.includes('not_started') ? `${name} has not started` : `${name} is behind its plan`,
    reason: reasonOf('behind', 'not_started'),
    ...(behind > 0n && { amount: text(behind), amount_is: 'behind' }),
    act: 'raise_budgets',
  };
}

const buys = z.object({
  ...next,
  media_buys: z.array(
    z.object({
      media_buy_id: z.string(),
      buyer_ref: z.string().optional(),
      status: z.string(),
      currency: z.string(),
      current_total_budget: z.string(),
      not_placed: z.string(),
      created_at: z.string(),
      brand: z.string().nullable(),
      brand_name: z.string().nullable(),
      campaign: z.string().nullable(),
      sellers: z.array(z.object({ seller: z.string(), status: z.string(), has_taken_it: z.boolean() })),
      impairments: z.array(z.object({ reason: z.string(), remediation: z.string().optional() })),
    }),
  ),
});
type Buy = z.output<typeof buys>['media_buys'][number];
const nameOfBuy = ({ buyer_ref: ref, brand_name: name, brand, campaign }: Buy): string =>
  ref ?? campaign ?? name ?? brand ?? 'A buy';
const ofBuy = (kind: string, buy: Buy) => ({
  need_id: `${kind} ${buy.media_buy_id}`,
  object: { kind: 'media_buy', id: buy.media_buy_id, name: nameOfBuy(buy) },
  amount: buy.current_total_budget,
  currency: buy.currency,
});
const sellersOf = (
  { sellers }: { readonly sellers: readonly { readonly seller: string }[] },
  nameOf: Reading['nameOf'],
): string => sellers.map(({ seller }) => nameOf(seller)).join(', ');

const approvals = z.object({
  ...next,
  approvals: z.array(
    z.object({
      approval_id: z.string().optional(),
      operation_id: z.string().optional(),
      kind: z.string(),
      task: z.string(),
      seller: z.string().optional(),
      client: z.string().optional(),
      brand: z.string().optional(),
      campaign: z.string().optional(),
      subject: z.string().optional(),
      amount: z.string().optional(),
      currency: z.string().optional(),
      reason: z.string(),
      since: z.string(),
      expires_at: z.string().optional(),
    }),
  ),
});

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

const outgoing = z.object({
  events: z.array(
    z.object({
      event_id: z.string(),
      kind: z.string(),
      state: z.string(),
      principal: z.string().optional(),
      principal_id: z.string(),
      reason: z.string().optional(),
      created_at: z.string(),
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

const credentials = z.object({
  ...next,
  credentials: z.array(
    z.object({
      credential_id: z.string(),
      version: z.number(),
      kind: z.string(),
      seller: z.string().optional(),
      destination: z.string().optional(),
      retires_at: z.string().optional(),
      last_error: z.object({ code: z.string() }).optional(),
    }),
  ),
});

export const sellers = z.object({
  ...next,
  sellers: z.array(
    z.object({ slug: z.string(), name: z.string(), state: z.string(), reason: z.string().optional() }),
  ),
});

const alarms = z.object({
  ...next,
  alarms: z.array(
    z.object({
      alarm_id: z.string(),
      kind: z.string(),
      subject: z.string(),
      detail: z.record(z.string(), z.unknown()),
      last_at: z.string(),
    }),
  ),
});

const words = (name: string): string => name.replaceAll('_', ' ');

/** Every kind of waiting work. */
export const needSources: readonly Source[] = [
  {
    needs: 'ledger.read',
    acts: 'media_buys.write',
    read: async ({ read }) => {
      const answer = await read(pacing, 'list_pacing', { by: 'campaign', limit: most });
      if (answer === undefined) return nothing;
      const running = answer.pacing.filter(({ ends_on: end }) => end >= answer.date);
      return found(
        running.flatMap((pace) => needOfPace(pace) ?? []),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'media_buys.read',
    acts: 'media_buys.write',
    read: async ({ read, nameOf }) => {
      const answer = await read(buys, 'list_buys', { impaired: 'true', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.media_buys.map((buy) => ({
          ...ofBuy('impaired', buy),
          kind: 'runs_to_nowhere' as const,
          loses: true,
          title: `${nameOfBuy(buy)}: ${(buy.impairments[0]?.reason ?? 'something stops it').replace(/\.$/, '')}`,
          reason: buy.impairments[0]?.remediation ?? `It runs at ${sellersOf(buy, nameOf)}.`,
          amount_is: 'booked',
          act: 'open_buy' as const,
        })),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'media_buys.read',
    acts: 'media_buys.write',
    counts: 'creatives',
    read: async ({ read, now, nameOf }) => {
      const answer = await read(buys, 'list_buys', { status: 'pending_creatives,rejected', limit: most });
      if (answer === undefined) return nothing;
      // A refusal has no end, so only recent ones need somebody.
      const recent = answer.media_buys.filter(
        ({ status, created_at: at }) => status !== 'rejected' || Date.parse(at) > now - soonMs,
      );
      const needs = recent.map((buy) => {
        const isRefused = buy.status === 'rejected';
        return {
          ...ofBuy('unplaced', buy),
          kind: isRefused ? ('refused' as const) : ('no_creative' as const),
          loses: false,
          title: isRefused ? `${nameOfBuy(buy)} was refused` : `${nameOfBuy(buy)} waits for a creative`,
          reason: `At ${sellersOf(buy, nameOf)}. ${isRefused ? 'Its page has the reason of each seller.' : 'Assign one to each line.'}`,
          amount_is: 'not placed',
          act: 'open_buy' as const,
        };
      });
      return {
        ...found(needs, answer.next_cursor),
        count: recent.filter(({ status }) => status === 'pending_creatives').length,
      };
    },
  },
  {
    needs: 'media_buys.read',
    acts: 'media_buys.write',
    read: async ({ read, now, nameOf }) => {
      const answer = await read(buys, 'list_buys', { part_refused: 'true', limit: most });
      if (answer === undefined) return nothing;
      const recent = answer.media_buys.filter(({ created_at: at }) => Date.parse(at) > now - soonMs);
      return found(
        recent.map((buy) => {
          const refused = buy.sellers.filter(
            ({ status, has_taken_it: has }) => status === 'rejected' && !has,
          );
          return {
            ...ofBuy('part', buy),
            kind: 'part_refused' as const,
            loses: false,
            title: `${nameOfBuy(buy)}: ${sellersOf({ sellers: refused }, nameOf)} refused`,
            reason: 'The other sellers run. Put what was refused in a plan, and place it elsewhere.',
            amount: buy.not_placed,
            amount_is: 'not placed',
            act: 'place_elsewhere' as const,
          };
        }),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'media_buys.read',
    acts: 'media_buys.approve',
    counts: 'approvals',
    read: async ({ read }) => {
      const answer = await read(approvals, 'list_approvals', { state: 'open', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.approvals.map((approval, at) => {
          const whose = approval.client ?? approval.brand ?? approval.seller ?? approval.subject;
          const id = approval.approval_id ?? approval.operation_id ?? String(at);
          return {
            need_id: `approval ${id}`,
            kind: 'approve' as const,
            loses: false,
            object: {
              kind: 'operation',
              id: approval.operation_id ?? '',
              name: whose ?? words(approval.task),
            },
            title: `${approval.kind === 'seller' ? 'Answer' : 'Approve'}: ${[whose, words(approval.task)].filter(Boolean).join(', ')}`,
            reason: approval.reason,
            ...(approval.amount !== undefined &&
              approval.currency !== undefined && {
                amount: approval.amount,
                currency: approval.currency,
                amount_is: 'to approve',
              }),
            since: approval.since,
            ...(approval.expires_at !== undefined && { due_on: approval.expires_at.slice(0, 10) }),
            act: 'review' as const,
          };
        }),
        answer.next_cursor,
      );
    },
  },
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
  {
    needs: 'sellers.read',
    acts: 'sellers.write',
    counts: 'failing_sellers',
    read: async ({ read, hasSellers }) => {
      if (!hasSellers)
        return found([
          {
            need_id: 'first seller',
            kind: 'first_seller',
            loses: false,
            object: { kind: 'seller', id: '', name: 'The first seller' },
            title: 'Connect the first seller',
            reason: 'No seller is connected yet.',
            act: 'connect',
          },
        ]);
      const failing = await read(sellers, 'list_sellers', { failing: 'true', limit: most });
      if (failing === undefined) return nothing;
      return found(
        failing.sellers.map(({ slug, name, state, reason }) => ({
          need_id: `seller ${slug}`,
          kind: 'seller_fails' as const,
          loses: false,
          object: { kind: 'seller', id: slug, name: name || slug },
          title: `${name || slug} cannot be used`,
          reason: reason ?? `It is ${state === 'live' ? 'not answering, or stopped' : words(state)}.`,
          act: 'open_seller' as const,
        })),
        failing.next_cursor,
      );
    },
  },
  {
    needs: 'sellers.read',
    acts: 'sellers.write',
    counts: 'credentials',
    read: async ({ read, now, nameOf }) => {
      const [refused, ending] = await Promise.all([
        read(credentials, 'list_credentials', { has_error: 'true', limit: most }),
        read(credentials, 'list_credentials', { retires_before: isoOf(now + soonMs), limit: most }),
      ]);
      const all = new Map(
        [...(refused?.credentials ?? []), ...(ending?.credentials ?? [])].map((one) => [
          `${one.credential_id} ${one.version}`,
          one,
        ]),
      );
      return found(
        [...all].map(([id, { seller, destination, kind, retires_at: end, last_error: error }]) => {
          const name = seller === undefined ? (destination ?? words(kind)) : nameOf(seller);
          return {
            need_id: `credential ${id}`,
            kind: 'key_ends' as const,
            loses: false,
            object: { kind: 'credential', id: seller ?? '', name },
            title: error === undefined ? `The key of ${name} ends` : `${name} refused our key`,
            reason:
              error === undefined ? 'After that nothing is sent with it.' : `Its answer was ${error.code}.`,
            ...(end !== undefined && { due_on: end.slice(0, 10) }),
            act: 'renew' as const,
          };
        }),
        refused?.next_cursor ?? ending?.next_cursor,
      );
    },
  },
  {
    needs: 'sellers.read',
    acts: 'sellers.approve',
    counts: 'alarms',
    read: async ({ read }) => {
      const answer = await read(alarms, 'list_alarms', { state: 'open', limit: most });
      if (answer === undefined) return nothing;
      return found(
        answer.alarms.map(({ alarm_id: id, kind, subject, detail, last_at: at }) => ({
          need_id: `alarm ${id}`,
          kind: 'alarm' as const,
          loses: false,
          object: { kind: 'alarm', id, name: subject },
          title: `Alarm: ${words(kind)}, ${typeof detail['seller'] === 'string' ? detail['seller'] : subject}`,
          reason: typeof detail['message'] === 'string' ? detail['message'] : subject,
          since: at,
          act: 'look' as const,
        })),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'reports.read',
    acts: 'media_buys.write',
    counts: 'outgoing',
    read: async ({ read, now }) => {
      const since = isoOf(now - soonMs);
      const answers = await Promise.all(
        ['refused', 'expired'].map((state) =>
          read(outgoing, 'list_outgoing_events', { state, since, limit: most }),
        ),
      );
      return found(
        answers
          .flatMap((answer) => answer?.events ?? [])
          .map((event) => ({
            need_id: `outgoing ${event.event_id}`,
            kind: 'webhook_out' as const,
            loses: false,
            object: {
              kind: 'outgoing-event',
              id: event.event_id,
              name: event.principal ?? event.principal_id,
            },
            title: `A webhook to ${event.principal ?? event.principal_id} did not arrive`,
            reason: event.reason ?? event.state,
            since: event.created_at,
            act: 'send_again' as const,
          })),
      );
    },
  },
  {
    needs: 'media_buys.read',
    acts: 'clients.write',
    counts: 'unassigned',
    read: async ({ read, nameOf }) => {
      const answer = await read(buys, 'list_buys', {
        campaign: 'none',
        status: 'pending_approval,pending_creatives,pending_start,active,paused,completed,canceled',
        limit: most,
      });
      if (answer === undefined) return nothing;
      return found(
        answer.media_buys.map((buy) => ({
          ...ofBuy('unassigned', buy),
          kind: 'no_campaign' as const,
          loses: false,
          title: `${nameOfBuy(buy)} has no campaign`,
          reason: `Bought at ${sellersOf(buy, nameOf)}. Without a campaign it counts for no client.`,
          amount_is: 'booked',
          act: 'assign' as const,
        })),
        answer.next_cursor,
      );
    },
  },
  {
    needs: 'clients.read',
    acts: 'clients.read',
    counts: 'campaigns',
    read: async ({ read }) =>
      counted((await read(z.object({ campaigns: rows, ...next }), 'list_campaigns', running))?.campaigns),
  },
  {
    needs: 'media_buys.write',
    acts: 'media_buys.write',
    counts: 'plans',
    read: async ({ read, caller }) => {
      const mine = { state: 'draft', made_by_id: caller.principalId, limit: most };
      return counted((await read(z.object({ plans: rows, ...next }), 'list_plans', mine))?.plans);
    },
  },
];
