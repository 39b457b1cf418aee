import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStore } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { createOrganization, createPrincipal, createToken, freePort } from '@switchyard/testing';
import { Catalogue, list, proposalRequest, type Json } from './harness/buy-request.js';
import { dataFolder, ownerUrlOf } from './harness/data-folder.js';
import { ownerView } from './harness/database.js';
import { callTask, endpointNames, post, type EndpointName } from './harness/call-task.js';
import { startInstance, type Instance } from './harness/instance.js';
import { Market } from './harness/market.js';
import { waitUntil } from './harness/wait-until.js';
import { admin } from './harness/own-everything.js';

/*
 * A proposal of one market seller, from the brief to the buy: shown, refined, finalized, bought as a whole, and counted
 * like any other buy. Between finalizing and buying the process is killed.
 */

const folder = dataFolder();
const sellers = ['--market', 'prompt,courier,behind'];
let instance: Instance;
let catalogue: Catalogue;

beforeAll(async () => {
  instance = await startInstance(folder.path, [...sellers, '--port', String(await freePort())]);
  catalogue = await Catalogue.read(instance);
});

afterAll(async () => {
  await instance.stop();
  await folder.remove();
});

const buy = (endpoint: EndpointName, request: Json) =>
  callTask(endpoint, instance, 'create_media_buy', request);
const refine = (endpoint: EndpointName, changes: readonly Json[], more: Json = {}) =>
  callTask(endpoint, instance, 'get_products', {
    adcp_version: '3.1',
    buying_mode: 'refine',
    brand: { domain: 'roaster.example' },
    refine: changes,
    ...more,
  });
const change = (seller: string, more: Json): Json => ({
  scope: 'proposal',
  proposal_id: catalogue.proposalOf(seller)['proposal_id'],
  ...more,
});
const codesOf = (errors: readonly { readonly code: string; readonly field?: string }[]) =>
  errors.map(({ code, field }) => [code, field]);
const findingsOf = (body: Json): readonly unknown[] => {
  const ext = (body['ext'] ?? {}) as { readonly switchyard?: { readonly findings?: unknown } };
  return list(ext.switchyard?.findings ?? body['findings']).map(({ code }) => code);
};

/** Returns the seller's own data of its newest buy: micros by product, and in total. */
async function bookedAt(slug: string) {
  const buys = await Market.of(folder.path).booksOf(slug);
  const newest = buys.at(-1);
  return {
    count: buys.length,
    total: Number(newest?.budget_micros),
    parts: newest?.packages.map(({ budget_micros: micros }) => Number(micros)) ?? [],
  };
}

describe('proposals of the market', () => {
  it('are shown with their sellers, and the capabilities say that they can be refined and bought', async () => {
    const states = ['behind', 'courier', 'prompt'].map(
      (slug) => catalogue.proposalOf(slug)['proposal_status'],
    );
    expect(states).toEqual([undefined, 'committed', 'draft']);
    const { body } = await callTask('MCP', instance, 'get_adcp_capabilities', { adcp_version: '3.1' });
    expect(body['media_buy']).toMatchObject({
      supports_proposals: true,
      buying_modes: expect.arrayContaining(['refine']) as unknown,
    });
  });

  it.each(endpointNames)(
    'are refused for missing members before any seller is called, at %s',
    async (endpoint) => {
      const [draft, firm] = [catalogue.proposalOf('prompt'), catalogue.proposalOf('courier')];
      const before = await Market.of(folder.path).mutations();
      const refusals = [
        await buy(endpoint, proposalRequest(draft, 10_000)),
        await buy(endpoint, proposalRequest(firm, 10_000)),
        await buy(endpoint, proposalRequest({ proposal_id: 'prompt:plan:nobodys' }, 10_000)),
        await buy(endpoint, proposalRequest(firm, 10_000, { total_budget: { amount: 1 } })),
        await refine(endpoint, [
          change('prompt', { action: 'finalize' }),
          change('courier', { action: 'finalize' }),
        ]),
        await refine(endpoint, [
          change('prompt', { action: 'finalize' }),
          { scope: 'request', ask: 'cheaper' },
        ]),
        await refine(endpoint, [
          { scope: 'proposal', proposal_id: 'prompt:plan:nobodys', action: 'include' },
        ]),
      ];
      expect(refusals.map(({ errors }) => codesOf(errors))).toEqual([
        [['PROPOSAL_NOT_COMMITTED', 'proposal_id']],
        [['IO_REQUIRED', 'io_acceptance']],
        [['PROPOSAL_NOT_FOUND', 'proposal_id']],
        [['VALIDATION_ERROR', 'total_budget.currency']],
        [['MULTI_FINALIZE_UNSUPPORTED', 'refine']],
        [['INVALID_REQUEST', 'refine']],
        [['PROPOSAL_NOT_FOUND', 'refine[0].proposal_id']],
      ]);
      expect(await Market.of(folder.path).mutations()).toEqual(before);
    },
  );
});

