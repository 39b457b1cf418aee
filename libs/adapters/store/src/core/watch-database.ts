import pg from 'pg';
import type { Clock } from '@switchyard/values';

export interface DatabaseWatch {
  /** Whether the database answered when it was last asked. Nothing is waited for. */
  isAvailable(): boolean;
  stop(): Promise<void>;
}

export interface WatchOptions {
  /** How often the database is asked, in milliseconds. */
  readonly everyMs?: number;
  /** How long an answer may take before the database counts as gone, in milliseconds. */
  readonly answerMs?: number;
}

/**
 * Asks the database for nothing, again and again, over one connection of its own, so that whoever wants to know whether
 * it answers need not ask it and wait. Resolves after the first answer, or once there was none in time.
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
  /** The connection broke between two looks. */
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

/** Rejects when `work` takes longer. An answer that has come by then, and was not read yet, still counts. */
function within(clock: Clock, ms: number, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => setImmediate(() => reject(new Error('No answer in time.'))));
    work().then(resolve, reject).finally(stop);
  });
}
