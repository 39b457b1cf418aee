import { afterAll, describe, expect, it } from '@jest/globals';
import { createPrincipal, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { financeFiles } from './finance-files.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const files = financeFiles(store);
const at = Date.UTC(2026, 10, 26, 12);

describe('unused files', () => {
  it.each([
    ['of their bytes, also where many are announced at once', 300_000, 3],
    ['of 64 KiB each, however small they are', 1, 15],
  ])('have a total size limit: %s', async (_, bytes, most) => {
    const scope = await createScope(store);
    const { id: by } = await createPrincipal(store, scope.organizationId);
    const file = { name: 'a.csv', bytes, sha256: '0'.repeat(64), by };
    const ids = await Promise.all(
      Array.from({ length: 40 }, () => files.announce(scope, file, 1_000_000, at)),
    );
    expect(ids.filter((id) => id !== undefined)).toHaveLength(most);
  });
});
