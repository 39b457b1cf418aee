/** The pool has as many callers waiting for a connection as it takes. Nothing was sent to the database. */
export class DatabaseBusy extends Error {
  constructor() {
    super('Too many callers wait for a database connection.');
  }
}

/**
 * SQLSTATEs that say nothing about the statement: connection errors (08), no room or no connection (53), the server
 * stops or starts (57P), a statement that was given no more time (57014, 55P03, 25P0x), a server that only reads
 * (25006), and a transaction that was ended for another's sake (40001, 40P01).
 */
const transientStates = /^(08...|53...|57P..|57014|55P03|25P0[2-4]|25006|40001|40P01)$/;

/** Errors of the socket, under the names that Node gives them. */
const socketCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]);

/** Errors of Prisma: unreachable, timed out, closed, or no connection in time. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034', 'P2037']);

/** What the driver under Prisma calls the same. */
const prismaKinds = new Set([
  ...['TooManyConnections', 'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout'],
  'TransactionWriteConflict',
]);

/** What `pg` and its pool say without a code. */
const spoken =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed) and is not queryable|Cannot use a pool after calling end|The server does not support SSL)/;

/**
 * True where a failure says that the database cannot be reached, has no room or did not answer in time, wherever in the
 * chain of causes that stands. What the statement did is unknown then: it may have been committed. Callers are told to
 * try again, a change under its idempotency key.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let one = error, depth = 0; depth < 5; depth += 1) {
    if (typeof one !== 'object' || one === null) return false;
    if (one instanceof DatabaseBusy) return true;
    if (says(one as Readonly<Record<string, unknown>>)) return true;
    one = causeOf(one);
  }
  return false;
}

function says({ code, kind, message }: Readonly<Record<string, unknown>>): boolean {
  if (typeof code === 'string')
    if (transientStates.test(code) || socketCodes.has(code) || prismaCodes.has(code)) return true;
  if (typeof kind === 'string' && prismaKinds.has(kind)) return true;
  return typeof message === 'string' && spoken.test(message);
}

/** Prisma puts the failure of its driver into `meta`, and the driver's code into `cause`. */
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
