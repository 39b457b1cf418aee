import pg from 'pg';
import type { TenantScope } from '@switchyard/tenancy';
import { poolClient } from './pool-client.js';
import { tenantModels, type Models } from './tenant-models.js';
import { inTenant, onceInTenant, type HowInTenant } from './tenant-transaction.js';
import type { Rows, Statement, TenantSession } from './tenant-client.js';
import { DatabaseBusy } from './unavailable.js';

/** The database as the plain role. Repositories are functions of it. */
export interface Store {
  /** Runs hand-written statements and Prisma's models in one transaction of one tenant. */
  inTenant<T>(scope: TenantScope, work: (client: TenantSession) => Promise<T>, how?: HowInTenant): Promise<T>;
  /** Runs one hand-written SELECT of one tenant in one round trip. Its text reads `scope.organization_id`. */
  onceInTenant<R extends pg.QueryResultRow>(scope: TenantScope, statement: Statement): Promise<Rows<R>>;
  /** The same as `inTenant`, for work with Prisma's models alone. */
  inTenantModels<T>(scope: TenantScope, work: (models: Models) => Promise<T>): Promise<T>;
  /** Outside every tenant: for tables and functions without one. Tenant tables show no rows. */
  readonly pool: pg.Pool;
  /** Models of tables without a tenant. Each call is a transaction of its own; tenant tables show no rows. */
  readonly models: Models;
  /** The trace that runs, where one is recorded: for statements that run in no transaction of `inTenant`. */
  readonly traceParent?: () => string | undefined;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Limit of connections. Default: 12. */
  readonly connections?: number;
  /** False if the next statement may reach another server process, without our prepared plans. Default: true. */
  readonly preparedStatements?: boolean;
  /** Limit of callers that wait for a connection; the next is refused with `DatabaseBusy`. Default: 1,000. */
  readonly waiting?: number;
  /** How long a caller waits for a connection, in milliseconds. Default 30,000. */
  readonly waitMs?: number;
  /** Longest wait for one statement, in milliseconds: a frozen server ends nothing. Default: 30,000. */
  readonly answerMs?: number;
  /** Called when an idle connection breaks, for example because the server stopped. The pool replaces it. */
  readonly onIdleError?: (error: Error) => void;
  /** Called with the text of each statement that Prisma's models send. */
  readonly onModelStatement?: (text: string) => void;
  /** Called with the milliseconds that each transaction waited for its connection. */
  readonly onWait?: (ms: number) => void;
  /** Called with the milliseconds that a transaction waited for the head of a chain. */
  readonly onHeadWait?: (ms: number) => void;
  /** The trace that runs, as `traceparent`; rows of later work keep it. Undefined: none is recorded. */
  readonly traceParent?: () => string | undefined;
  /** Called with the kind of each alarm that a committed transaction has raised, or counted on an open one. */
  readonly onAlarm?: (kind: string) => void;
}

/** Opens the store. It connects with the first statement. */
export function openStore(appUrl: string, options: StoreOptions = {}): Store {
  const waitMs = options.waitMs ?? 30_000;
  const config = {
    connectionString: appUrl,
    max: options.connections ?? 12,
    connectionTimeoutMillis: waitMs,
    answerMs: options.answerMs ?? 30_000,
    idleTimeoutMillis: 30_000,
    application_name: 'switchyard',
    // Statements that do not wait for each other's results share a round trip.
    pipeline: true,
    Client: poolClient(options.preparedStatements),
  };
  const pool: pg.Pool = new BoundedPool(config, options.waiting ?? 1_000);
  // Without a listener a broken idle connection would end the process.
  pool.on('error', options.onIdleError ?? (() => undefined));
  // The pool has no error listener on a connection in use either: if it broke between two statements, Node.js would end
  // the process. The next statement reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const models = tenantModels(options.onModelStatement);
  const own: Store['inTenant'] = (scope, work, how) =>
    inTenant(
      { ...options, pool, models, onAlarm: options.onAlarm, onWait: options.onWait },
      scope,
      work,
      how,
    );
  return {
    pool,
    models: models.within((statement) => pool.query(statement)),
    inTenant: own,
    onceInTenant: (scope, statement) => onceInTenant(pool, scope, statement),
    inTenantModels: (scope, work) => own(scope, (client) => work(client.models)),
    ...(options.traceParent && { traceParent: options.traceParent }),
    close: async () => {
      await models.close();
      await pool.end();
    },
  };
}

type PoolCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool that also limits how many callers wait for a connection, not only how long. When the queue is full, the next
 * caller is refused at once with `DatabaseBusy`, so callers do not collect while the database does not answer.
 */
class BoundedPool extends pg.Pool {
  constructor(
    config: pg.PoolConfig,
    private readonly waitingAtMost: number,
  ) {
    super(config);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: PoolCallback): void;
  override connect(callback?: PoolCallback): Promise<pg.PoolClient> | void {
    const isFull = this.waitingCount >= this.waitingAtMost;
    if (callback === undefined) return isFull ? Promise.reject(new DatabaseBusy()) : super.connect();
    if (isFull) callback(new DatabaseBusy(), undefined, () => undefined);
    else super.connect(callback);
  }
}
