import type { SharedReplayStore } from '@switchyard/signing';
import type { Clock, Instant } from '@switchyard/values';
import { batchQueries } from '../core/batch-queries.js';
import { repeatSteps, rowsPerStep } from '../core/repeat-steps.js';
import { run } from '../core/tenant-transaction.js';
import type { Store } from '../core/open-store.js';

interface ReplayStoreOptions {
  readonly clock: Clock;
  /** Limit of stored nonces of one keyid: 1,000,000 for requests, 100,000 for webhooks. */
  readonly cap: number;
  /** Approximate limit of stored nonces of all keys. Default: 10,000,000. */
  readonly aggregateCap?: number;
  /**
   * False if a claim need not be on disk when it is answered: a power cut may then lose the claims of the last half
   * second. A later durable commit flushes the claim too. Default: true.
   */
  readonly flushes?: boolean;
}

interface PurgingReplayStore extends SharedReplayStore {
  /** Deletes expired nonces; returns how many. Schedule it about once a minute. */
  purge(): Promise<number>;
}

interface Estimate {
  readonly count: number;
  readonly at: Instant;
}

/** One nonce to be claimed. */
interface Seen {
  readonly keyid: string;
  readonly nonce: string;
  readonly expiresAt: Instant;
}

const trustMs = 3000;
const knownKeys = 10_000;
const unflushed = `with flushing as materialized (select set_config('synchronous_commit', 'off', true))`;

/**
 * Used nonces in PostgreSQL, shared by all processes.
 *
 * A million rows cannot be counted for every message, so each process counts a key once in 3 s and adds its own claims.
 * Far from the limit (below nine tenths) that estimate decides; near it every claim counts exactly, one at a time under
 * a lock on the key. Only a tenth of the limit, claimed by other processes between two counts, could pass it.
 */
export function replayStore(
  store: Store,
  { clock, cap, aggregateCap = 10_000_000, flushes = true }: ReplayStoreOptions,
): PurgingReplayStore {
  const estimates = new Map<string, Estimate>();
  let together: Estimate | undefined;
  const insert = batchQueries((seen: readonly Seen[]) => insertAll(store, seen, flushes), {
    most: 64,
    lanes: 2,
  });
  const nearFrom = cap < 10_000 ? 0 : Math.floor(cap * 0.9);

  const counting = new Map<string, Promise<number>>();
  const count = (keyid: string): Promise<number> => {
    const known = estimates.get(keyid);
    if (known !== undefined && clock.now() - known.at < trustMs) return Promise.resolve(known.count);
    // Callers during a count wait for it, and start no other.
    const underWay = counting.get(keyid) ?? recount(keyid).finally(() => counting.delete(keyid));
    counting.set(keyid, underWay);
    return underWay;
  };

  const recount = async (keyid: string): Promise<number> => {
    const { rows } = await run<{ seen: number }>(store.pool, {
      name: 'nonce_count',
      text: `select count(*)::int as seen from (select 1 from signature_nonce where keyid = $1 limit $2) as counted`,
      values: [keyid, cap],
    });
    const seen = rows[0]?.seen ?? 0;
    if (estimates.size >= knownKeys) estimates.clear();
    estimates.set(keyid, { count: seen, at: clock.now() });
    return seen;
  };

  /** The statistics of PostgreSQL: a count of ten million rows would cost too much. */
  const countTogether = async (): Promise<number> => {
    if (together !== undefined && clock.now() - together.at < trustMs) return together.count;
    const { rows } = await run<{ seen: number }>(store.pool, {
      name: 'nonces_together',
      text: `select reltuples as seen from pg_class where oid = 'signature_nonce'::regclass`,
    });
    together = { count: rows[0]?.seen ?? 0, at: clock.now() };
    return together.count;
  };

  const counted = (keyid: string): void => {
    const known = estimates.get(keyid);
    if (known !== undefined) estimates.set(keyid, { ...known, count: known.count + 1 });
  };

  return {
    leaves: async (keyid) => {
      if ((await count(keyid)) >= nearFrom) return false;
      counted(keyid);
      return true;
    },
    isFull: async (keyid) => (await count(keyid)) >= cap || (await countTogether()) >= aggregateCap,
    claim: async (keyid, nonce, expiresAt) => {
      const estimate = await count(keyid);
      if (estimate >= nearFrom) {
        estimates.delete(keyid);
        return claimCounted(store, cap, { keyid, nonce, expiresAt });
      }
      const outcome = await insert({ keyid, nonce, expiresAt });
      if (outcome === 'claimed') counted(keyid);
      return outcome;
    },
    purge: async () => {
      const now = new Date(clock.now());
      const gone = await repeatSteps(() => run(store.pool, forget, [now]));
      estimates.clear();
      return gone;
    },
  };
}

