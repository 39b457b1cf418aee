import type { Agent } from '../agent/agent.js';
import type { BooksEntry } from './books.js';
import { isObject, listOf, textOf, type JsonObject } from '../json.js';
import { refusal, type Refusal } from '../agent/outcome.js';
import { finalized, planNamed, showProposal, type ProposalState } from './propose.js';

interface Refined {
  readonly proposals: readonly JsonObject[];
  readonly verdicts: readonly JsonObject[];
  /** Products that the buyer excluded. */
  readonly omitted: readonly string[];
  readonly entry: BooksEntry;
}

/** Applies the changes of a refinement one by one; a proposal must be finalized alone. */
export function refineProducts(
  agent: Agent,
  args: JsonObject,
): Refined | { readonly errors: readonly Refusal[] } {
  const changes = (listOf(args['refine']) ?? []).filter(isObject);
  if (changes.length === 0)
    return { errors: [refusal('INVALID_REQUEST', 'a refinement says what to change', 'refine')] };
  const finals = changes.filter(({ action }) => action === 'finalize').length;
  if (finals > 1)
    return {
      errors: [refusal('MULTI_FINALIZE_UNSUPPORTED', 'one proposal is finalized at a time', 'refine')],
    };
  if (finals === 1 && changes.length > 1)
    return { errors: [refusal('INVALID_REQUEST', 'a proposal is finalized in a call of its own', 'refine')] };
  const taken = changes.map((change) => takeUp(agent, change));
  const states = taken.flatMap(({ state }) => state ?? []);
  return {
    proposals: taken.flatMap(({ proposal }) => (proposal === undefined ? [] : [proposal])),
    verdicts: taken.map(({ verdict }) => verdict),
    omitted: changes.flatMap(({ scope, action, product_id: id }) =>
      scope === 'product' && action === 'omit' ? (textOf(id) ?? []) : [],
    ),
    entry: states.length === 0 ? {} : { proposals: states },
  };
}

interface Taken {
  readonly verdict: JsonObject;
  readonly proposal?: JsonObject;
  readonly state?: ProposalState;
}

function takeUp(agent: Agent, change: JsonObject): Taken {
  const { scope, action } = change;
  if (scope === 'request')
    return { verdict: { scope, status: 'unable', notes: 'Nobody here reads wishes.' } };
  if (scope === 'product') {
    const verdict = { scope, product_id: change['product_id'] ?? '', status: 'applied' };
    return { verdict };
  }
  const id = textOf(change['proposal_id']) ?? '';
  const reported = (status: string, notes?: string): JsonObject => ({
    scope: 'proposal',
    proposal_id: id,
    status,
    ...(notes === undefined ? {} : { notes }),
  });
  const plan = planNamed(agent, id);
  if (plan === undefined) return { verdict: reported('unable', 'There is no such proposal.') };
  if (action === 'omit') return { verdict: reported('applied') };
  const requested = textOf(change['ask']) !== undefined;
  const state =
    action === 'finalize' ? finalized(agent, plan) : requested ? { ...plan.state, isEven: true } : plan.state;
  const proposal = showProposal(agent, planNamed(agent, id, state) ?? plan);
  const verdict = requested ? reported('partial', 'The shares were made even.') : reported('applied');
  return state === plan.state ? { verdict, proposal } : { verdict, proposal, state };
}
