import type { Writable } from 'node:stream';
import pg from 'pg';

/** The class of a pool's connections. False: the next statement may reach another server process, without our plans. */
export const poolClient = (preparedStatements = true): typeof pg.Client =>
  preparedStatements ? GatheringClient : UnnamedClient;

/** Sends all statements of one turn of the event loop in one write: a write costs more than a small statement. */
class GatheringClient extends pg.Client {
  #isCorked = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      this.#cork();
      return send(...args);
    }) as pg.Client['query'];
  }

  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = (this as unknown as { readonly connection: { readonly stream: Writable } }).connection;
    this.#isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }
}

/** Removes the names of statements before they are sent: each is planned on the server process that runs it. */
class UnnamedClient extends GatheringClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((statement: unknown, ...rest: unknown[]) => {
      const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement;
      return send(isNamed ? { ...statement, name: undefined } : statement, ...rest);
    }) as pg.Client['query'];
  }
}
