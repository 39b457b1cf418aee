import type { Agent } from '../agent/agent.js';
import { isOver, totalBudget, totalSpend, type Buy, type BuyPackage } from './buy.js';
import { nextStep } from './calendar.js';
import { compact, type JsonObject } from '../json.js';
import { secondThoughts } from './counter-terms.js';
import { amountOf } from '../micros.js';

/** A buy's package in this agent's form. */
export function showPackage(agent: Agent, part: BuyPackage): JsonObject {
  const service = agent.personality.form === 'service';
  return compact({
    ...part.terms,
    package_id: part.packageId,
    buyer_ref: service ? part.buyerRef : undefined,
    product_id: part.productId,
    pricing_option_id: service ? undefined : part.pricingOptionId,
    budget: service ? undefined : amountOf(BigInt(part.budgetMicros)),
    bid_price: part.bidMicros === undefined || service ? undefined : amountOf(BigInt(part.bidMicros)),
    paused: part.paused,
    canceled: part.canceled === true ? true : undefined,
    targeting_overlay: service ? undefined : part.targeting,
    context: part.context,
  });
}

/** The answer to a successful create_media_buy. */
export function showCreatedBuy(agent: Agent, buy: Buy): JsonObject {
  const packages = buy.packages.map((part) => showPackage(agent, part));
  const dates = buy.past ? { start_time: buy.startTime, end_time: buy.endTime } : {};
  const facts = { media_buy_id: buy.mediaBuyId, packages, ...dates };
  switch (agent.personality.form) {
    case 'service':
      return compact({ ...facts, buyer_ref: buy.buyerRef, status: buy.status });
    case '3.0':
      // Release 3.0 has the buy's own status where 3.1 has the task's.
      return { ...facts, status: buy.status };
    case '3.1':
      return {
        ...facts,
        status: 'completed',
        media_buy_status: buy.status,
        confirmed_at: iso(buy.updatedAt),
        revision: buy.revision,
        currency: buy.currency,
        total_budget: amountOf(totalBudget(buy)),
        valid_actions: actionsOf(buy),
      };
  }
}

/** A buy in the form of get_media_buys. */
export function showBuy(agent: Agent, buy: Buy, snapshot: boolean): JsonObject {
  const packages = buy.packages.map((part) => ({
    ...showPackage(agent, part),
    ...(agent.personality.haggles ? secondThoughts(buy, part) : {}),
    ...(snapshot ? { snapshot: snapshotOf(agent, buy, part) } : {}),
  }));
  const facts = compact({ media_buy_id: buy.mediaBuyId, status: buy.status, packages, context: buy.context });
  if (agent.personality.form === 'service')
    return compact({ ...facts, buyer_ref: buy.buyerRef, impairments: [] });
  return {
    ...facts,
    currency: buy.currency,
    total_budget: amountOf(totalBudget(buy)),
    start_time: buy.startTime,
    end_time: buy.endTime,
    created_at: iso(buy.createdAt),
    updated_at: iso(buy.updatedAt),
    valid_actions: actionsOf(buy),
    ...(buy.rejectionReason === undefined ? {} : { rejection_reason: buy.rejectionReason }),
    ...(agent.personality.form === '3.1'
      ? {
          status_as_of: iso(agent.now()),
          health: buy.impairedSince === undefined ? 'ok' : 'impaired',
          impairments: [...impairmentsOf(buy)],
          confirmed_at: iso(buy.createdAt),
          revision: buy.revision,
        }
      : {}),
  };
}

/** What impairs a buy. */
export function impairmentsOf(buy: Buy): readonly JsonObject[] {
  const [part] = buy.packages;
  if (buy.impairedSince === undefined || part === undefined) return [];
  return [
    {
      impairment_id: `imp_${buy.mediaBuyId.slice(3, 16)}`,
      resource_type: 'creative',
      resource_id: part.creativeIds[0] ?? part.packageId,
      package_ids: [part.packageId],
      transition: { from: 'approved', to: 'rejected' },
      reason_code: 'content_rejected',
      reason: 'The landing page does not answer any more.',
      observed_at: buy.impairedSince,
      remediation: 'Mend the landing page, or send another creative.',
    },
  ];
}

function snapshotOf(agent: Agent, buy: Buy, part: BuyPackage): JsonObject {
  const spend = part.days.reduce((sum, row) => sum + BigInt(row.spendMicros), 0n);
  return {
    as_of: iso(agent.now()),
    staleness_seconds: 0,
    impressions: part.days.reduce((sum, row) => sum + row.impressions, 0),
    spend: amountOf(spend),
    currency: buy.currency,
    delivery_status: isOver(buy) ? 'completed' : buy.status === 'active' ? 'delivering' : 'not_delivering',
  };
}

/** The agent's books of one buy, to check ours: amounts as decimal text of micros, not protocol shapes. */
export function showBooks(agent: Agent, buy: Buy): JsonObject {
  return compact({
    media_buy_id: buy.mediaBuyId,
    buyer_ref: buy.buyerRef,
    account: buy.account,
    context: buy.context,
    currency: buy.currency,
    status: buy.status,
    created_at: iso(buy.createdAt),
    budget_micros: totalBudget(buy).toString(),
    spend_micros: totalSpend(buy).toString(),
    settled: agent.books.isSettled(buy),
    reports: buy.sequence,
    reported_so_far: buy.past ? reportedSoFar(agent, buy) : undefined,
    packages: buy.packages.map((part) =>
      compact({
        package_id: part.packageId,
        buyer_ref: part.buyerRef,
        context: part.context,
        product_id: part.productId,
        pricing_option_id: part.pricingOptionId,
        budget_micros: part.budgetMicros,
        price_micros: part.priceMicros,
        bid_micros: part.bidMicros,
        spend_micros: part.days.reduce((sum, row) => sum + BigInt(row.spendMicros), 0n).toString(),
        days: part.days.map((row) => ({
          day: row.day,
          spend_micros: row.spendMicros,
          impressions: row.impressions,
          clicks: row.clicks,
          version: row.version,
        })),
      }),
    ),
  });
}

const soonMs = 1_000;

/** Whether all past days of a flight that began in the past are reported and the reports delivered. */
function reportedSoFar(agent: Agent, buy: Buy): boolean {
  const next = nextStep(agent.seed, buy, agent.dayMs, agent.personality.finance);
  // Past days are reported milliseconds apart, and the rest when their day is over: what follows soon is of the past.
  if (buy.clockFrom === undefined || (next !== undefined && next.at <= agent.market.now() + soonMs))
    return false;
  return ![...agent.books.unsettled.values()].some((event) => event.mediaBuyId === buy.mediaBuyId);
}

/** The actions that a buyer may use in the buy's current state. */
export function actionsOf(buy: Buy): string[] {
  const changes = ['cancel', 'update_budget', 'update_dates', 'update_packages', 'add_packages'];
  if (['active', 'pending_creatives', 'pending_start'].includes(buy.status)) return ['pause', ...changes];
  if (buy.status === 'paused') return ['resume', ...changes];
  return isOver(buy) ? [] : changes;
}

const iso = (instant: number): string => new Date(instant).toISOString();
