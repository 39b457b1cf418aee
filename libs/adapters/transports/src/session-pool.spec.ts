import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { SellerTarget } from '@switchyard/sellers';
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
  const said: string[] = [];
  const session: SellerSession = {
    isDead: false,
    call: (target) => {
      said.push(`call ${textOf(target)}`);
      return Promise.resolve(ok({ payload: {}, isError: false }));
    },
    listTools: () => Promise.resolve(ok({})),
    lane: () => err(failureOf('protocol_error', 'no')),
    close: (target) => {
      said.push(`close ${textOf(target)}`);
      return Promise.resolve();
    },
  };
  const state = { opens: true };
  const open: OpenSession = async (target) => {
    targets.push(target);
    await Promise.resolve();
    said.push(`open ${textOf(target)}`);
    return state.opens ? ok(session) : err(failureOf('unreachable', 'no'));
  };
  return { pool: new SessionPool(open, wires), targets, said, state };
}

describe('the secrets of warm sessions', () => {
  it("are the pool's own: a caller may take its secret back at any time, and they are wiped when the session ends", async () => {
    const { pool: sessions, targets, said } = pool();
    const mine = targetOf();
    const opening = sessions.session(mine, never);
    mine.credential?.secret.wipe();
    const opened = await opening;
    if (!opened.ok) throw new Error(opened.error.message);
    await opened.value.call(mine, { tool: 'get_products', args: {} }, never);
    expect(textOf(targets[0])).toBe('token');
    await sessions.close();
    expect(said).toEqual(['open token', 'call token', 'close token']);
    expect(textOf(targets[0])).toBe(wiped);
  });

  it('are wiped when a session does not open, and when another version takes its place', async () => {
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

  it('are never those of a caller who has left', async () => {
    const { pool: sessions, targets } = pool();
    expect((await sessions.session(targetOf(), AbortSignal.abort())).ok).toBe(false);
    expect(targets).toEqual([]);
  });
});
