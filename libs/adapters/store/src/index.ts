export { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './embedded/start-embedded.js';
export type { EmbeddedFailure, EmbeddedFailureCode } from './embedded/failure.js';
export { readOrMakeSecret } from './embedded/secret-file.js';
export {
  ensureDatabase,
  openDatabase,
  type DatabaseEnvironment,
  type OpenedDatabase,
} from './migrate/open-database.js';
export { migrateDatabase } from './migrate/migrate-database.js';
export { readMigrations, type Migration } from './migrate/read-migrations.js';
export type { DatabaseFailure, DatabaseFailureCode } from './migrate/failure.js';
export { openStore, type Store, type StoreOptions } from './core/open-store.js';
export type { Rows, Statement, TenantClient } from './core/tenant-client.js';
