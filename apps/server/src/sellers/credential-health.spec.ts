import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { memoryCredentialStore, testClock } from '@switchyard/testing';
import { Secret } from '@switchyard/values';
import type { SellerTarget } from '@switchyard/sellers';
import type { CountedCalls } from '@switchyard/vault';
import { credentialHealth } from './credential-health.js';

const organizationId = randomUUID();

function target(id: string): SellerTarget {
  return {
    organizationId,
    connectionId: randomUUID(),
    agentUrl: 'https://seller.example/mcp',
    protocol: 'mcp',
    dialect: 'ads',
    credential: { id, version: 1, scheme: 'bearer', secret: new Secret(randomBytes(8)) },
  };
}

function open() {
  const store = memoryCredentialStore();
  const [clock, written] = [testClock(), new Array<readonly CountedCalls[]>()];
  const vault = {
    noteError: (...noted: Parameters<typeof store.noteError>) => store.noteError(...noted),
    settle: () => Promise.resolve('ignored' as const).then((value) => ({ ok: true as const, value })),
    count: (scope: { organizationId: string }, counted: readonly CountedCalls[]) => {
      written.push(counted.map((one) => ({ ...one })));
      return store.count(scope, counted);
    },
  };
  const onUnexpected = (error: unknown): never => {
    throw error;
  };
  return { clock, written, health: credentialHealth({ vault: () => vault, clock, onUnexpected }) };
}

describe('what sellers say of our credentials', () => {
  it('is counted for all credentials of an organization in one statement', async () => {
    const { clock, written, health } = open();
    const targets = Array.from({ length: 50 }, () => target(randomUUID()));
    for (const one of [...targets, ...targets]) health.judged(one);
    clock.advance(2_000);
    await health.settled();
    expect(written.map((counted) => counted.length)).toEqual([50]);
    expect(written[0]?.every(({ uses, clearsError }) => uses === 2 && clearsError)).toBe(true);
  });

  it('keeps a refusal that follows a call which was accepted', async () => {
    const { written, health } = open();
    const one = target(randomUUID());
    health.judged(one);
    health.judged(one, 401);
    await health.settled();
    expect(written.flat()).toMatchObject([{ uses: 2, refusals: 1, clearsError: false }]);
  });
});
