import type { Agent } from './agent.js';
import type { Buy, BuyPackage, BuyStatus } from './buy.js';
import { compact, objectOf, textOf, type Json, type JsonObject } from './json.js';
import { amountOf, microsOf } from './micros.js';
import { done, type Outcome } from './outcome.js';
import { seedPricingOption, seedProduct, type SeededProduct } from './seed-product.js';

const statuses: readonly BuyStatus[] = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
];

/** A way to put the agent into a state that a rehearsal needs. A new one is a row here. */
const scenarios: Readonly<Record<string, (agent: Agent, params: JsonObject) => Outcome>> = {
  seed_product: (agent, params) => seeded(seedProduct(agent, params)),
  seed_pricing_option: (agent, params) => seeded(seedPricingOption(agent, params)),
  simulate_delivery: simulateDelivery,
  force_media_buy_status: forceMediaBuyStatus,
};

/**
 * What conformance runners call to prepare an agent: it puts products into the catalogue and figures into the books.
 * Refusals are answers of its own shape (`success: false`), as its schema in release 3.0 wants them.
 */
export function complyTestController(agent: Agent, args: JsonObject): Outcome {
  const name = textOf(args['scenario']) ?? '';
  if (name === 'list_scenarios') return done({ success: true, scenarios: Object.keys(scenarios) });
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (scenario === undefined) return unable('UNKNOWN_SCENARIO', 'this agent rehearses no such scenario');
  return scenario(agent, objectOf(args['params']) ?? {});
}

function seeded(read: SeededProduct | string): Outcome {
  return typeof read === 'string'
    ? unable('INVALID_PARAMS', read)
    : done({ success: true, message: 'It is in the catalogue.' }, { seeded: read });
}

/** Writes figures of today into the first package, as if the day had brought them. */
function simulateDelivery(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  const [first, ...others] = buy?.packages ?? [];
  if (buy === undefined || first === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const spend = microsOf(objectOf(params['reported_spend'])?.['amount'] ?? 0);
  const impressions = countOf(params['impressions']);
  const clicks = countOf(params['clicks']);
  if (spend === undefined || impressions === undefined || clicks === undefined)
    return unable('INVALID_PARAMS', 'impressions, clicks and reported_spend.amount are not below zero');
  const day = new Date(agent.now()).toISOString().slice(0, 10);
  const known = first.days.find((row) => row.day === day);
  const row = {
    day,
    spendMicros: (spend + BigInt(known?.spendMicros ?? '0')).toString(),
    impressions: impressions + (known?.impressions ?? 0),
    clicks: clicks + (known?.clicks ?? 0),
    version: (known?.version ?? 0) + 1,
  };
  const part: BuyPackage = { ...first, days: [...first.days.filter((one) => one !== known), row] };
  const changed: Buy = { ...buy, packages: [part, ...others], updatedAt: agent.now() };
  const figures = (micros: bigint, counts: { impressions: number; clicks: number }): JsonObject => ({
    impressions: counts.impressions,
    clicks: counts.clicks,
    reported_spend: { amount: amountOf(micros), currency: buy.currency },
  });
  return done(
    {
      success: true,
      simulated: figures(spend, { impressions, clicks }),
      cumulative: figures(BigInt(row.spendMicros), row),
    },
    { buy: changed },
  );
}

function forceMediaBuyStatus(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const wanted = statuses.find((status) => status === params['status']);
  if (wanted === undefined) return unable('INVALID_PARAMS', 'no buy is in such a state', buy.status);
  if (buy.status === 'completed' || buy.status === 'canceled')
    return unable('INVALID_TRANSITION', 'the buy is over', buy.status);
  const changed: Buy = {
    ...buy,
    status: wanted,
    revision: buy.revision + 1,
    updatedAt: agent.now(),
    ...(wanted === 'active'
      ? { clockFrom: buy.clockFrom ?? agent.now(), stepsDone: Math.max(buy.stepsDone, 1) }
      : {}),
  };
  return done({ success: true, previous_state: buy.status, current_state: wanted }, { buy: changed });
}

/** A refusal is an answer here: the task itself has done what it is for. */
function unable(error: string, detail: string, state?: Json): Outcome {
  return done(compact({ success: false, error, error_detail: detail, current_state: state }));
}

function countOf(value: Json | undefined): number | undefined {
  if (value === undefined) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
