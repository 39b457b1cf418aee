import pg from 'pg';
import type { Clock } from '@switchyard/values';

export interface DatabaseWatch {
  /** Whether the database answered the last check. It does not wait. */
  isAvailable(): boolean;
  /** How far our clock is ahead of the database's, in milliseconds; below zero: behind. 0 up to ten seconds. */
  clockAheadMs(): number;
  stop(): Promise<void>;
}

interface WatchOptions {
  /** Interval of the checks, in milliseconds. */
  readonly everyMs?: number;
  /** Longest wait for an answer before the database counts as unavailable, in milliseconds. */
  readonly answerMs?: number;
  /** Called when the clocks begin to differ by more than ten seconds. */
  readonly onWrongClock?: (aheadMs: number) => void;
}

const toleratedMs = 10_000;

/**
 * Checks the database regularly over one connection of its own, so that callers learn whether it answers without a
 * wait. Resolves after the first answer, or when none came in time.
 */
export async function watchDatabase(
  url: string,
  clock: Clock,
  { everyMs = 1_000, answerMs = 3_000, onWrongClock }: WatchOptions = {},
): Promise<DatabaseWatch> {
  const state = { available: false, stopped: false, looking: false, aheadMs: 0 };
  let client: pg.Client | undefined;
  let cancel = (): void => undefined;
  const drop = (): void => {
    client?.end().catch(() => undefined);
    client = undefined;
  };
  /** The connection broke between two checks. */
  const lose = (): void => {
    drop();
    state.available = false;
    if (state.stopped || state.looking) return;
    cancel();
    // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects, and belongs to no tenant
    void check();
  };
  const check = async (): Promise<void> => {
    state.looking = true;
    try {
      await within(clock, answerMs, async () => {
        client ??= await connected(url, answerMs, lose);
        const before = clock.now();
        const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at');
        const aheadMs = ahead([before, clock.now()], rows[0]?.at.getTime() ?? before);
        if (aheadMs !== 0 && state.aheadMs === 0) onWrongClock?.(aheadMs);
        state.aheadMs = aheadMs;
      });
      state.available = true;
    } catch {
      state.available = false;
      drop();
    }
    state.looking = false;
    if (!state.stopped) cancel = clock.after(everyMs, () => void check());
  };
  await check();
  return {
    isAvailable: () => state.available,
    clockAheadMs: () => state.aheadMs,
    stop: () => {
      state.stopped = true;
      cancel();
      drop();
      return Promise.resolve();
    },
  };
}

/** The database's time was read between the two times of ours: a difference outside of them is certain. */
function ahead([before, after]: readonly [number, number], database: number): number {
  const aheadMs = database < before ? before - database : Math.min(0, after - database);
  return Math.abs(aheadMs) > toleratedMs ? aheadMs : 0;
}

async function connected(url: string, answerMs: number, onEnd: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'switchyard watch',
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on('error', onEnd);
  await client.connect();
  return client;
}

/** Rejects if `work` takes longer. An answer that has arrived by then, but was not read yet, still counts. */
function within(clock: Clock, ms: number, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => setImmediate(() => reject(new Error('No answer in time.'))));
    work().then(resolve, reject).finally(stop);
  });
}
