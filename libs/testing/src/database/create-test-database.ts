import { randomUUID } from 'node:crypto';
import { withClient } from '@switchyard/store';
import { clusterOfProcess, type Cluster } from './cluster-of-process.js';
import { databaseName } from './template-cluster.js';

export interface TestDatabase {
  /** A superuser. */
  readonly ownerUrl: string;
  /** The plain role of the server. */
  readonly appUrl: string;
  /** Removes the database. Close every pool first. */
  stop(): Promise<void>;
}

/**
 * Makes a migrated database in the cluster of this process, as a copy of a template that is made once per set of
 * migrations. State of the whole cluster (roles, locks, connections) is shared with earlier databases, which are gone
 * by then: suites of one process run one after another.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const cluster = await clusterOfProcess();
  const name = `${databaseName}_${randomUUID().slice(0, 8)}`;
  await run(cluster, `create database "${name}" template ${databaseName} strategy file_copy`);
  return {
    ownerUrl: at(cluster.ownerUrl, name),
    appUrl: at(cluster.appUrl, name),
    stop: () => run(cluster, `drop database "${name}" with (force)`),
  };
}

function at(url: string, database: string): string {
  const moved = new URL(url);
  moved.pathname = `/${database}`;
  return moved.href;
}

async function run({ ownerUrl }: Cluster, statement: string): Promise<void> {
  const done = await withClient(ownerUrl, (client) => client.query(statement));
  if (!done.ok) throw new Error(done.error.message);
}
