import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import type { JobQueue } from '@switchyard/queue';
import {
  abandonedWork,
  alarmRepository,
  callbackSecretsPurge,
  creativeStore,
  endlessLegs,
  inboxPurge,
  oldReads,
  operationStore,
  outboxPurge,
  outboxStore,
  platformKeyStore,
  refusedSignatures,
  relayLog,
  replayStore,
  reportStreams,
} from '@switchyard/store';
import { createConnection, createOrganization } from '@switchyard/testing';
import { err, ok, type Clock } from '@switchyard/values';
import { createPlatformKeys } from '../composition/keys/platform-keys.js';
import type { DispatchDeps } from './outbox/dispatch-events.js';
import { specInbox, type SpecInbox } from './testkit/inbox.js';
import { startWorkers, type Workers } from './workers.js';

/** What the workers cost while nobody has anything to do: by the number of statements, and of tenants. */
const quiet: JobQueue = {
  wake: () => Promise.resolve(ok(undefined)),
  handle: () => Promise.resolve(ok(undefined)),
  depths: () => Promise.resolve(ok([])),
  close: () => Promise.resolve(),
};

const none = () => Promise.resolve(err({ code: 'key_unavailable' as const, message: 'No key service.' }));

let inbox: SpecInbox;
let workers: Workers;
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
  const hands = {
    ...inbox.parts,
    ports: { ...inbox.parts.ports, clock: counting },
    creatives: creativeStore(store),
    abandoned: abandonedWork(store),
    nonces: replayStore(store, { clock, cap: 10 }),
    ownKeys: createPlatformKeys({
      store: platformKeyStore(store),
      vault: inbox.vault,
      service: { publicKey: none, sign: none },
      clock,
      randomBytes,
      times: { wait: 0, retire: 0 },
    }),
    reads: oldReads(store),
    callbackSecrets: callbackSecretsPurge(store),
    refusals: refusedSignatures(store),
    alarms: alarmRepository(store, clock),
    endless: endlessLegs(store),
    purge: inboxPurge(store),
    keepBytesMs: 1,
    outboxPurge: outboxPurge(store),
    keepActivityMs: 1,
  };
  const custody = {
    log: relayLog(store),
    store: operationStore(store),
    clock: counting,
    keyidOf: () => Promise.resolve(undefined),
    openForMs: 60_000,
    isAlone: false,
  };
  const dispatch = {
    outbox: outboxStore(store),
    streams: reportStreams(store),
    due: inbox.parts.due,
    egress: createEgress({ allowLoopback: true }),
    signerFor: none,
    openCallback: none,
    clock: counting,
    ids: { uuid: randomUUID },
    random: () => 0.5,
    onUnexpected: inbox.parts.onUnexpected,
  } as unknown as DispatchDeps;
  store.pool.on('acquire', () => (statements += 1));
  workers = await startWorkers({ hands, dispatch, custody }, quiet, { workers: 4, stopWithinMs: 60_000 });
  while (timers < 2) await turn();
  // The first round of the outbox has begun by itself; from here on every loop waits.
  await rest();
  loops = timers;
});
afterAll(async () => {
  await workers.stop();
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
  it('cost no statement, however many there are', async () => {
    // What the first look finds of the specs' own tenant is done with.
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
