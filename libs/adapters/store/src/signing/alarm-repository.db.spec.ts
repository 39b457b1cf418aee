import { afterAll, describe, expect, it } from '@jest/globals';
import { createScope, openTestStore, testClock } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { alarmRepository } from './alarm-repository.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const change = {
  kind: 'jwks_uri_changed',
  subject: 'seller acme',
  detail: { known: 'https://a.example/', named: 'https://b.example/' },
} as const;

async function tenant() {
  const clock = testClock();
  const scope = await createScope(store);
  return { clock, scope, book: alarmRepository(store, clock) };
}

describe('an alarm', () => {
  it('is one row for any number of simultaneous processes, and counts repetitions', async () => {
    const { clock, scope, book } = await tenant();
    const received = await Promise.all(Array.from({ length: 12 }, () => book.raise(scope, change)));
    expect(received.filter((one) => one === 'raised')).toHaveLength(1);
    expect(received.filter((one) => one === 'counted')).toHaveLength(11);
    clock.advance(1000);
    await book.raise(scope, { ...change, detail: { ...change.detail, named: 'https://c.example/' } });
    const [only, ...rest] = await book.list(scope, {});
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ count: 13, detail: { named: 'https://c.example/' } });
    expect((only?.lastAt ?? 0) - (only?.firstAt ?? 0)).toBe(1000);
  });

  it('is acknowledged once, with a principal and a reason', async () => {
    const { scope, book } = await tenant();
    await book.raise(scope, change);
    const [open] = await book.list(scope, { isOpen: true });
    const id = open?.id ?? '';
    const received = await Promise.all(
      ['ann', 'bob'].map((by) => book.acknowledge(scope, id, by, 'called them')),
    );
    expect(received.filter(Boolean)).toHaveLength(1);
    expect(await book.list(scope, { isOpen: true })).toEqual([]);
    expect((await book.find(scope, id))?.acknowledged).toMatchObject({ reason: 'called them' });
    expect(await book.list(scope, { isOpen: false })).toHaveLength(1);
  });

  it('that was acknowledged is not raised again for a day with the same content', async () => {
    const { clock, scope, book } = await tenant();
    await book.raise(scope, change);
    const [open] = await book.list(scope, { isOpen: true });
    await book.acknowledge(scope, open?.id ?? '', 'ann', 'known');
    expect(await book.raise(scope, change)).toBe('quiet');
    const other = { ...change, detail: { ...change.detail, named: 'https://evil.example/' } };
    expect(await book.raise(scope, other)).toBe('raised');
    expect(await book.raise(scope, change)).toBe('counted');
    const [again] = await book.list(scope, { isOpen: true });
    await book.acknowledge(scope, again?.id ?? '', 'ann', 'known');
    clock.advance(24 * 3_600_000 + 1);
    expect(await book.raise(scope, change)).toBe('raised');
  });

  it('belongs to one tenant: another neither sees nor acknowledges it, and invalid ids find nothing', async () => {
    const [one, other] = [await tenant(), await tenant()];
    await one.book.raise(one.scope, change);
    const [open] = await one.book.list(one.scope, {});
    expect(await other.book.list(other.scope, {})).toEqual([]);
    expect(await other.book.find(other.scope, open?.id ?? '')).toBeUndefined();
    expect(await other.book.acknowledge(other.scope, open?.id ?? '', 'eve', 'x')).toBe(false);
    expect(await one.book.find(one.scope, "'; --")).toBeUndefined();
    expect(await one.book.acknowledge(one.scope, 'nothing', 'eve', 'x')).toBe(false);
  });
});
