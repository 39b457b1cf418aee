import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { LegStatus, OperationState } from '@switchyard/buys';
import { createScope, draftedAt, makeOperation, openTestStore, untilWaitedFor } from '@switchyard/testing';
import { changeState } from '../buys/change-state.js';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { approvalStore } from './approval-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const to =
  (status: LegStatus) =>
  (state: OperationState): OperationState => ({
    ...state,
    legs: state.legs.map((leg) => ({ ...leg, status, answer: { message: 'Which order?' } })),
  });

/** A seller's approval whose answer is being sent. */
async function answering() {
  const scope = await createScope(store);
  const draft = makeOperation(scope, { sellers: ['acme'] });
  const operations = operationStore(store);
  await operations.begin(scope, draft);
  const legId = draft.legs[0]!.id;
  await operations.change(scope, legId, to('input-required'));
  const approvals = approvalStore(store);
  const [open] = await approvals.list(scope, { state: 'open', limit: 10 });
  const id = open!.id;
  await approvals.claim(scope, id, { answer: {}, by: randomUUID(), outbound: '{}', at: draftedAt });
  const again = { reason: 'Another, please.', errors: [] };
  const refuse = () =>
    approvals.settle(scope, id, { state: 'refused', outcome: 'INVALID', at: draftedAt + 5, again });
  const rounds = async () =>
    (await approvals.list(scope, { limit: 10 })).map(({ round, state }) => `${round} ${state}`).sort();
  return { scope, legId, refuse, rounds };
}

describe('an approval whose answer the seller did not accept', () => {
  it('is open again while the seller waits for it', async () => {
    const { refuse, rounds } = await answering();
    await refuse();
    expect(await rounds()).toEqual(['1 refused', '2 open']);
  });

  it('is not open again if its leg ends at the same moment', async () => {
    const { scope, legId, refuse, rounds } = await answering();
    let refused: Promise<void> | undefined;
    await store.inTenant(scope, async (client) => {
      await changeState(client, legId, to('failed'), {});
      refused = refuse();
      await Promise.race([untilWaitedFor(client), refused]);
    });
    await refused;
    expect(await rounds()).toEqual(['1 refused']);
  });
});
