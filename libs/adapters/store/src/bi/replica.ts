import { ok, type Clock, type Result } from '@switchyard/values';
import { withClient } from '../migrate/database-client.js';
import type { DatabaseFailure } from '../migrate/database-failure.js';

const askEveryMs = 200;

/**
 * Waits until a replica has everything that its primary had committed at the call, for `waitMs` milliseconds at most; false if
 * it has not by then. A database that is no replica has everything.
 */
export async function replicaCaughtUp(
  primaryUrl: string,
  replicaUrl: string,
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
): Promise<Result<boolean, DatabaseFailure>> {
  const written = await withClient(primaryUrl, async (client) => {
    const { rows } = await client.query<{ position: string }>(
      'select pg_current_wal_lsn()::text as position',
    );
    return rows[0]?.position ?? '0/0';
  });
  if (!written.ok) return written;
  const until = clock.now() + waitMs;
  const caught = await withClient(replicaUrl, async (client) => {
    for (;;) {
      const { rows } = await client.query<{ has: boolean }>(
        'select not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn as has',
        [written.value],
      );
      if (rows[0]?.has === true) return true;
      if (clock.now() >= until) return false;
      await new Promise<void>((resolve) => void clock.after(askEveryMs, resolve));
    }
  });
  return caught.ok ? ok(caught.value) : caught;
}
