import { microsOf, microsToDecimal } from '@switchyard/money';
import { z } from 'zod';
import {
  most,
  soonMs,
  next,
  nothing,
  found,
  rows,
  running,
  counted,
  words,
  type Reading,
  type Source,
} from './need-source.js';
import type { Need } from './rank-needs.js';

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

/** What waits at buys, and what waits for an approval. */
export const buyNeeds: readonly Source[] = [
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
];

/** What is counted beside lines of the menu, and buys without a campaign. */
export const planningNeeds: readonly Source[] = [
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
