import type { Agent } from '../agent/agent.js';
import type { CatalogueProduct } from './catalogue.js';
import { compact, type JsonObject } from '../json.js';
import { amountOf } from '../micros.js';
import type { ProposalState } from './books-entry.js';

/** A plan over products of the catalogue, with the percentage of each. */
export interface Plan {
  readonly proposalId: string;
  readonly parts: readonly { readonly product: CatalogueProduct; readonly percentage: number }[];
  readonly state: ProposalState;
}

const sharesOf: readonly (readonly number[])[] = [[100], [66.7, 33.3], [50, 33.3, 16.7]];
const evenShares: readonly (readonly number[])[] = [[100], [50, 50], [33.33, 33.33, 33.34]];
const holdMs = 7 * 86_400_000;
const prefix = 'plan:';

/** The plan for the products that fit a brief best. Its id names them: nothing is stored until a change is requested. */
export function propose(agent: Agent, fitting: readonly CatalogueProduct[]): Plan | undefined {
  if (agent.personality.proposes === 'none' || fitting.length === 0) return undefined;
  const best = fitting.slice(0, 3).map(({ productId }) => productId);
  return planNamed(agent, `${prefix}${best.join('+')}`);
}

/** The plan of one of our ids, in its stored or another state; undefined for other ids. */
export function planNamed(
  agent: Agent,
  proposalId: string,
  state: ProposalState = agent.books.proposals.get(proposalId) ?? { proposalId },
): Plan | undefined {
  if (agent.personality.proposes === 'none' || !proposalId.startsWith(prefix)) return undefined;
  const names = proposalId.slice(prefix.length).split('+');
  const products = names.map((name) => agent.products.find(({ productId }) => productId === name));
  const found = products.filter((product) => product !== undefined);
  if (found.length < names.length || new Set(names).size < names.length) return undefined;
  const shares = (state.isEven === true ? evenShares : sharesOf)[found.length - 1];
  if (shares === undefined) return undefined;
  return {
    proposalId,
    parts: found.map((product, at) => ({ product, percentage: shares[at] ?? 0 })),
    state,
  };
}

/** Whether its prices are firm: those of a draft are after finalization, for a limited time. */
export function isCommitted(agent: Agent, { state }: Plan): boolean {
  return agent.personality.proposes !== 'draft' || (state.heldUntil ?? 0) > agent.now();
}

export function isLapsed(agent: Agent, { state }: Plan): boolean {
  return state.heldUntil !== undefined && state.heldUntil <= agent.now();
}

/** The plan with firm prices from now on. */
export function finalized(agent: Agent, { state }: Plan): ProposalState {
  return { ...state, heldUntil: agent.now() + holdMs };
}

export function insertionOrderId({ proposalId }: Pick<Plan, 'proposalId'>): string {
  return `io:${proposalId}`;
}

/** A plan in the form of release 3. */
export function showProposal(agent: Agent, plan: Plan): JsonObject {
  const { proposes, currency, name } = agent.personality;
  const firm = isCommitted(agent, plan);
  const least = plan.parts.reduce((sum, { product }) => sum + (product.pricing[0]?.minSpendMicros ?? 0n), 0n);
  const until = plan.state.heldUntil ?? agent.now() + holdMs;
  const order = {
    io_id: insertionOrderId(plan),
    requires_signature: true,
    terms: { publisher: name, payment_terms: 'net_30' },
  };
  return compact({
    proposal_id: plan.proposalId,
    name: `${name}: ${plan.parts.map(({ product }) => product.name).join(', ')}`,
    description: 'A plan over the products that fit the brief best.',
    allocations: plan.parts.map(({ product, percentage }) =>
      compact({
        product_id: product.productId,
        pricing_option_id: product.pricing[0]?.id,
        allocation_percentage: percentage,
        rationale: `${product.name} fits the brief.`,
      }),
    ),
    proposal_status: proposes === 'parts' ? undefined : firm ? 'committed' : 'draft',
    expires_at: firm && proposes !== 'parts' ? new Date(until).toISOString() : undefined,
    insertion_order: proposes === 'committed' ? order : undefined,
    total_budget_guidance: { min: amountOf(least), currency },
  });
}
