import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestStore, testClock } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { replayStore } from './replay-store.js';

const { store, database, stop } = await openTestStore(openStore);
afterAll(stop);

describe('the nonces of a signer', () => {
  for (const cap of [100, 1_000_000])
    it(`are claimed once among many processes and at the same time, under a cap of ${cap}`, async () => {
      const clock = testClock();
      const processes = [1, 2, 3].map(() => replayStore(store, { clock, cap }));
      const keyid = randomUUID();
      const received = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          processes[index % 3]!.claim(keyid, `nonce-${index % 10}`, clock.now() + 60_000),
        ),
      );
      expect(received.filter((one) => one === 'claimed')).toHaveLength(10);
      expect(received.filter((one) => one === 'replayed')).toHaveLength(20);
      expect(await processes[0]!.claim(randomUUID(), 'nonce-1', clock.now() + 60_000)).toBe('claimed');
    });

  it('are refused for every key once all keys together have reached their cap, by the statistics', async () => {
    const clock = testClock();
    const many = replayStore(store, { clock, cap: 1_000_000 });
    for (const index of Array.from({ length: 20 }).keys())
      await many.claim(randomUUID(), `nonce-${index}`, clock.now() + 60_000);
    const few = replayStore(store, { clock, cap: 1_000_000, aggregateCap: 10 });
    const owner = new pg.Client({ connectionString: database.ownerUrl });
    await owner.connect();
    await owner.query('analyze signature_nonce');
    await owner.end();
    expect(await few.isFull(randomUUID())).toBe(true);
    expect(await many.isFull(randomUUID())).toBe(false);
  });

  it('never exceed the cap, for any number of simultaneous processes', async () => {
    const clock = testClock();
    const processes = [1, 2, 3].map(() => replayStore(store, { clock, cap: 7 }));
    const keyid = randomUUID();
    const received = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        processes[index % 3]!.claim(keyid, `nonce-${index}`, clock.now() + 60_000),
      ),
    );
    expect(received.filter((one) => one === 'claimed')).toHaveLength(7);
    expect(received.filter((one) => one === 'full')).toHaveLength(23);
    clock.advance(5000);
    expect(await processes[0]!.isFull(keyid)).toBe(true);
    expect(await processes[0]!.isFull(randomUUID())).toBe(false);
  });

  it('are still detected as replays at the cap', async () => {
    const clock = testClock();
    const replays = replayStore(store, { clock, cap: 1 });
    const keyid = randomUUID();
    expect(await replays.claim(keyid, 'a', clock.now() + 60_000)).toBe('claimed');
    expect(await replays.claim(keyid, 'a', clock.now() + 60_000)).toBe('replayed');
    expect(await replays.claim(keyid, 'b', clock.now() + 60_000)).toBe('full');
  });

  it('are deleted only after they expire, which makes room below the cap', async () => {
    const clock = testClock();
    const replays = replayStore(store, { clock, cap: 2 });
    const keyid = randomUUID();
    await replays.claim(keyid, 'short', clock.now() + 1000);
    await replays.claim(keyid, 'long', clock.now() + 60_000);
    expect(await replays.claim(keyid, 'more', clock.now() + 60_000)).toBe('full');
    clock.advance(1001);
    expect(await replays.purge()).toBeGreaterThanOrEqual(1);
    expect(await replays.claim(keyid, 'long', clock.now() + 60_000)).toBe('replayed');
    expect(await replays.claim(keyid, 'more', clock.now() + 60_000)).toBe('claimed');
  });

  it('are counted even if other processes claimed most of them', async () => {
    const clock = testClock();
    const [one, two] = [
      replayStore(store, { clock, cap: 10_000 }),
      replayStore(store, { clock, cap: 10_000 }),
    ];
    const keyid = randomUUID();
    expect(await one.isFull(keyid)).toBe(false);
    await store.pool.query(
      `insert into signature_nonce (keyid, nonce, expires_at)
       select $1, 'n' || i, now() + interval '1 hour' from generate_series(1, 9999) as i`,
      [keyid],
    );
    clock.advance(5000);
    expect(await two.claim(keyid, 'last', clock.now() + 60_000)).toBe('claimed');
    expect(await one.claim(keyid, 'beyond', clock.now() + 60_000)).toBe('full');
    clock.advance(5000);
    expect(await one.isFull(keyid)).toBe(true);
  });
});
