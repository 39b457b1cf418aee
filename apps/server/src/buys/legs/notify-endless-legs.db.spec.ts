import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { endlessAfterMs } from '@switchyard/buys';
import { alarmRepository, endlessLegs } from '@switchyard/store';
import { openOutboxSpec, type OutboxSpec } from '../../webhooks/testkit/outbox.js';
import { notifyEndlessLegs } from '../../main/scheduled-jobs.js';

let spec: OutboxSpec;
beforeAll(async () => {
  spec = await openOutboxSpec();
});
afterAll(() => spec.close());

it('a leg that is submitted for a day is shown to people once, and still polled', async () => {
  const alarms = alarmRepository(spec.store, spec.clock);
  const notify = () =>
    notifyEndlessLegs({ endless: endlessLegs(spec.store), alarms }, spec.scope, spec.clock.now());
  const draft = await spec.order([], { sellers: ['acme'], answered: 'submitted' });
  const [leg] = draft.legs;
  await spec.operations.change(spec.scope, leg?.id ?? '', (state) => ({
    ...state,
    operation: { ...state.operation, updatedAt: spec.clock.now() },
    legs: state.legs.map((item) => ({ ...item, status: 'submitted', nextPollAt: spec.clock.now() })),
  }));
  spec.clock.advance(endlessAfterMs - 1);
  expect(await notify()).toBe(0);
  spec.clock.advance(2);
  expect(await notify()).toBe(1);
  await notify();
  expect(await alarms.list(spec.scope, { isOpen: true })).toMatchObject([
    {
      kind: 'leg_without_outcome',
      subject: leg?.id,
      count: 2,
      detail: { seller: 'acme', status: 'submitted' },
    },
  ]);
  expect(await spec.operations.dueLegs(spec.scope, spec.clock.now(), 10)).toMatchObject([{ id: leg?.id }]);
});

it.each([
  ['create_media_buy', 24],
  ['update_media_buy', 12],
  ['sync_creatives', 48],
  ['activate_signal', 24],
])('people are notified of %s after %i hours', async (task, hours) => {
  const received = new Set<string>();
  const alarms = {
    raise: (_scope: unknown, { subject }: { readonly subject: string }) => {
      received.add(subject);
      return Promise.resolve('raised' as const);
    },
  };
  const [leg] = (await spec.order([], { sellers: ['acme'], answered: 'submitted' })).legs;
  const id = leg?.id ?? '';
  await spec.store.inTenant(spec.scope, (client) =>
    client.query(`update leg set status = 'submitted', task = $2, created_at = $3 where id = $1`, [
      id,
      task,
      new Date(spec.clock.now()),
    ]),
  );
  const notify = () =>
    notifyEndlessLegs({ endless: endlessLegs(spec.store), alarms }, spec.scope, spec.clock.now());
  spec.clock.advance(hours * 3_600_000 - 1);
  await notify();
  expect(received.has(id)).toBe(false);
  spec.clock.advance(2);
  await notify();
  expect(received.has(id)).toBe(true);
});
