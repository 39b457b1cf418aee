import { setTimeout as pause } from 'node:timers/promises';
import { assertSchemaCompatibility, createPostgresBackend, type PostgresConnectionOptions } from 'bullmq';
import pg from 'pg';
import type { QueueBackend } from './queue-backend.js';

/** Schema of BullMQ's tables. BullMQ fixes the name for pools that are passed to it. */
export const queueSchema = 'bullmq';

/** Connections for statements. Each worker holds one more, on which it listens. */
const statementConnections = 6;
/** How long a worker waits after it could not get a job, in milliseconds. */
const retryMs = 1_000;

/**
 * BullMQ on PostgreSQL, as a role that owns nothing there: `prepareQueueSchema` made the tables. All queues and workers
 * share this pool; otherwise each would open its own.
 */
export function postgresBackend(url: string, onError: (error: Error) => void): QueueBackend {
  const pool = new pg.Pool({
    connectionString: url,
    options: `-c search_path=${queueSchema}`,
    max: statementConnections,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    application_name: 'switchyard queue',
  });
  pool.on('error', onError);
  // The pool has no error listener on a connection in use: if it broke between two statements, Node.js would end the
  // process. The next statement reports the error to the user of the connection.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.setMaxListeners(0);
  // BullMQ describes the driver by smaller types, which the types of `pg` do not match exactly.
  const connection = pool as unknown as PostgresConnectionOptions;
  const waitUntilReady = checkOnce(pool);
  return {
    create: (name, options, use) => {
      if (use?.withBlockingConnection === true) pool.options.max += 1;
      const backend = createPostgresBackend(name, { ...options, connection }, use);
      // BullMQ checks once per connection and keeps a failure for ever: the worker would never get a job again.
      backend.connection.waitUntilReady = waitUntilReady;
      // A worker queries again at once after an error that is no refused connection, and so would hold the event loop.
      const moveToActive = backend.moveToActive.bind(backend);
      backend.moveToActive = (token, worker) =>
        moveToActive(token, worker).catch(async (error: unknown) => {
          await pause(retryMs, undefined, { ref: false });
          throw error;
        });
      return backend;
    },
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}

/** Checks that the schema fits, once for all connections of the pool. A check that failed is made again. */
function checkOnce(pool: pg.Pool): () => Promise<void> {
  let checked: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      await assertSchemaCompatibility(client, queueSchema);
    } finally {
      client.release();
    }
  };
  return () =>
    (checked ??= check().catch((error: unknown) => {
      checked = undefined;
      throw error;
    }));
}
