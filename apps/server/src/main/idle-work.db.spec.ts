import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueueConnection } from '@switchyard/queue';
import { createConnection, createOrganization } from '@switchyard/testing';
import type { Clock } from '@switchyard/values';
import { specInbox, type SpecInbox } from '../webhooks/testkit/inbox.js';
import { specQueue, specWorkers } from './testkit/workers.js';
import { startBackground, type Background } from './workers.module.js';

/** The cost of idle workers: the number of statements, by the number of tenants. */
let inbox: SpecInbox;
let queue: QueueConnection;
let workers: Background;
/** Pending timers: each idle loop of the workers has one. */
let timers = 0;
let statements = 0;
let loops = 0;

beforeAll(async () => {
  inbox = await specInbox();
  const { store, clock } = inbox;
  const counting: Clock = {
    now: () => clock.now(),
    after: (delayMs, then) => {
      timers += 1;
      const cancel = clock.after(delayMs, () => {
        timers -= 1;
        then();
      });
      return () => {
        timers -= 1;
        cancel();
      };
    },
  };
  store.pool.on('acquire', () => (statements += 1));
  queue = await specQueue(inbox);
  workers = await startBackground(queue, specWorkers(inbox, { ...inbox.deps.ports, clock: counting }));
  while (timers < 2) await turn();
  // The first round of the outbox has begun by itself; from here on every loop waits.
  await rest();
  loops = timers;
});
afterAll(async () => {
  await workers.stop();
  await queue.close();
  await inbox.close();
});

/** Resolves when no statement and no loop is running. */
async function rest(): Promise<void> {
  const { pool } = inbox.store;
  let calm = 0;
  while (calm < 20) {
    await turn();
    calm = pool.idleCount === pool.totalCount && timers >= loops ? calm + 1 : 0;
  }
}

/** Long enough that every job of each second, minute and hour runs. */
async function statementsOfAWhile(): Promise<number> {
  const before = statements;
  const seconds = Array.from({ length: 12 }, () => 1_000);
  for (const ms of [...seconds, 60_000, 60_000, 3_600_000, 1_000]) {
    inbox.clock.advance(ms);
    await rest();
  }
  return statements - before;
}

describe('idle organizations', () => {
  it('cost no statement, for any number of them', async () => {
    // The first poll completes the due work of the suite's own tenant.
    await statementsOfAWhile();
    const few = await statementsOfAWhile();
    for (let made = 0; made < 60; made += 1) {
      const { id } = await createOrganization(inbox.store);
      const at = inbox.clock.now() + 24 * 3_600_000;
      const { id: connectionId, agentUrl } = await createConnection(inbox.store, id);
      await inbox.deps.connections.capabilitiesFailed(
        { organizationId: id },
        { id: connectionId, agentUrl },
        0,
        at,
      );
    }
    expect(few).toBeGreaterThan(24);
    expect(await statementsOfAWhile()).toBe(few);
  });
});
