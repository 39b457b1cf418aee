import pg from 'pg';
import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import type { TenantScope } from '@switchyard/tenancy';
import { PrismaClient, type Prisma } from '../generated/client.js';
import { poolClient } from './pool-client.js';
import { inTenant, onceInTenant, type HowInTenant } from './tenant-transaction.js';
import type { Rows, Statement, TenantClient } from './tenant-client.js';
import { DatabaseBusy } from './unavailable.js';

export type Models = Prisma.TransactionClient;

/** The database as the plain role. Repositories are functions of it. */
export interface Store {
  /** Runs hand-written statements in one transaction of one tenant. */
  inTenant<T>(scope: TenantScope, work: (client: TenantClient) => Promise<T>, how?: HowInTenant): Promise<T>;
  /** Runs one hand-written SELECT of one tenant in one round trip. Its text reads `scope.organization_id`. */
  onceInTenant<R extends pg.QueryResultRow>(scope: TenantScope, statement: Statement): Promise<Rows<R>>;
  /** Runs Prisma's models in one transaction of one tenant. */
  inTenantModels<T>(scope: TenantScope, work: (models: Models) => Promise<T>): Promise<T>;
  /** Outside every tenant: for tables and functions without one. Tenant tables show no rows. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

interface StoreOptions {
  /** Limit of connections, shared by Prisma and hand-written statements. Default: 12. */
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
  /** Called with the kind of each alarm that a committed transaction has raised, or counted on an open one. */
  readonly onAlarm?: (kind: string) => void;
}

const namedStatements = 300;

/** Opens the store. It connects with the first statement. */
export function openStore(appUrl: string, options: StoreOptions = {}): Store {
  const waitMs = options.waitMs ?? 30_000;
  const config = {
    connectionString: appUrl,
    max: options.connections ?? 12,
    connectionTimeoutMillis: waitMs,
    query_timeout: options.answerMs ?? 30_000,
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
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: statementNames() }),
  });
  return {
    pool,
    inTenant: (scope, work, how) => inTenant({ pool, onAlarm: options.onAlarm }, scope, work, how),
    onceInTenant: (scope, statement) => onceInTenant(pool, scope, statement),
    inTenantModels: (scope, work) =>
      prisma.$transaction(
        async (models) => {
          await models.$executeRaw`select set_config('switchyard.organization_id', ${scope.organizationId}, true)`;
          return work(models);
        },
        { maxWait: waitMs, timeout: 30_000 },
      ),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/**
 * Names for prepared statements: plans are kept per connection and name. Lists of different lengths make endless
 * variants of one statement, so only the first few hundred texts get a name; others are planned each time.
 */
function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= namedStatements) return '';
    const name = `p${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
    names.set(sql, name);
    return name;
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
