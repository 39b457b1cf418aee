import { PostgresConnection } from 'bullmq';
import pg from 'pg';
import { err, ok, type Result } from '@switchyard/values';
import { queueFailure, type QueueFailure } from './queue-failure.js';
import { queueSchema } from './postgres-backend.js';

interface QueueSchemaOptions {
  /** Connects as a role that may create schemas in the database. */
  readonly ownerUrl: string;
  /** The plain role of the queues. It gets rights on rows and functions, not ownership. */
  readonly applicationRole: string;
}

/**
 * Creates or upgrades the schema `bullmq` as its owner and grants it to the plain role. Part of the migration step:
 * queues are opened without any right to change tables, and fail if the schema is absent. It may run again, or twice at
 * once, without a change.
 */
export async function prepareQueueSchema(options: QueueSchemaOptions): Promise<Result<void, QueueFailure>> {
  const connection = new PostgresConnection({
    connectionString: options.ownerUrl,
    schema: queueSchema,
    migrate: true,
    max: 1,
  });
  connection.on('error', () => undefined);
  try {
    await connection.waitUntilReady();
    const role = pg.escapeIdentifier(options.applicationRole);
    const within = `schema ${queueSchema} to ${role}`;
    // One simple query is one transaction. The lock prevents that two concurrent grants on the same tables fail.
    await connection.pool.query(
      `select pg_advisory_xact_lock(hashtext('switchyard:${queueSchema}:grants'));
       grant usage on ${within};
       grant select, insert, update, delete on all tables in ${within};
       grant usage, select, update on all sequences in ${within};
       grant execute on all functions in ${within};`,
    );
    return ok(undefined);
  } catch (error) {
    return err(queueFailure('The schema of the queue could not be prepared', error));
  } finally {
    await connection.close();
  }
}
