import type pg from 'pg';
import type { QueryResultRow } from 'pg';
import type { TenantScope } from '@switchyard/tenancy';
import { isUuid } from '@switchyard/values';
import { busyStatements, byKeys } from './busy-statements.js';
import type { Models, TenantModels } from './tenant-models.js';
import type { Rows, Statement, TenantSession } from './tenant-client.js';

/** PostgreSQL assumes that an array parameter is long, and would plan the statement again for each length. */
const genericPlans = `; set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan`;

const nameOfBusy = busyStatements({ busyFrom: 16, most: 300 });
const nameOfKeyed = busyStatements({ busyFrom: 16, most: 100, takes: byKeys, prefix: 'k' });

/**
 * `by_keys`: each statement finds its few rows by an index, even while the table is small, so that its plan can be kept
 * and stays good when the table grows.
 */
export type HowInTenant = 'by_keys';

interface InTenantDeps {
  readonly pool: pg.Pool;
  readonly models: TenantModels;
  readonly onAlarm: ((kind: string) => void) | undefined;
  readonly onWait: ((ms: number) => void) | undefined;
  readonly onHeadWait?: ((ms: number) => void) | undefined;
  readonly traceParent?: (() => string | undefined) | undefined;
}

/**
 * Runs one transaction of one tenant on a connection of its own. It commits when `work` resolves and rolls back when it
 * rejects. The tenant is set together with the BEGIN, and unset at the end.
 *
 * Connections are pipelined: the BEGIN is sent with the first statement and, if `work` names its last one, the COMMIT
 * with that. If the BEGIN failed, no statement has a tenant, and row-level security shows and takes nothing.
 */
export async function inTenant<T>(
  { pool, models, onAlarm, onWait, onHeadWait, traceParent }: InTenantDeps,
  scope: TenantScope,
  work: (client: TenantSession) => Promise<T>,
  how: HowInTenant | undefined,
): Promise<T> {
  const { organizationId } = scope;
  // The id is part of the statement's text: only a UUID in PostgreSQL's own form is allowed.
  if (!isUuid(organizationId) || organizationId !== organizationId.toLowerCase())
    throw new TypeError('A tenant scope names an organization by its UUID.');
  const asked = performance.now();
  const connection = await pool.connect();
  onWait?.(performance.now() - asked);
  const nameOf = how === 'by_keys' ? nameOfKeyed : nameOfBusy;
  const client = tenantClient({ connection, models, onHeadWait }, organizationId, nameOf);
  let broken: Error | undefined;
  try {
    // SET LOCAL is a command, not a query: nothing is planned.
    const begun = connection.query(
      `begin; set local switchyard.organization_id = '${organizationId}'${how === 'by_keys' ? genericPlans : ''}${traceSetting(traceParent?.())}`,
    );
    // Awaited below; a statement that was sent with it may fail first, for the same reason.
    begun.catch(() => undefined);
    const result = await work(client);
    client.end();
    await begun;
    const ended = await (client.ending() ?? connection.query('commit'));
    // PostgreSQL answers COMMIT with ROLLBACK if a statement of the transaction failed. It is visible only here.
    if (ended.command !== 'COMMIT') throw new Error('The transaction had failed and was rolled back.');
    for (const kind of client.alarms) onAlarm?.(kind);
    return result;
  } catch (error) {
    client.end();
    await connection.query('rollback').catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error('The rollback failed.');
    });
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Says the running trace to the transaction: rows of later work take it as a default. */
function traceSetting(parent: string | undefined): string {
  return parent !== undefined && /^[0-9a-f-]{55}$/.test(parent)
    ? `; set local switchyard.trace_parent = '${parent}'`
    : '';
}

/**
 * Runs one SELECT of one tenant as one statement, which is its own transaction: no BEGIN and no COMMIT.
 *
 * The statement sets its tenant itself. Its text reads `scope.organization_id`, the result of set_config, inside a
 * LATERAL that cannot be pulled up. So the setting is there before any row is read or checked by row-level security.
 */
export function onceInTenant<R extends QueryResultRow>(
  pool: pg.Pool,
  { organizationId }: TenantScope,
  { text, values = [], name }: Statement,
): Promise<Rows<R>> {
  if (!text.includes('scope.organization_id'))
    throw new TypeError('The statement does not ask for its tenant.');
  const place = `$${values.length + 1}`;
  return run<R>(pool, {
    text: `with scope as materialized (
             select set_config('switchyard.organization_id', ${place}, true)::uuid as organization_id)
           select rows.* from scope cross join lateral (${text} offset 0) as rows`,
    values: [...values, organizationId],
    ...(name === undefined ? {} : { name }),
  });
}

/** A statement after its transaction: its connection may already be in the transaction of another tenant. */
export class TransactionEnded extends Error {
  constructor() {
    super('The transaction of this statement has ended. Await each statement before the transaction ends.');
  }
}

interface EndingClient extends TenantSession {
  readonly alarms: readonly string[];
  /** The COMMIT that was sent with the last statement. */
  ending(): Promise<pg.QueryResult> | undefined;
  /** From here on every statement is refused with `TransactionEnded`. */
  end(): void;
}

function tenantClient(
  {
    connection,
    models,
    onHeadWait,
  }: Pick<InTenantDeps, 'models' | 'onHeadWait'> & { readonly connection: pg.PoolClient },
  organizationId: string,
  nameOf: typeof nameOfBusy,
): EndingClient {
  let hasEnded = false;
  let ending: Promise<pg.QueryResult> | undefined;
  let own: Models | undefined;
  const alarms: string[] = [];
  const sendOfModels = (statement: pg.QueryConfig): Promise<pg.QueryResult> =>
    hasEnded ? Promise.reject(new TransactionEnded()) : connection.query(statement);
  const send = async <R extends QueryResultRow>(
    statement: string | Statement,
    values?: readonly unknown[],
  ): Promise<Rows<R>> => {
    if (hasEnded) throw new TransactionEnded();
    return run<R>(connection, statement, values, nameOf);
  };
  return {
    organizationId,
    alarms,
    get models() {
      return (own ??= models.within(sendOfModels));
    },
    alarmRaised: (kind) => alarms.push(kind),
    headWaited: onHeadWait,
    query: send,
    lastQuery: <R extends QueryResultRow>(statement: Statement) => {
      const rows = send<R>(statement);
      if (hasEnded) return rows;
      hasEnded = true;
      ending = connection.query('commit');
      ending.catch(() => undefined);
      return rows;
    },
    ending: () => ending,
    end: () => {
      hasEnded = true;
    },
  };
}

/** Runs one statement on a connection or a pool and reduces `pg`'s result to what we use. */
export async function run<R extends QueryResultRow>(
  on: pg.Pool | pg.PoolClient,
  statement: string | Statement,
  values?: readonly unknown[],
  nameOf = nameOfBusy,
): Promise<Rows<R>> {
  const { text, name: given, values: own } = typeof statement === 'string' ? { text: statement } : statement;
  const name = given ?? nameOf(text);
  const result = await on.query<R>({
    text,
    values: [...(values ?? own ?? [])],
    ...(name === undefined ? {} : { name }),
  });
  return { rows: result.rows, rowCount: result.rowCount ?? 0 };
}
