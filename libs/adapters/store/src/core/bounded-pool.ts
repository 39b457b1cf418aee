import pg from 'pg';
import { DatabaseBusy } from './unavailable.js';

type PoolCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: Error | boolean) => void,
) => void;

/**
 * A pool that also limits how many callers wait for a connection, not only how long. When the queue is full, the next
 * caller is refused at once with `DatabaseBusy`, so callers do not collect while the database does not answer.
 */
export class BoundedPool extends pg.Pool {
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