describe('a refinement of proposals', () => {
  it('is answered in the caller’s order, each change by the seller that made the proposal', async () => {
    const changes = [
      change('courier', { action: 'omit' }),
      { scope: 'request', ask: 'cheaper' },
      change('prompt', { action: 'include' }),
    ];
    const { body } = await refine('A2A', changes);
    expect(list(body['refinement_applied'])).toMatchObject([
      { scope: 'proposal', proposal_id: changes[0]?.['proposal_id'], status: 'applied' },
      { scope: 'request', status: 'unable' },
      { scope: 'proposal', proposal_id: changes[2]?.['proposal_id'], status: 'applied' },
    ]);
    expect(list(body['proposals']).map(({ proposal_id: id }) => id)).toEqual([changes[2]?.['proposal_id']]);
  });
});

describe('a draft that is finalized', () => {
  it('is bought after a crash, over the other endpoint, once for one key, and counted to the cent', async () => {
    const { body } = await refine('A2A', [change('prompt', { action: 'finalize' })]);
    const [firm] = list(body['proposals']);
    expect(firm).toMatchObject({ proposal_status: 'committed' });
    expect(list(body['refinement_applied'])).toMatchObject([{ status: 'applied' }]);
    await instance.kill();
    instance = await startInstance(folder.path, sellers);

    const before = await bookedAt('prompt');
    const request = proposalRequest(firm ?? {}, 10_000.01);
    const made = await buy('MCP', request);
    expect(codesOf(made.errors)).toEqual([]);
    const after = await bookedAt('prompt');
    expect([after.count - before.count, after.total]).toEqual([1, 10_000_010_000]);
    const budgets = list(made.body['packages']).map(({ budget }) => Math.round(Number(budget) * 1e6));
    expect(budgets).toEqual(after.parts);

    const again = await buy('MCP', request);
    expect(again.body).toMatchObject({ media_buy_id: made.body['media_buy_id'], replayed: true });
    expect(
      codesOf((await buy('MCP', { ...request, total_budget: { amount: 1, currency: 'USD' } })).errors),
    ).toEqual([['IDEMPOTENCY_CONFLICT', undefined]]);
    expect((await bookedAt('prompt')).count).toBe(after.count);
  });
});

describe('a proposal with an insertion order', () => {
  it.each(['MCP', 'A2A'] as const)(
    'is bought with its acceptance, and canceled like any buy, at %s',
    async (endpoint) => {
      const firm = catalogue.proposalOf('courier');
      const order = firm['insertion_order'] as Json;
      const accepted = { io_id: order['io_id'], accepted_at: new Date().toISOString(), signatory: 'Ann' };
      const made = await buy(endpoint, proposalRequest(firm, 9000, { io_acceptance: accepted }));
      expect(codesOf(made.errors)).toEqual([]);
      expect(made.body['ext']).toMatchObject({ switchyard: { proposal_id: firm['proposal_id'] } });
      const booked = await bookedAt('courier');
      expect(booked.total).toBe(9_000_000_000);
      const { body } = await callTask(endpoint, instance, 'get_media_buys', {
        adcp_version: '3.1',
        account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
        media_buy_ids: [made.body['media_buy_id']],
      });
      expect(list(body['media_buys'])).toMatchObject([{ total_budget: 9000, currency: 'USD' }]);
      const canceled = await callTask(endpoint, instance, 'update_media_buy', {
        adcp_version: '3.1',
        idempotency_key: `cancel-${String(made.body['media_buy_id'])}`,
        account: { brand: { domain: 'roaster.example' }, operator: 'agency.example' },
        media_buy_id: made.body['media_buy_id'],
        canceled: true,
      });
      expect(canceled.body).toMatchObject({ media_buy_status: 'canceled' });
    },
  );
});

