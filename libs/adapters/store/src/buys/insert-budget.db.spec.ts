import { afterAll, describe, expect, it } from '@jest/globals';
import { createScope, makeOperation, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const most = 5;
const at = Date.UTC(2026, 10, 21, 12);

/** A change of one account, with room for five in a minute. */
const change = (of: { readonly organizationId: string }, account: string) => ({
  ...makeOperation(of, { createdAt: at }),
  budget: { scope: account, ceilings: [{ windowMs: 60_000, most }] },
});

describe('changes of one account that arrive in the same moment', () => {
  it('are stored exactly up to the limit, over all connections', async () => {
    const scope = await createScope(store);
    const operations = operationStore(store);
    const kinds = await Promise.all(
      Array.from({ length: 30 }, async () => (await operations.begin(scope, change(scope, 'busy'))).kind),
    );
    const received = (kind: string): number => kinds.filter((one) => one === kind).length;
    expect([received('stored'), received('crowded')]).toEqual([most, 25]);
  });

  it('do not wait for another account', async () => {
    const scope = await createScope(store);
    const operations = operationStore(store);
    const kinds = await Promise.all(
      Array.from({ length: 4 * most }, async (_, index) => {
        const begun = await operations.begin(scope, change(scope, `account ${String(index % 4)}`));
        return begun.kind;
      }),
    );
    expect(new Set(kinds)).toEqual(new Set(['stored']));
  });
});
