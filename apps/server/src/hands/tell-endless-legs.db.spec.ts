import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { endlessAfterMs } from '@switchyard/buys';
import { alarmBook, endlessLegs } from '@switchyard/store';
import { openOutboxSpec, type OutboxSpec } from './spec-outbox.js';
import { tellEndlessLegs } from './tell-endless-legs.js';

let spec: OutboxSpec;
beforeAll(async () => {
  spec = await openOutboxSpec();
});
afterAll(() => spec.close());

it('a leg that says submitted for a day is shown to people once, and is followed on', async () => {
  const alarms = alarmBook(spec.store, spec.clock);
  const tell = () =>
    tellEndlessLegs({ endless: endlessLegs(spec.store), alarms }, spec.scope, spec.clock.now());
  const draft = await spec.order([], { sellers: ['acme'], answered: 'submitted' });
  const [leg] = draft.legs;
  await spec.operations.change(spec.scope, leg?.id ?? '', (state) => ({
    ...state,
    operation: { ...state.operation, updatedAt: spec.clock.now() },
    legs: state.legs.map((one) => ({ ...one, status: 'submitted', nextPollAt: spec.clock.now() })),
  }));
  spec.clock.advance(endlessAfterMs - 1);
  expect(await tell()).toBe(0);
  spec.clock.advance(2);
  expect(await tell()).toBe(1);
  await tell();
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
