import pg from 'pg';

/** The class of a pool's connections. False: the next statement may reach another server process, without our plans. */
export const poolClient = (preparedStatements = true): typeof pg.Client =>
  preparedStatements ? GatheringClient : UnnamedClient;

interface PoolClientConfig extends pg.ClientConfig {
  /** Longest wait for one statement, in milliseconds; absent: none. */
  readonly answerMs?: number;
}

/**
 * Sends all statements of one turn of the event loop in one write: a write costs more than a small statement.
 *
 * The longest wait is watched here and not by `query_timeout`: with a timer for each statement, what statements hold
 * outlives the young generation, and collecting it was a fifth of the processor time of a busy server.
 */
class GatheringClient extends pg.Client {
  #isCorked = false;
  /** Since when the server works on the oldest statement that is not answered, in milliseconds of the process. */
  #worksSince: number | undefined;
  #watch: NodeJS.Timeout | undefined;
  readonly #answerMs: number | undefined;

  constructor(config?: PoolClientConfig) {
    super(config);
    this.#answerMs = config?.answerMs;
    const send = this.query.bind(this) as (...args: unknown[]) => unknown;
    this.query = ((...args: unknown[]) => {
      this.#cork();
      if (this.#answerMs !== undefined) this.#expectAnswer(this.#answerMs);
      return send(...args);
    }) as pg.Client['query'];
    // After each statement, and before its caller may send the next one.
    this.connection.on('readyForQuery', () => (this.#worksSince = performance.now()));
    this.on('drain', () => (this.#worksSince = undefined));
    this.on('end', () => clearTimeout(this.#watch));
  }

  #expectAnswer(answerMs: number): void {
    this.#worksSince ??= performance.now();
    this.#watch ??= setTimeout(() => this.#endIfLate(answerMs), answerMs).unref();
  }

  /** Ends a connection whose server does not answer; its statements reject. */
  #endIfLate(answerMs: number): void {
    this.#watch = undefined;
    if (this.#worksSince === undefined) return;
    const leftMs = this.#worksSince + answerMs - performance.now();
    if (leftMs <= 0) this.connection.stream.destroy(new Error('Query read timeout'));
    else this.#watch = setTimeout(() => this.#endIfLate(answerMs), leftMs).unref();
  }

  #cork(): void {
    if (this.#isCorked) return;
    const { stream } = this.connection;
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
