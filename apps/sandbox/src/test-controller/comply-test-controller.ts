import type { Agent } from '../agent/agent.js';
import { forceCreateMediaBuyArm } from './force-arm.js';
import { forceCreativePurge, forceCreativeStatus } from './force-creative.js';
import { forceTaskCompletion } from './force-task.js';
import { objectOf, textOf, type JsonObject } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import { simulateBudgetSpend, simulateDelivery } from './simulate-delivery.js';
import { seedCreativeFormat } from './seed-format.js';
import { unable } from '../agent/unable.js';
import { seedPricingOption, seedProduct, type SeededProduct } from './seed-product.js';
import { isOver, type Buy, type BuyStatus } from '../buys/buy.js';

const statuses: readonly BuyStatus[] = [
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'canceled',
  'rejected',
];

/** Puts a buy into a state without the steps that lead there. A final state cannot be left. */
function forceMediaBuyStatus(agent: Agent, params: JsonObject): Outcome {
  const buy = agent.books.buys.get(textOf(params['media_buy_id']) ?? '');
  if (buy === undefined) return unable('NOT_FOUND', 'no such media buy', null);
  const wanted = statuses.find((status) => status === params['status']);
  if (wanted === undefined) return unable('INVALID_PARAMS', 'no buy is in such a state', buy.status);
  const answer = { success: true, previous_state: buy.status, current_state: wanted };
  if (wanted === buy.status) return done(answer);
  if (isOver(buy)) return unable('INVALID_TRANSITION', 'the buy is over', buy.status);
  if (wanted === 'rejected' && buy.status !== 'pending_creatives' && buy.status !== 'pending_start')
    return unable('INVALID_TRANSITION', 'a buy that has begun is not rejected any more', buy.status);
  return done(answer, { buy: { ...buy, ...changeTo(agent, buy, wanted, params) } });
}

function changeTo(agent: Agent, buy: Buy, wanted: BuyStatus, params: JsonObject): Partial<Buy> {
  const now = agent.now();
  const changed = { status: wanted, revision: buy.revision + 1, updatedAt: now };
  const reason = textOf(params['rejection_reason']);
  if (wanted === 'active')
    return { ...changed, clockFrom: buy.clockFrom ?? now, stepsDone: Math.max(buy.stepsDone, 1) };
  // A canceled buy still owes its final report, which needs a clock.
  if (wanted === 'canceled') return { ...changed, clockFrom: buy.clockFrom ?? now };
  return wanted === 'rejected' && reason !== undefined ? { ...changed, rejectionReason: reason } : changed;
}

/** The scenarios of the test controller. A new one is a row here. */
const scenarios: Readonly<Record<string, (agent: Agent, params: JsonObject) => Outcome>> = {
  seed_product: (agent, params) => seeded(seedProduct(agent, params)),
  seed_pricing_option: (agent, params) => seeded(seedPricingOption(agent, params)),
  seed_creative_format: seedCreativeFormat,
  simulate_delivery: simulateDelivery,
  simulate_budget_spend: simulateBudgetSpend,
  force_media_buy_status: forceMediaBuyStatus,
  force_creative_status: forceCreativeStatus,
  force_creative_purge: forceCreativePurge,
  force_create_media_buy_arm: forceCreateMediaBuyArm,
  force_task_completion: forceTaskCompletion,
};

/**
 * Prepares an agent for conformance runners: adds products to the catalogue and figures to the books. Refusals are
 * answers of its own shape (`success: false`), as its schema in release 3.0 requires.
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
