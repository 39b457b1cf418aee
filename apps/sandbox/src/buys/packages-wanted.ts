import type { Agent } from '../agent/agent.js';
import { isObject, listOf, objectOf, textOf, type Json, type JsonObject } from '../json.js';
import { amountOf, microsOf } from '../micros.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import { insertionOrderId, isCommitted, isLapsed, planNamed, type Plan } from './propose.js';

type Wanted = { readonly packages: readonly Json[] } | { readonly errors: readonly Refusal[] };

const refused = (...refusal_: Parameters<typeof refusal>): Wanted => ({ errors: [refusal(...refusal_)] });

/** The packages of a request: its own, or those of the named proposal, which divides the total budget. */
export function packagesWanted(agent: Agent, args: JsonObject): Wanted {
  const id = textOf(args['proposal_id']);
  const listed = listOf(args['packages']) ?? [];
  if (id === undefined) return { packages: listed };
  const { proposes } = agent.personality;
  if (proposes === 'none' || proposes === 'parts')
    return refused('UNSUPPORTED_FEATURE', 'no proposal is bought by name here', 'proposal_id');
  const plan = planNamed(agent, id);
  if (plan === undefined) return refused('PROPOSAL_NOT_FOUND', 'there is no such proposal', 'proposal_id');
  if (isLapsed(agent, plan)) return refused('PROPOSAL_EXPIRED', 'the hold has lapsed', 'proposal_id');
  if (!isCommitted(agent, plan)) return refused('PROPOSAL_NOT_COMMITTED', 'finalize it first', 'proposal_id');
  const accepted = textOf(objectOf(args['io_acceptance'])?.['io_id']);
  if (proposes === 'committed' && accepted !== insertionOrderId(plan))
    return refused('IO_REQUIRED', 'its insertion order is not accepted', 'io_acceptance');
  return shared(agent, plan, args, listed);
}

function shared(agent: Agent, plan: Plan, args: JsonObject, listed: readonly Json[]): Wanted {
  const total = objectOf(args['total_budget']);
  const amount = microsOf(total?.['amount']);
  if (amount === undefined || amount === 0n)
    return refused('INVALID_REQUEST', 'a proposal is bought for a total', 'total_budget.amount');
  if (total?.['currency'] !== agent.personality.currency)
    return refused('INVALID_REQUEST', `sold in ${agent.personality.currency}`, 'total_budget.currency');
  const overrides = listed.filter(isObject);
  const strange = overrides.findIndex(
    (one) => !plan.parts.some(({ product }) => product.productId === one['product_id']),
  );
  if (strange >= 0) {
    const field = `packages[${String(strange)}].product_id`;
    return refused('INVALID_REQUEST', 'the proposal has no such product', field);
  }
  const budgets = shares(amount, plan);
  return {
    packages: plan.parts.map(({ product }, at): Json => {
      const own = overrides.find((one) => one['product_id'] === product.productId);
      const [option] = product.pricing;
      const derived = {
        product_id: product.productId,
        pricing_option_id: option?.id ?? '',
        budget: amountOf(budgets[at] ?? 0n),
      };
      return own === undefined ? derived : { ...derived, ...own };
    }),
  };
}

/** In whole cents; the last part gets the rest. */
function shares(amount: bigint, { parts }: Plan): readonly bigint[] {
  const cent = 10_000n;
  const rounded = parts.map(
    ({ percentage }) => ((amount * BigInt(Math.round(percentage * 1000))) / 100_000n / cent) * cent,
  );
  const given = rounded.slice(0, -1).reduce((sum, one) => sum + one, 0n);
  return [...rounded.slice(0, -1), amount - given];
}
