import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ReadPorts } from '@switchyard/buys';
import { activationRepository, creativeStore } from '@switchyard/store';
import { createConnection, makeOperation } from '@switchyard/testing';
import { err, ok, Secret } from '@switchyard/values';
import { specInbox } from '../../webhooks/testkit/inbox.js';
import { specQueue, specWorkers } from '../../main/testkit/workers.js';
import { startBackground } from '../../main/workers.module.js';

const inbox = await specInbox();
afterAll(() => inbox.close());

/** A pending activation at a signals agent, which is polled. */
async function activating(): Promise<void> {
  const { id: connectionId } = await createConnection(inbox.store, inbox.scope.organizationId, {
    form: '3.1',
    kinds: ['signals'],
  });
  const observedAt = inbox.clock.now();
  const target = { type: 'platform', platform: 'dsp' } as const;
  const open = { connectionId, segmentId: 'coffee', target, state: 'activating', observedAt } as const;
  await activationRepository(inbox.store).store(inbox.scope, [{ ...open, nextPollAt: observedAt }]);
}

/** A creative without a decision, whose seller is polled now. */
async function undecided(): Promise<void> {
  const { id: connectionId, slug } = await createConnection(inbox.store, inbox.scope.organizationId);
  const at = inbox.clock.now() - 60_000;
  const options = { sellers: [slug], connectionIds: { [slug]: connectionId }, createdAt: at };
  const made = makeOperation(inbox.scope, options);
  const original = { form: '3.1', value: {} } as const;
  const creative = { creativeId: randomUUID(), assets: {}, tags: [], original };
  const { creativeId } = creative;
  const legId = made.legs[0]?.id ?? '';
  await inbox.deps.ports.store.begin(inbox.scope, {
    ...made,
    legs: [],
    registrations: [],
    sellerBuys: [],
    packages: [],
    creatives: {
      creatives: [{ creative, bodyHash: 'h' }],
      placements: [{ creativeId, connectionId, seller: slug, legId }],
      archived: [],
    },
  });
  const seen = { creativeId, connectionId, seller: slug, source: 'inline', isAccepted: true } as const;
  await creativeStore(inbox.store).observe(inbox.scope, [{ ...seen, status: 'pending_review' }], at);
}

describe('the workers', () => {
  it('poll a task while signals agents and creative sellers do not answer, and stop without waiting for them', async () => {
    await activating();
    await undecided();
    const seller = await inbox.seller();
    const requested = new Set<string>();
    const hanging: AbortSignal[] = [];
    const received: (() => void)[] = [];
    const until = (what: () => boolean): Promise<void> =>
      what()
        ? Promise.resolve()
        : new Promise<void>((resolve) => received.push(resolve)).then(() => until(what));
    const ports: ReadPorts = {
      ...inbox.deps.ports,
      activations: activationRepository(inbox.store),
      lease: (_scope, connections) => {
        const secrets = { keySecret: new Secret(Buffer.alloc(32, 7)) };
        return Promise.resolve(ok(new Map(connections.map(({ id }) => [id, secrets]))));
      },
      transport: {
        ...inbox.deps.ports.transport,
        call: (_target, { tool }, signal) => {
          requested.add(tool);
          const failed = err({ code: 'unreachable', delivered: 'no', message: 'Nobody is there.' } as const);
          const isSilent = tool === 'get_signals' || tool === 'list_creatives';
          if (isSilent) hanging.push(signal);
          for (const notify of received.splice(0)) notify();
          if (!isSilent) return Promise.resolve(failed);
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => resolve(failed), { once: true });
          });
        },
      },
    };
    const queue = await specQueue(inbox);
    const workers = await startBackground(queue, specWorkers(inbox, ports));
    inbox.clock.advance(1_000);
    await until(() => hanging.length === 2);
    requested.delete('tasks/get');
    // The previous visit may still postpone the leg, so it is made due until it has been polled.
    while (!requested.has('tasks/get')) {
      const { store } = inbox.deps.ports;
      const leg = await store.leg(inbox.scope, seller.legId);
      await store.releaseLeg(inbox.scope, leg!, inbox.clock.now());
      inbox.clock.advance(1_000);
    }
    expect([...requested].sort()).toEqual(['get_signals', 'list_creatives', 'tasks/get']);
    await workers.stop();
    await queue.close();
    expect(hanging.every(({ aborted }) => aborted)).toBe(true);
  });
});
