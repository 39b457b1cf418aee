import type { Agent } from '../agent/agent.js';
import { forceCreateMediaBuyArm } from './force-arm.js';
import { forceMediaBuyStatus } from './force-buy.js';
import { forceCreativePurge, forceCreativeStatus } from './force-creative.js';
import { forceTaskCompletion } from './force-task.js';
import { objectOf, textOf, type JsonObject } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import { simulateBudgetSpend, simulateDelivery } from './simulate-delivery.js';
import { seedCreativeFormat } from './seed-format.js';
import { unable } from '../agent/unable.js';
import { seedPricingOption, seedProduct, type SeededProduct } from './seed-product.js';

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
