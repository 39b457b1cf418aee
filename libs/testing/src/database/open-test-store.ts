import { createTestDatabase, type TestDatabase } from './create-test-database.js';

interface TestStore<Opened> {
  /** As the plain role, as the server uses it. */
  readonly store: Opened;
  readonly database: TestDatabase;
  /** Closes the store, then removes the database: pass it to `afterAll`. */
  readonly stop: () => Promise<void>;
}

/**
 * Makes a database for a spec file, with a store: `const { store, stop } = await openTestStore(openStore);` and
 * `afterAll(stop);`. The file passes the function that opens a store, because the store's own specs test the source and
 * not the build.
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
