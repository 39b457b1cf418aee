import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient, type Prisma } from '../generated/client.js';
import { statementNames } from './statement-names.js';

export type Models = Omit<Prisma.TransactionClient, '$extends'>;

/** Sends a statement on the connection of one tenant's transaction; it rejects when the transaction has ended. */
export type SendInTenant = (statement: pg.QueryConfig) => Promise<pg.QueryResult>;

/** Prisma's client, whose statements stand in the transactions of hand-written ones. */
export interface TenantModels {
  /** Models for one transaction: each call is sent there, wherever and whenever it is made. */
  within(send: SendInTenant): Models;
  close(): Promise<void>;
}

/**
 * Opens Prisma's client without a connection of its own. `onCall` is called with each statement that Prisma sends.
 *
 * Prisma takes a pool and knows no transaction that somebody else has begun. So it is given a pool that finds the
 * transaction of a call by its asynchronous context, which `within` sets for exactly this call.
 */
export function tenantModels(onCall?: (text: string) => void): TenantModels {
  const current = new AsyncLocalStorage<SendInTenant>();
  const send: SendInTenant = (statement) => {
    const own = current.getStore();
    if (own === undefined) throw new TypeError('Models are used inside a transaction of a tenant.');
    onCall?.(statement.text);
    return own(statement);
  };
  const prisma = new PrismaClient({
    adapter: new PrismaPg(new TenantPool(send), { statementNameGenerator: statementNames() }),
  });
  let running = 0;
  // While there are asynchronous contexts, Node follows every promise of the process: they end with the last call.
  const within = async <R>(own: SendInTenant, call: () => Promise<R>): Promise<R> => {
    running += 1;
    try {
      return await current.run(own, call);
    } finally {
      running -= 1;
      if (running === 0) current.disable();
    }
  };
  return {
    within: (own) => bound(prisma, (call) => within(own, call)),
    close: () => prisma.$disconnect(),
  };
}

/** A promise of Prisma does nothing until it is awaited: it is awaited here, where the transaction is known. */
function bound<T extends object>(target: T, run: <R>(call: () => Promise<R>) => Promise<R>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value === 'function') {
        if (typeof name === 'string' && name.startsWith('findUnique')) throw new FoundInBatches();
        return (...args: readonly unknown[]) =>
          run(async () => await (Reflect.apply(value, target, args) as Promise<unknown>));
      }
      return typeof value === 'object' && value !== null ? bound(value, run) : value;
    },
  });
}

/** Prisma joins all `findUnique` of a moment in one statement, and they may be of several tenants. */
class FoundInBatches extends TypeError {
  constructor() {
    super('Use findFirst: findUnique is sent together with those of other tenants.');
  }
}

/** A pool without connections. */
class TenantPool extends pg.Pool {
  constructor(private readonly send: SendInTenant) {
    super({ max: 1 });
    this.query = ((statement: pg.QueryConfig) => this.send(statement)) as pg.Pool['query'];
    this.connect = (() => Promise.resolve(new Savepoint(this.send))) as unknown as pg.Pool['connect'];
  }
}

let savepoints = 0;

/** What Prisma takes for a connection when it needs a transaction for one call: a part of the one in progress. */
class Savepoint {
  readonly #name = `prisma_${String((savepoints += 1))}`;

  constructor(private readonly send: SendInTenant) {}

  query(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const inside = { BEGIN: 'savepoint', COMMIT: 'release savepoint', ROLLBACK: 'rollback to savepoint' };
    const word = Object.entries(inside).find(([text]) => text === statement.text)?.[1];
    return this.send(word === undefined ? statement : { ...statement, text: `${word} ${this.#name}` });
  }

  on(): void {
    // The connection belongs to the transaction, which reports its end.
  }

  removeListener(): void {
    // As above.
  }

  release(): void {
    // The transaction releases it.
  }
}
