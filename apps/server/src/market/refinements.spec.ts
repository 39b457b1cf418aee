import { describe, expect, it } from '@jest/globals';
import { openBuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const change = (product: string): JsonObject => ({
  scope: 'product',
  product_id: product,
  action: 'include',
});

/** A refinement put to a market of three: one that refuses, one of 2.5, and one that answers. */
async function refined(changes: readonly JsonObject[]) {
  const harness = await openBuyingHarness({
    acme: { isIdempotent: true },
    bravo: { isIdempotent: false, form: '2.5' },
    carla: { isIdempotent: true },
  });
  harness.seller('acme').fate('get_products', {
    says: { errors: [{ code: 'PRODUCT_UNAVAILABLE', message: 'Sold out.' }] },
  });
  harness.seller('carla').fate('get_products', {
    says: { products: [], refinement_applied: [{ scope: 'product', product_id: 'ctv', status: 'applied' }] },
  });
  const parts = { ports: marketPorts(harness) } as unknown as HandlerDeps;
  const args = { adcp_version: '3.1', buying_mode: 'refine', refine: [...changes] };
  const { body } = await taskService(parts).call(harnessCall(harness, 'get_products', args));
  const { sellers } = (body['ext'] as { switchyard: { sellers: JsonObject[] } }).switchyard;
  const rows = Object.fromEntries(sellers.map(({ seller, status, code }) => [seller, [status, code]]));
  const requested = ['acme', 'bravo', 'carla'].filter((slug) => harness.seller(slug).received.length > 0);
  return { verdicts: body['refinement_applied'], rows, requested };
}

describe('a refinement that some sellers do not support', () => {
  it('goes to the sellers that it names, and to none whose form has no refinements', async () => {
    const { rows, requested } = await refined([change('acme:ctv'), change('bravo:ctv')]);
    expect(requested).toEqual(['acme']);
    expect(rows).toMatchObject({
      bravo: ['skipped', 'NOT_CARRIED'],
      carla: ['skipped', 'NOT_REFINED'],
    });
  });

  it('has a result for each change: refused ones with the reason of the seller, and unsupported ones marked as such', async () => {
    const { verdicts } = await refined([change('acme:ctv'), change('bravo:ctv'), change('carla:ctv')]);
    expect(verdicts).toEqual([
      {
        ...{ scope: 'product', product_id: 'acme:ctv', status: 'unable' },
        notes: 'acme: PRODUCT_UNAVAILABLE: Sold out.',
      },
      {
        ...{ scope: 'product', product_id: 'bravo:ctv', status: 'unable' },
        notes: 'No seller said that it did this.',
      },
      { scope: 'product', product_id: 'carla:ctv', status: 'applied' },
    ]);
  });
});

describe('a finalization', () => {
  const finalize = { scope: 'proposal', proposal_id: 'acme:plan', action: 'finalize' };

  /** A finalization at a seller that says this. */
  async function finalized(says: JsonObject) {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('get_products', { says });
    const proposals = () => Promise.resolve(new Map([['acme:plan', {}]]));
    const ports = marketPorts(harness);
    const store = Object.assign(Object.create(ports.store as object) as typeof ports.store, { proposals });
    const parts = { ports: { ...ports, store } } as unknown as HandlerDeps;
    const args = { adcp_version: '3.1', buying_mode: 'refine', refine: [finalize] };
    return taskService(parts).call(harnessCall(harness, 'get_products', args));
  }

  it('that committed nothing fails, with what the seller says', async () => {
    const draft = { proposal_id: 'plan', name: 'Plan', proposal_status: 'draft', allocations: [] };
    const verdict = { scope: 'proposal', proposal_id: 'plan', status: 'unable', notes: 'Sold out.' };
    for (const proposals of [[], [draft]]) {
      const { body, isError, httpStatus } = await finalized({
        products: [],
        proposals,
        refinement_applied: [verdict],
      });
      expect([isError, httpStatus, body['status']]).toEqual([true, 422, 'failed']);
      expect(body['errors']).toMatchObject([
        { code: 'PROPOSAL_NOT_COMMITTED', field: 'refine[0].proposal_id', details: { seller: 'acme' } },
      ]);
      expect(JSON.stringify(body['errors'])).toContain('Sold out.');
    }
  });

  it('that its seller refuses fails with the code of the seller', async () => {
    const { body, isError } = await finalized({
      errors: [{ code: 'PROPOSAL_EXPIRED', message: 'Too late.' }],
    });
    expect(isError).toBe(true);
    expect(body['errors']).toMatchObject([{ code: 'PROPOSAL_EXPIRED', details: { seller: 'acme' } }]);
  });

  it('that is committed succeeds', async () => {
    const proposals = [{ proposal_id: 'plan', name: 'Plan', proposal_status: 'committed', allocations: [] }];
    const { isError } = await finalized({ products: [], proposals });
    expect(isError).toBe(false);
  });
});
