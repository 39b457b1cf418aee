import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { StoredAnswer } from '@switchyard/fanout';
import { createScope, openTestStore, testClock } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { answerCache } from './answer-cache.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const halfAnHour = 30 * 60_000;

async function tenant() {
  return { scope: await createScope(store), cache: answerCache(store) };
}

function answerUntil(expiresAt: number, principalId?: string): StoredAnswer {
  return {
    id: randomUUID(),
    task: 'get_products',
    requestHash: 'a'.repeat(64),
    answer: '{"status":"completed","payload":{"b":1,"a":0.10}}',
    cursorKey: randomBytes(32),
    expiresAt,
    ...(principalId === undefined ? {} : { principalId }),
  };
}

describe('a cached answer', () => {
  it('is returned as stored, byte for byte, with and without an owner', async () => {
    const { scope, cache } = await tenant();
    const now = testClock().now();
    const owned = answerUntil(now + halfAnHour, randomUUID());
    const open = answerUntil(now + halfAnHour);
    await cache.store(scope, owned, now);
    await cache.store(scope, open, now);
    const found = await cache.find(scope, owned.id, now);
    expect(found).toEqual({ ...owned, cursorKey: expect.anything() as unknown });
    expect(Buffer.from(found?.cursorKey ?? []).equals(Buffer.from(owned.cursorKey))).toBe(true);
    expect(await cache.find(scope, open.id, now)).not.toHaveProperty('principalId');
  });

  it('of another tenant is not found', async () => {
    const [one, other] = [await tenant(), await tenant()];
    const now = testClock().now();
    const stored = answerUntil(now + halfAnHour);
    await one.cache.store(one.scope, stored, now);
    expect(await other.cache.find(other.scope, stored.id, now)).toBeUndefined();
    expect(await other.cache.find(other.scope, randomUUID(), now)).toBeUndefined();
    expect(await one.cache.find(one.scope, stored.id, now)).toBeDefined();
  });

  it('is found until it expires', async () => {
    const { scope, cache } = await tenant();
    const clock = testClock();
    const stored = answerUntil(clock.now() + halfAnHour);
    await cache.store(scope, stored, clock.now());
    clock.advance(halfAnHour - 1);
    expect(await cache.find(scope, stored.id, clock.now())).toBeDefined();
    clock.advance(1);
    expect(await cache.find(scope, stored.id, clock.now())).toBeUndefined();
  });

  it('is claimed by one of many at once, by nobody until it expires, and by one after that', async () => {
    const { scope, cache } = await tenant();
    const clock = testClock();
    const stored = answerUntil(clock.now() + halfAnHour);
    const claims = async () => {
      const copies = Array.from({ length: 8 }, () => ({ ...stored, expiresAt: clock.now() + halfAnHour }));
      const done = await Promise.all(copies.map((copy) => cache.claim(scope, copy, clock.now())));
      return done.filter(Boolean).length;
    };
    expect([await claims(), await claims()]).toEqual([1, 0]);
    await cache.store(scope, { ...stored, answer: '{"done":true}' }, clock.now());
    expect([await claims(), (await cache.find(scope, stored.id, clock.now()))?.answer]).toEqual([
      0,
      '{"done":true}',
    ]);
    clock.advance(halfAnHour);
    expect([await claims(), await claims()]).toEqual([1, 0]);
  });

  it('is deleted with the next one of its tenant, unlike those of other tenants', async () => {
    const [one, other] = [await tenant(), await tenant()];
    const clock = testClock();
    const [old, theirs] = [answerUntil(clock.now() + 1), answerUntil(clock.now() + 1)];
    await one.cache.store(one.scope, old, clock.now());
    await other.cache.store(other.scope, theirs, clock.now());
    const before = clock.now();
    clock.advance(halfAnHour);
    const next = answerUntil(clock.now() + halfAnHour);
    await one.cache.store(one.scope, next, clock.now());
    // Read as of a time before its expiry: if it is missing then, it was deleted.
    expect(await one.cache.find(one.scope, old.id, before)).toBeUndefined();
    expect(await one.cache.find(one.scope, next.id, clock.now())).toBeDefined();
    expect(await other.cache.find(other.scope, theirs.id, before)).toBeDefined();
  });
});
