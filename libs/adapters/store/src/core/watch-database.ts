import pg from 'pg';
import type { Clock } from '@switchyard/values';

export interface DatabaseWatch {
  /** Whether the database answered the last check. It does not wait. */
  isAvailable(): boolean;
  stop(): Promise<void>;
}

interface WatchOptions {
  /** Interval of the checks, in milliseconds. */
  readonly everyMs?: number;
  /** Longest wait for an answer before the database counts as unavailable, in milliseconds. */
  readonly answerMs?: number;
}

/**
 * Checks the database regularly over one connection of its own, so that callers learn whether it answers without a
 * wait. Resolves after the first answer, or when none came in time.
 */
export async function watchDatabase(
  url: string,
  clock: Clock,
  { everyMs = 1_000, answerMs = 3_000 }: WatchOptions = {},
): Promise<DatabaseWatch> {
  const state = { available: false, stopped: false, looking: false };
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
    void look();
  };
  const look = async (): Promise<void> => {
    state.looking = true;
    try {
      await within(clock, answerMs, async () => {
        client ??= await connected(url, answerMs, lose);
        await client.query('select 1');
      });
      state.available = true;
    } catch {
      state.available = false;
      drop();
    }
    state.looking = false;
    if (!state.stopped) cancel = clock.after(everyMs, () => void look());
  };
  await look();
  return {
    isAvailable: () => state.available,
    stop: () => {
      state.stopped = true;
      cancel();
      drop();
      return Promise.resolve();
    },
  };
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
