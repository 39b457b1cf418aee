import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Connection } from '@switchyard/sellers';
import type { TokenMatch } from '@switchyard/tenancy';
import { testClock, type TestClock } from '@switchyard/testing';
import { ok } from '@switchyard/values';
import { createKnownPaths, type KnownPaths, type KnownPathsDeps } from './known-paths.js';

const hash = randomBytes(32);
const scope = { organizationId: randomUUID() };
let clock: TestClock;
let paths: KnownPaths;
let match: TokenMatch | undefined;
let order: string[];
let failures: unknown[];

beforeEach(() => {
  clock = testClock();
  order = [];
  failures = [];
  match = {
    principal: { id: randomUUID(), organizationId: scope.organizationId, permissions: {} },
    token: { id: randomUUID(), expiresAt: clock.now() + 3_600_000 },
  } as unknown as TokenMatch;
  const noting = <T>(what: string, value: () => T): Promise<T> => {
    order.push(what);
    return Promise.resolve(value());
  };
  const connection = { id: randomUUID(), slug: 'acme' } as Connection;
  const log = {
    pathMark: () => noting('mark', () => `mark ${String(order.length)}`),
    delegationsOf: () => noting('delegations', () => []),
  } as unknown as KnownPathsDeps['log'];
  paths = createKnownPaths({
    clock,
    log,
    principals: { findByTokenHash: () => noting('token', () => match) },
    connections: { bySlug: () => noting('connection', () => connection) },
    vault: { sealed: () => Promise.resolve(ok([])) },
    domainOf: () => Promise.resolve(undefined),
    onUnexpected: (error) => failures.push(error),
  });
});

describe('a known path', () => {
  it('is read after its mark, so that a change in between leaves an outdated mark', async () => {
    paths.learn(hash, 'acme');
    await paths.settled();
    const after = order.slice(order.indexOf('mark') + 1);
    expect(after).toEqual(['token', 'connection', 'delegations']);
    expect(paths.find(hash, 'acme')?.match).toBe(match);
  });

  it('belongs to one token and one seller', async () => {
    paths.learn(hash, 'acme');
    await paths.settled();
    expect(paths.find(hash, 'globex')).toBeUndefined();
    expect(paths.find(randomBytes(32), 'acme')).toBeUndefined();
  });

  it('is removed on request, after a minute, and when its token is gone', async () => {
    const learned = async (): Promise<unknown> => {
      paths.learn(hash, 'acme');
      await paths.settled();
      return paths.find(hash, 'acme');
    };
    expect(await learned()).toBeDefined();
    paths.forget(hash, 'acme');
    expect(paths.find(hash, 'acme')).toBeUndefined();
    expect(await learned()).toBeDefined();
    clock.advance(60_000);
    expect(paths.find(hash, 'acme')).toBeUndefined();
    await paths.settled();
    match = undefined;
    expect(await learned()).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it('is read again in the background while it is still valid', async () => {
    paths.learn(hash, 'acme');
    await paths.settled();
    const first = paths.find(hash, 'acme');
    clock.advance(40_000);
    expect(paths.find(hash, 'acme')).toBe(first);
    await paths.settled();
    clock.advance(40_000);
    expect(paths.find(hash, 'acme')?.mark).not.toBe(first?.mark);
  });
});
