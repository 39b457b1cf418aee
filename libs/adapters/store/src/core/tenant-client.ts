import type { QueryResultRow } from 'pg';
import type { Models } from './tenant-models.js';

/** One hand-written statement. With a name, PostgreSQL keeps its plan for the next use on the same connection. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
}

export interface Rows<R> {
  readonly rows: R[];
  /** Rows returned, or changed if none are returned. */
  readonly rowCount: number;
}

/** A connection inside one transaction of one tenant: row-level security shows and takes only this tenant's rows. */
export interface TenantClient {
  readonly organizationId: string;
  query<R extends QueryResultRow = QueryResultRow>(
    statement: string | Statement,
    values?: readonly unknown[],
  ): Promise<Rows<R>>;
  /** The last statement of the transaction: the COMMIT is sent with it, and nothing may follow. */
  lastQuery<R extends QueryResultRow = QueryResultRow>(statement: Statement): Promise<Rows<R>>;
  /** Counts an alarm of this kind once the transaction that raises it has committed. */
  alarmRaised(kind: string): void;
  /** Told the milliseconds that the transaction waited for the head of a chain, where somebody measures it. */
  readonly headWaited?: ((ms: number) => void) | undefined;
}

/** A transaction of one tenant that Prisma's client can use too. */
export interface TenantSession extends TenantClient {
  /** For one row by its key. A call costs about three times a statement, so hot paths make none. */
  readonly models: Models;
}