/**
 * Claims concurrent nonces in one statement, in the order of the keys, so that two processes cannot deadlock. Of equal
 * nonces the first is claimed and the others are replays.
 */
async function insertAll(
  store: Store,
  seen: readonly Seen[],
  flushes: boolean,
): Promise<readonly ('claimed' | 'replayed')[]> {
  const { rows } = await run<{ keyid: string; nonce: string }>(store.pool, {
    name: flushes ? 'nonces_claim' : 'nonces_claim_unflushed',
    text: `
      ${flushes ? '' : unflushed}
      insert into signature_nonce (keyid, nonce, expires_at)
      select keyid, nonce, expires_at from unnest($1::text[], $2::text[], $3::timestamptz[]) as seen (keyid, nonce, expires_at)
      ${flushes ? '' : 'cross join flushing'}
      order by keyid, nonce
      on conflict do nothing
      returning keyid, nonce`,
    values: [
      seen.map(({ keyid }) => keyid),
      seen.map(({ nonce }) => nonce),
      seen.map(({ expiresAt }) => new Date(expiresAt)),
    ],
  });
  const fresh = new Set(rows.map(placeOf));
  // Removed once claimed, so that equal ones find it gone.
  return seen.map((use) => (fresh.delete(placeOf(use)) ? 'claimed' : 'replayed'));
}

function placeOf({ keyid, nonce }: Pick<Seen, 'keyid' | 'nonce'>): string {
  return `${nonce} ${keyid}`;
}

/** Counts and inserts under a lock on the key, in one transaction. */
async function claimCounted(
  store: Store,
  cap: number,
  {
    keyid,
    nonce,
    expiresAt,
  }: { readonly keyid: string; readonly nonce: string; readonly expiresAt: Instant },
): Promise<'claimed' | 'replayed' | 'full'> {
  const connection = await store.pool.connect();
  try {
    await connection.query('begin');
    // The lock is a statement of its own, so that the count's snapshot is taken after it was granted.
    await connection.query('select pg_advisory_xact_lock(7270, hashtext($1))', [keyid]);
    const { rows } = await run<{ verdict: 'claimed' | 'replayed' | 'full' }>(connection, {
      name: 'nonce_claim_counted',
      text: `
        with seen as (
          select exists (select 1 from signature_nonce where keyid = $1 and nonce = $2) as replayed,
                 (select count(*) from (select 1 from signature_nonce where keyid = $1 limit $4) as counted) >= $4 as full
        ), claimed as (
          insert into signature_nonce (keyid, nonce, expires_at)
          select $1, $2, $3 from seen where not seen.replayed and not seen.full
          on conflict do nothing
          returning 1
        )
        select case when exists (select 1 from claimed) then 'claimed'
                    when seen.full and not seen.replayed then 'full' else 'replayed' end as verdict
        from seen`,
      values: [keyid, nonce, new Date(expiresAt), cap],
    });
    await connection.query('commit');
    const verdict = rows[0]?.verdict;
    if (verdict === undefined) throw new Error('A claim that answers its verdict answered none.');
    return verdict;
  } catch (error) {
    await connection.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}

const forget = `
  delete from signature_nonce where ctid = any(array(
    select ctid from signature_nonce where expires_at < $1 limit ${rowsPerStep}))`;
