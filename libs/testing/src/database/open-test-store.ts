import { createTestDatabase, type TestDatabase } from './create-test-database.js';

export interface TestStore<Opened> {
  /** The plain role's way in: what the server would use. */
  readonly store: Opened;
  readonly database: TestDatabase;
  /** Closes the store, and then ends the database: for `afterAll`, as it is. */
  readonly stop: () => Promise<void>;
}

/**
 * A database of a spec file's own with a store over it: `const { store, stop } = await openTestStore(openStore);` and
 * `afterAll(stop);`. The file hands in how a store is opened, because the store's own specs try the source and not
 * what was built of it.
 */
export async function openTestStore<Opened extends { close(): Promise<void> }>(
  open: (appUrl: string) => Opened,
): Promise<TestStore<Opened>> {
  const database = await createTestDatabase();
  const store = open(database.appUrl);
  return {
    store,
    database,
    stop: async () => {
      await store.close();
      await database.stop();
    },
  };
}
