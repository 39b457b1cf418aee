import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isObject, listOf, type JsonObject } from '../json.js';
import { startSandbox, type Sandbox } from '../start-sandbox.js';
import { callAgent } from '../testkit/call-agent.js';
import { buyRequest, codesOf, productsRequest } from '../testkit/requests.js';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ port: 0, seed: 'proposals', dayMs: 40, scale: 0.01 });
});
afterAll(() => sandbox.stop());

function agent(slug: string) {
  const found = sandbox.agents.find((each) => each.slug === slug);
  if (!found) throw new Error(`no agent ${slug}`);
  return found;
}

async function proposed(slug: string): Promise<JsonObject> {
  const { body } = await callAgent(
    agent(slug),
    'get_products',
    productsRequest(agent(slug), 'sports news cooking'),
  );
  const [proposal] = (listOf(body['proposals']) ?? []).filter(isObject);
  if (proposal === undefined) throw new Error(`${slug} proposes nothing`);
  return proposal;
}

async function refine(slug: string, changes: JsonObject[]): Promise<JsonObject> {
  const brand = { domain: 'acme.example' };
  return (await callAgent(agent(slug), 'get_products', { buying_mode: 'refine', brand, refine: changes }))
    .body;
}

async function buy(slug: string, proposal: JsonObject, more: JsonObject = {}): Promise<JsonObject> {
  const { packages: _none, ...rest } = await buyRequest(agent(slug));
  const request = { ...rest, proposal_id: proposal['proposal_id'] ?? '' };
  const total = { amount: 10_000.01, currency: 'USD' };
  return (await callAgent(agent(slug), 'create_media_buy', { ...request, total_budget: total, ...more }))
    .body;
}

const budgetsOf = (body: JsonObject): unknown[] =>
  (listOf(body['packages']) ?? []).filter(isObject).map((row) => row['budget']);

describe('an agent that drafts a plan', () => {
  it('sells it once it is finalized, its total split to the cent with the rest on the last part', async () => {
    const draft = await proposed('prompt');
    expect(draft).toMatchObject({ proposal_status: 'draft' });
    expect(codesOf(await buy('prompt', draft))).toEqual(['PROPOSAL_NOT_COMMITTED']);
    const id = draft['proposal_id'] ?? '';
    const firm = await refine('prompt', [{ scope: 'proposal', proposal_id: id, action: 'finalize' }]);
    expect(firm).toMatchObject({
      proposals: [{ proposal_id: id, proposal_status: 'committed' }],
      refinement_applied: [{ scope: 'proposal', proposal_id: id, status: 'applied' }],
    });
    expect(budgetsOf(await buy('prompt', draft))).toEqual([5000, 3330, 1670.01]);
    expect(await proposed('prompt')).toMatchObject({ proposal_status: 'committed' });
  });

  it('changes the shares on request, and makes one commitment at a time', async () => {
    const plan = { scope: 'proposal', proposal_id: (await proposed('prompt'))['proposal_id'] ?? '' };
    const even = await refine('prompt', [{ ...plan, ask: 'Share it evenly.' }]);
    expect(even).toMatchObject({
      proposals: [{ allocations: [{ allocation_percentage: 33.33 }, {}, { allocation_percentage: 33.34 }] }],
      refinement_applied: [{ status: 'partial' }],
    });
    const finalize = { ...plan, action: 'finalize' };
    expect(codesOf(await refine('prompt', [finalize, finalize]))).toEqual(['MULTI_FINALIZE_UNSUPPORTED']);
    expect(codesOf(await buy('prompt', { proposal_id: 'plan:unheard' }))).toEqual(['PROPOSAL_NOT_FOUND']);
  });
});

describe('an agent whose plan is firm', () => {
  it('requires its insertion order to be accepted', async () => {
    const plan = await proposed('courier');
    expect(plan).toMatchObject({
      proposal_status: 'committed',
      insertion_order: { requires_signature: true },
    });
    expect(codesOf(await buy('courier', plan))).toEqual(['IO_REQUIRED']);
    const order = plan['insertion_order'];
    const io = isObject(order) ? (order['io_id'] ?? '') : '';
    const accepted = { io_id: io, accepted_at: new Date().toISOString(), signatory: 'Ann' };
    expect(budgetsOf(await buy('courier', plan, { io_acceptance: accepted }))).toHaveLength(3);
  });
});

describe('an agent that sells its plan only in parts', () => {
  it('accepts no proposal by name', async () => {
    const plan = await proposed('behind');
    expect(plan).not.toHaveProperty('proposal_status');
    expect(codesOf(await buy('behind', plan))).toEqual(['UNSUPPORTED_FEATURE']);
  });
});
