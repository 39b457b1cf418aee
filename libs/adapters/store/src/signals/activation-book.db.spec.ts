import { afterAll, beforeAll, describe, it } from '@jest/globals';
import {
  activationBookContract,
  createOrganization,
  startPostgres,
  type TestDatabase,
} from '@switchyard/testing';
import { openStore, type Store } from '../core/open-store.js';
import { activationBook } from './activation-book.js';

let database: TestDatabase;
let store: Store;

beforeAll(async () => {
  database = await startPostgres();
  store = openStore(database.appUrl);
}, 60_000);

afterAll(async () => {
  await store.close();
  await database.stop();
});

describe('a book of activations, on PostgreSQL', () => {
  for (const { guarantee, check } of activationBookContract)
    it(`promises that ${guarantee}`, async () => {
      const [mine, other] = [await createOrganization(store), await createOrganization(store)];
      await check({
        book: activationBook(store),
        ours: { organizationId: mine.id },
        theirs: { organizationId: other.id },
      });
    });
});
