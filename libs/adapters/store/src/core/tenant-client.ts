import type { QueryResultRow } from 'pg';

/** One hand-written statement. A name makes the server keep its plan for the next time on the same connection. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
}

export interface Rows<R> {
  readonly rows: R[];
  /** Rows returned, or changed where none are returned. */
  readonly rowCount: number;
}

/** A connection inside one transaction of one tenant: row-level security shows and takes this tenant's rows alone. */
export interface TenantClient {
  readonly organizationId: string;
  query<R extends QueryResultRow = QueryResultRow>(
    statement: string | Statement,
    values?: readonly unknown[],
  ): Promise<Rows<R>>;
  /** The last statement of the transaction: the COMMIT goes out with it, and nothing may come after it. */
  lastQuery<R extends QueryResultRow = QueryResultRow>(statement: Statement): Promise<Rows<R>>;
  /** Has an alarm of this kind counted, once the transaction that raises it has committed. */
  alarmRaised(kind: string): void;
}
