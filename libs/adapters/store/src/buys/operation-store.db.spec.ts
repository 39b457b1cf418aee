import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createScope,
  operationStoreContract,
  openTestStore,
  type OperationStoreSubject,
} from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const subject: OperationStoreSubject = {
  store: operationStore(store),
  ours: await createScope(store),
  theirs: await createScope(store),
};

describe('the store of operations, on PostgreSQL', () => {
  for (const { guarantee, check } of operationStoreContract)
    it(`promises that ${guarantee}`, async () => {
      expect.assertions(1);
      await expect(check(subject)).resolves.toBeUndefined();
    });
});
