import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { approvalStore } from './approval-store.js';
import { storeApproval } from './store-approval.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

type KeptLeg = Parameters<typeof storeApproval>[2];

async function requested(): Promise<{ scope: { organizationId: string }; leg: KeptLeg; id: string }> {
  const { id: organizationId } = await createOrganization(store);
  const scope = { organizationId };
  const leg = {
    id: randomUUID(),
    operationId: randomUUID(),
    connectionId: randomUUID(),
    seller: 'acme',
    task: 'create_media_buy',
    status: 'input-required',
    answer: { message: 'Which order?' },
    errors: [],
    observedAt: 1_000,
  } as unknown as KeptLeg;
  await store.inTenant(scope, (client) => storeApproval(client, undefined, leg, 1_000));
  const [open] = await approvalStore(store).list(scope, { state: 'open', limit: 10 });
  return { scope, leg, id: open?.id ?? '' };
}
const answer = (po: string) => ({ answer: { po }, by: randomUUID(), outbound: '{}', at: 2_000 });

describe('open approvals', () => {
  it('accept one of several simultaneous answers', async () => {
    const { scope, id } = await requested();
    const approvals = approvalStore(store);
    const won = await Promise.all(['1', '2', '3', '4'].map((po) => approvals.claim(scope, id, answer(po))));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('accept no answer once the seller has continued, and keep its new state', async () => {
    const { scope, leg, id } = await requested();
    const approvals = approvalStore(store);
    const next = { ...leg, status: 'completed' as const };
    await store.inTenant(scope, (client) => storeApproval(client, leg, next, 3_000));
    expect(await approvals.claim(scope, id, answer('1'))).toBe(false);
    expect(await approvals.find(scope, id)).toMatchObject({ state: 'moved_on', outcome: 'completed' });
  });

  it('give an answer left by a crash to one sender at a time, with its bytes', async () => {
    const { scope, id } = await requested();
    const approvals = approvalStore(store);
    await approvals.claim(scope, id, { ...answer('1'), outbound: '{"po":"1"}' });
    expect(await approvals.due(scope, 2_000, 10)).toEqual([id]);
    const taken = await approvals.take(scope, id, 2_000, 9_000);
    expect(taken).toMatchObject({ attempts: 1, outbound: '{"po":"1"}' });
    expect(await approvals.take(scope, id, 2_500, 9_500)).toBeUndefined();
    expect(await approvals.take(scope, id, 9_000, 19_000)).toMatchObject({ attempts: 2 });
  });

  it('are neither shown nor given to another tenant', async () => {
    const { id } = await requested();
    const { scope } = await requested();
    const approvals = approvalStore(store);
    expect(await approvals.find(scope, id)).toBeUndefined();
    expect(await approvals.claim(scope, id, answer('1'))).toBe(false);
    expect(await approvals.list(scope, { limit: 10 })).toHaveLength(1);
  });
});
