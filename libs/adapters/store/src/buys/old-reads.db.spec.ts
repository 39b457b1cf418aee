import { randomUUID } from 'node:crypto';
import { createOrganization, makeOperation, openTestStore } from '@switchyard/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openStore } from '../core/open-store.js';
import { oldReads } from './old-reads.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const now = Date.UTC(2026, 10, 21);
const day = 86_400_000;

/** An operation of a task that ended at a time, or has not ended, with its legs and addresses. */
async function stored(scope: { readonly organizationId: string }, task: string, settledAt?: number) {
  const made = makeOperation(scope, { idempotencyKey: randomUUID() });
  const operation = { ...made.operation, task, ...(settledAt === undefined ? {} : { settledAt }) };
  await operationStore(store).begin(scope, { ...made, operation });
  return { id: operation.id, legs: made.legs.map(({ id }) => id) };
}

describe('old answered reads', () => {
  it('are deleted with everything that refers to them, and nothing else: no open one, no buy, no other tenant’s', async () => {
    const [ours, theirs] = [await createOrganization(store), await createOrganization(store)].map(
      ({ id }) => ({
        organizationId: id,
      }),
    );
    const old = await stored(ours!, 'get_products', now - 3 * day);
    const kept = [
      [ours!, await stored(ours!, 'get_signals', now - day)],
      [ours!, await stored(ours!, 'get_products')],
      [ours!, await stored(ours!, 'create_media_buy', now - 300 * day)],
      [theirs!, await stored(theirs!, 'get_products', now - 3 * day)],
    ] as const;
    const reads = oldReads(store);
    const tasks = ['get_products', 'get_signals'];
    expect(await reads.forget(ours!, tasks, now - 2 * day)).toBe(1);
    expect(await reads.forget(ours!, tasks, now - 2 * day)).toBe(0);
    const repository = operationStore(store);
    expect(await repository.state(ours!, old.id)).toBeUndefined();
    for (const id of old.legs) expect(await repository.leg(ours!, id)).toBeUndefined();
    for (const [scope, { id, legs }] of kept)
      expect((await repository.state(scope, id))?.legs).toHaveLength(legs.length);
  });
});