describe('a proposal of a seller that accepts no proposal ids', () => {
  it('is bought as its packages, and the answer says so', async () => {
    const made = await buy('REST', proposalRequest(catalogue.proposalOf('behind'), 10_000.01));
    expect(codesOf(made.errors)).toEqual([]);
    const { total, parts } = await bookedAt('behind');
    expect([total, parts]).toEqual([10_000_010_000, [5_000_000_000, 3_330_000_000, 1_670_010_000]]);
    expect(findingsOf(made.body)).toContain('PROPOSAL_AS_PACKAGES');
  });

  it('accepts the buyer’s overrides, except those that change the sum', async () => {
    const plan = catalogue.proposalOf('behind');
    const [first] = list(plan['allocations']);
    const line = { product_id: first?.['product_id'], pricing_option_id: first?.['pricing_option_id'] };
    const packages = [{ ...line, budget: 5000, context: { buyer_ref: 'mine' } }];
    const made = await buy('MCP', proposalRequest(plan, 10_000, { packages }));
    expect(list(made.body['packages'])[0]).toMatchObject({ budget: 5000, context: { buyer_ref: 'mine' } });
    const more = [{ ...line, budget: 6000 }];
    const refused = await buy('MCP', proposalRequest(plan, 10_000, { packages: more }));
    expect(codesOf(refused.errors)).toEqual([['INVALID_REQUEST', 'packages']]);
  });
});

describe('a proposal with a question from its seller', () => {
  it('waits for a person, is bought after the answer, and is in the ledger with its parts', async () => {
    const firm = catalogue.proposalOf('courier');
    const order = firm['insertion_order'] as Json;
    const accepted = { io_id: order['io_id'], accepted_at: new Date().toISOString(), signatory: 'Ann' };
    const requested = await buy('A2A', proposalRequest(firm, 600_000, { io_acceptance: accepted }));
    expect(requested.body['status']).toBe('input-required');
    const inbox = await admin(instance, 'GET', '/v1/approvals?state=open');
    const [question] = list(inbox['approvals']).filter(({ seller }) => seller === 'courier');
    const answer = JSON.stringify({ answer: { po_number: 'PO-4711' } });
    await post('REST', instance, `/v1/approvals/${String(question?.['approval_id'])}/answer`, answer);
    const made = await waitUntil('the buy is made', async () => {
      const { body } = await callTask('MCP', instance, 'tasks/get', {
        adcp_version: '3.1',
        task_id: requested.body['task_id'],
        include_result: true,
      });
      return body['status'] === 'completed' ? (body['result'] as Json) : undefined;
    });
    const { total, parts } = await bookedAt('courier');
    expect(total).toBe(600_000_000_000);
    const database = await ownerView(folder.path);
    const committed = await waitUntil('the ledger has the commitment', async () => {
      const found = await database.rows<{ detail: Json }>(
        `select detail from buy_change where media_buy_id = $1 and action = 'create' and entry_id is not null`,
        [made['media_buy_id']],
      );
      return found[0];
    });
    await database.close();
    const budgets = list(committed.detail['packages']).map(({ budget }) => Math.round(Number(budget) * 1e6));
    expect(budgets).toEqual(parts);
  });
});

describe('a proposal of another principal', () => {
  it('is not found: it is neither bought, changed nor shown, and its seller is not called', async () => {
    const store = openStore(ownerUrlOf(folder.path));
    const { id } = await createOrganization(store);
    const principal = await createPrincipal(store, id, { permissions: allPermissions, transitional: true });
    const stranger = { url: instance.url, token: await createToken(store, principal) };
    await store.close();
    const before = await Market.of(folder.path).calls();
    const bare = (text: string) => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
    const query = async (proposalId: unknown) => {
      const bought = await callTask(
        'REST',
        stranger,
        'create_media_buy',
        proposalRequest({ proposal_id: proposalId }, 10_000),
      );
      const finalized = await callTask('REST', stranger, 'get_products', {
        adcp_version: '3.1',
        buying_mode: 'refine',
        refine: [{ scope: 'proposal', proposal_id: proposalId, action: 'finalize' }],
      });
      expect([...bought.errors, ...finalized.errors].map(({ code }) => code)).toEqual([
        'PROPOSAL_NOT_FOUND',
        'PROPOSAL_NOT_FOUND',
      ]);
      return [bought, finalized].map(({ httpStatus, text }) => [httpStatus, bare(text)]);
    };
    expect(await query(catalogue.proposalOf('behind')['proposal_id'])).toEqual(
      await query('behind:plan:nobodys'),
    );
    expect((await Market.of(folder.path).calls()).map(({ counts }) => counts)).toEqual(
      before.map(({ counts }) => counts),
    );
  });
});
