import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { poolClient } from '../core/pool-client.js';
import type { VerifyJob } from './verify-in-worker.js';
import { verifyIn } from './verify-in.js';

/** The thread of one verification, with a connection of its own: see `verifyInWorker`. */
const { appUrl, preparedStatements, organizationId, since, anchors = [] } = workerData as VerifyJob;
const pool = new pg.Pool({
  connectionString: appUrl,
  max: 1,
  application_name: 'switchyard verify',
  pipeline: true,
  Client: poolClient(preparedStatements),
});
// The statement on a lost connection reports the error.
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));
const options = { anchors, ...(since === undefined ? {} : { since }) };
parentPort?.postMessage(await verifyIn({ pool }, { organizationId }, options));
await pool.end();
