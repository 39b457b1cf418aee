export { migrateForTest, startPostgres, type TestDatabase } from './database/start-postgres.js';
export { testClock, type TestClock } from './test-clock.js';
export { seededRandom, type SeededRandom } from './seeded-random.js';
