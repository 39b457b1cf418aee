import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createOrganization,
  operationStoreContract,
  startPostgres,
  type OperationStoreSubject,
  type TestDatabase,
} from '@switchyard/testing';
import { openStore, type Store } from '../core/open-store.js';
import { operationStore } from './operation-store.js';

let database: TestDatabase;
let store: Store;
let subject: OperationStoreSubject;

beforeAll(async () => {
  database = await startPostgres();
  store = openStore(database.appUrl);
  const [ours, theirs] = [await createOrganization(store), await createOrganization(store)];
  subject = {
    store: operationStore(store),
    ours: { organizationId: ours.id },
    theirs: { organizationId: theirs.id },
  };
});

afterAll(async () => {
  await store.close();
  await database.stop();
});

describe('the store of operations, on PostgreSQL', () => {
  for (const { guarantee, check } of operationStoreContract)
    it(`promises that ${guarantee}`, async () => {
      expect.assertions(1);
      await expect(check(subject)).resolves.toBeUndefined();
    });
});
