import { createPostgresBackend, type PostgresConnectionOptions } from 'bullmq';
import pg from 'pg';
import type { QueueBackend } from './open-queue.js';

/** Where BullMQ keeps its tables. The name is fixed for pools that are handed to it. */
export const queueSchema = 'bullmq';

/** Connections for statements. Each worker holds one more, on which it listens. */
const statementConnections = 6;

/**
 * BullMQ on PostgreSQL, as a role that owns nothing there: `prepareQueueSchema` made the tables. All queues and
 * workers share one pool of ours, since each would open its own otherwise.
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
  // The pool does not listen while a connection is lent out: between two statements its end would end the process.
  // Whoever holds it is told by the next statement.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.setMaxListeners(0);
  // BullMQ describes the driver by its own smaller types, which the real one does not match to the letter.
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    create: (name, options, use) => {
      if (use?.withBlockingConnection === true) pool.options.max += 1;
      return createPostgresBackend(name, { ...options, connection }, use);
    },
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}
