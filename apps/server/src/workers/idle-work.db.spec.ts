import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueueConnection } from '@switchyard/queue';
import { createConnection, createOrganization } from '@switchyard/testing';
import type { Clock } from '@switchyard/values';
import { specInbox, type SpecInbox } from './testkit/inbox.js';
import { specQueue, specWorkers } from './testkit/workers.js';
import { startBackground, type Background } from './workers.module.js';

/** What the workers cost while nobody has anything to do: by the number of statements, and of tenants. */
let inbox: SpecInbox;
let queue: QueueConnection;
let workers: Background;
/** Timers that wait for their time: each loop of the workers has one whenever it is at rest. */
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
  workers = await startBackground(queue, specWorkers(inbox, { ...inbox.parts.ports, clock: counting }));
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

/** Until no statement is under way and no loop works. */
async function rest(): Promise<void> {
  const { pool } = inbox.store;
  let calm = 0;
  while (calm < 20) {
    await turn();
    calm = pool.idleCount === pool.totalCount && timers >= loops ? calm + 1 : 0;
  }
}

/** Everything that is done each second, minute and hour comes round in it. */
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
    // What the first poll finds of the specs' own tenant is done with.
    await statementsOfAWhile();
    const few = await statementsOfAWhile();
    for (let made = 0; made < 60; made += 1) {
      const { id } = await createOrganization(inbox.store);
      const at = inbox.clock.now() + 24 * 3_600_000;
      const { id: connectionId, agentUrl } = await createConnection(inbox.store, id);
      await inbox.parts.connections.capabilitiesFailed(
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
