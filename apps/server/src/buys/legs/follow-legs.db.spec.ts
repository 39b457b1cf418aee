import { afterAll, describe, expect, it } from '@jest/globals';
import { ok } from '@switchyard/values';
import { specInbox, type SpecSeller } from '../../webhooks/testkit/inbox.js';
import { createLegFollower } from './follow-legs.js';

const inbox = await specInbox();
afterAll(() => inbox.close());

/** Makes the seller's task due for a poll. */
async function submit({ legId }: SpecSeller): Promise<void> {
  await inbox.deps.ports.store.change(inbox.scope, legId, (state) => ({
    ...state,
    legs: state.legs.map((leg) => ({
      ...leg,
      status: 'submitted',
      sellerTaskId: 'task_1',
      nextPollAt: inbox.clock.now(),
    })),
  }));
}

/** Resolves when the condition holds, in a later turn of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}

describe('following unfinished legs', () => {
  it('does not let a seller that never answers delay the legs at other sellers', async () => {
    const hanging = await inbox.seller();
    const polled: string[] = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { ports } = inbox.deps;
    const follower = createLegFollower({
      ...inbox.deps,
      ports: {
        ...ports,
        transport: {
          ...ports.transport,
          call: async ({ connectionId }) => {
            polled.push(connectionId);
            if (connectionId === hanging.connection.id) await released;
            return ok({ payload: { status: 'working' }, isError: false });
          },
        },
      },
    });
    const visit = async (): Promise<void> => {
      const before = polled.length;
      const visited = follower.visit(inbox.scope);
      await until(() => polled.length > before);
      inbox.clock.advance(1_000);
      await visited;
    };
    await submit(hanging);
    await visit();
    const answering = await inbox.seller();
    await submit(answering);
    await visit();
    expect(polled).toEqual([hanging.connection.id, answering.connection.id]);
    release();
    await follower.stop();
    await submit(hanging);
    await visit();
    expect(polled.slice(2)).toEqual([hanging.connection.id]);
  });
});
