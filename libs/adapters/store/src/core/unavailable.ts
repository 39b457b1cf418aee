/** The limit of callers that wait for a connection is reached. Nothing was sent to the database. */
export class DatabaseBusy extends Error {
  constructor() {
    super('Too many callers wait for a database connection.');
  }
}

/**
 * SQLSTATEs that are no fault of the statement: connection errors (08), no memory, disk or connection (53), server stop
 * or start (57P), a statement or lock timeout (57014, 55P03, 25P0x), a read-only server (25006), and a transaction that
 * lost a conflict (40001, 40P01).
 */
const transientStates = /^(08...|53...|57P..|57014|55P03|25P0[2-4]|25006|40001|40P01)$/;

/** Socket errors, by Node.js's names. */
const socketCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);

/** Errors of Prisma: unreachable, timed out, closed, or no connection in time. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** The same errors, as the driver under Prisma names them. */
const prismaKinds = new Set([
  ...['TooManyConnections', 'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'],
  'TransactionWriteConflict',
]);

/** Errors without a code of `pg` and its pool. */
const spoken =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|The server does not support SSL)/;

/**
 * True if an error, or one of its causes, means that the database cannot be reached, has no room or did not answer in
 * time. Whether the statement was committed is then unknown. Callers are asked to retry, a change under its idempotency
 * key.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause = error, depth = 0; depth < 5; depth += 1) {
    if (typeof cause !== 'object' || cause === null) return false;
    if (cause instanceof DatabaseBusy) return true;
    if (isOutage(cause as Readonly<Record<string, unknown>>)) return true;
    cause = causeOf(cause);
  }
  return false;
}

function isOutage({ code, kind, message }: Readonly<Record<string, unknown>>): boolean {
  if (typeof code === 'string')
    if (transientStates.test(code) || socketCodes.has(code) || prismaCodes.has(code)) return true;
  if (typeof kind === 'string' && prismaKinds.has(kind)) return true;
  return typeof message === 'string' && spoken.test(message);
}

/** Prisma puts the driver's error into `meta`, and the driver's code into `cause`. */
function causeOf(error: object): unknown {
  const { cause, meta, originalCode } = error as {
    readonly cause?: unknown;
    readonly meta?: { readonly driverAdapterError?: unknown };
    readonly originalCode?: unknown;
  };
  return (
    cause ?? meta?.driverAdapterError ?? (originalCode === undefined ? undefined : { code: originalCode })
  );
}
