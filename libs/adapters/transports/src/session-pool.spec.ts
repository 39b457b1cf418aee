import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { SellerTarget } from '@switchyard/sellers';
import { testClock } from '@switchyard/testing';
import { err, ok, Secret } from '@switchyard/values';
import type { Wires } from './exchange.js';
import { failureOf } from './failure.js';
import { SessionPool, type OpenSession } from './session-pool.js';
import type { SellerSession } from './session.js';

const never = new AbortController().signal;
const wires = { connectTimeoutMs: 1_000 } as Wires;
const textOf = (target: SellerTarget | undefined) => target?.credential?.secret.useText((text) => text);
const wiped = '\0'.repeat('token'.length);

function targetOf(version = 1): SellerTarget {
  const secret = new Secret(Buffer.from('token'));
  return {
    organizationId: 'acme',
    connectionId: 'connection',
    agentUrl: 'https://seller.example/mcp',
    protocol: 'mcp',
    dialect: 'ads',
    credential: { id: 'credential', version, scheme: 'bearer', secret },
  };
}

/** Sessions that note what they were opened, called and closed with, as it read at that moment. */
function pool() {
  const targets: SellerTarget[] = [];
  const called: SellerTarget[] = [];
  const events: string[] = [];
  const state: { opens: boolean; until?: Promise<void> } = { opens: true };
  const session: SellerSession = {
    isDead: false,
    call: async (target) => {
      events.push(`call ${textOf(target)}`);
      called.push(target);
      await state.until;
      return ok({ payload: {}, isError: false });
    },
    listTools: () => Promise.resolve(ok({})),
    lane: () => err(failureOf('protocol_error', 'no')),
    close: (target) => {
      events.push(`close ${textOf(target)}`);
      return Promise.resolve();
    },
  };
  const open: OpenSession = async (target) => {
    targets.push(target);
    await Promise.resolve();
    events.push(`open ${textOf(target)}`);
    return state.opens ? ok(session) : err(failureOf('unreachable', 'no'));
  };
  const clock = testClock();
  return { pool: new SessionPool(open, wires, clock), targets, called, events, state, clock };
}

describe('the secrets of warm sessions', () => {
  it('belong to the pool: a caller may wipe its own copy at any time, and they are wiped when the session ends', async () => {
    const { pool: sessions, targets, events } = pool();
    const own = targetOf();
    const opening = sessions.session(own, never);
    own.credential?.secret.wipe();
    const opened = await opening;
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.call(own, { tool: 'get_products', args: {} }, never);
    expect(textOf(targets[0])).toBe('token');
    await sessions.close();
    expect(events).toEqual(['open token', 'call token', 'close token']);
    expect(textOf(targets[0])).toBe(wiped);
  });

  it('are wiped after a minute, with a session that was unused since', async () => {
    const { pool: sessions, targets, events, clock } = pool();
    await sessions.session(targetOf(), never);
    clock.advance(60_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['open token', 'close token']);
    expect(textOf(targets[0])).toBe(wiped);
    const again = await sessions.session(targetOf(), never);
    expect(again.ok).toBe(true);
    expect(events).toEqual(['open token', 'close token', 'open token']);
  });

  it('are wiped after a minute in a session that is always in use, which continues with those of its callers', async () => {
    const { pool: sessions, events, clock, targets, called } = pool();
    for (let second = 0; second < 300; second += 10) {
      const opened = await sessions.session(targetOf(), never);
      if (!opened.ok) throw new Error(opened.error.message);
      await opened.value.call(targetOf(), { tool: 'get_products', args: {} }, never);
      clock.advance(10_000);
    }
    expect(events.filter((text) => text !== 'call token')).toEqual(['open token']);
    expect(textOf(targets[0])).toBe(wiped);
    const alive = called.filter((target) => textOf(target) !== wiped);
    expect(alive.length).toBeLessThanOrEqual(6);
    expect(new Set(called.map((target) => target.credential?.secret)).size).toBeGreaterThanOrEqual(5);
    await sessions.close();
    expect(called.map(textOf)).toEqual(called.map(() => wiped));
  });

  it('are not wiped during a call that uses them, and are when it has ended', async () => {
    const { pool: sessions, targets, clock, state } = pool();
    const opened = await sessions.session(targetOf(), never);
    if (!opened.ok) throw new Error(opened.error.message);
    let answer = (): void => undefined;
    state.until = new Promise<void>((resolve) => (answer = resolve));
    const call = opened.value.call(targetOf(), { tool: 'get_products', args: {} }, never);
    clock.advance(120_000);
    expect(textOf(targets[0])).toBe('token');
    answer();
    await call;
    clock.advance(15_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(textOf(targets[0])).toBe(wiped);
  });

  it('are wiped when a session does not open, and when another version replaces it', async () => {
    const { pool: sessions, targets, state } = pool();
    state.opens = false;
    expect((await sessions.session(targetOf(), never)).ok).toBe(false);
    expect(textOf(targets[0])).toBe(wiped);
    state.opens = true;
    await sessions.session(targetOf(1), never);
    await sessions.session(targetOf(2), never);
    await new Promise((resolve) => setImmediate(resolve));
    expect([textOf(targets[1]), textOf(targets[2])]).toEqual([wiped, 'token']);
    await sessions.forget('connection');
    expect(textOf(targets[2])).toBe(wiped);
  });

  it('are never those of a caller that has disconnected', async () => {
    const { pool: sessions, targets } = pool();
    expect((await sessions.session(targetOf(), AbortSignal.abort())).ok).toBe(false);
    expect(targets).toEqual([]);
  });
});
