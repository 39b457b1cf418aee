import { describe, expect, it } from '@jest/globals';
import { openSignalsHarness, type SignalsHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { activateSignal } from '../activate/activate-signal.js';
import { storeObservation } from '../run/store-observation.js';

const atAcme = { type: 'agent', agent_url: 'https://acme.example/mcp' };
const key = { type: 'segment_id', segment_id: 'seg-at-acme' };
const live = { deployments: [{ ...atAcme, is_live: true, activation_key: key }] };
const begun = (minutes?: number): JsonObject => ({
  status: 'submitted',
  task_id: 't1',
  deployments: [
    {
      ...atAcme,
      is_live: false,
      ...(minutes === undefined ? {} : { estimated_activation_duration_minutes: minutes }),
    },
  ],
});

/** Lets a second of the harness's time pass, and everything that falls due in it happen. */
async function second(here: SignalsHarness): Promise<void> {
  for (let part = 0; part < 8; part += 1) {
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    here.harness.clock.advance(125);
  }
}

async function open(minutes?: number) {
  const here = await openSignalsHarness();
  here.harness.seller('data').fate('activate_signal', { says: begun(minutes) });
  const state = { isAnswered: false };
  const requested = activateSignal(here.ports, here.request());
  void requested.then(() => {
    state.isAnswered = true;
  });
  const answer = async () => {
    const done = await requested;
    return done.ok ? done.value.state : undefined;
  };
  return { here, state, answer };
}

describe('an activation that takes time', () => {
  it.each([undefined, 1])(
    'is answered as live if a webhook reports it within the deadline, with an estimate of %s minutes',
    async (minutes) => {
      const { here, state, answer } = await open(minutes);
      await second(here);
      expect(state.isAnswered).toBe(false);
      const [leg] = [
        ...(await here.harness.store.dueLegs(here.harness.scope, here.harness.clock.now() + 900_000, 9)),
      ];
      const reply = { status: 'completed' as const, replayed: false, payload: live, errors: [] };
      await storeObservation(here.ports, here.harness.scope, leg!, {
        source: 'webhook',
        at: here.harness.clock.now(),
        reply,
      });
      await second(here);
      expect(state.isAnswered).toBe(true);
      const done = await answer();
      expect(done?.operation.status).toBe('completed');
      expect(done?.legs[0]?.answer).toEqual(live);
    },
  );

  it('is answered as live by a poll of ours, without a webhook', async () => {
    const { here, answer } = await open(1);
    here.harness.seller('data').fate('tasks/get', {
      says: { task_id: 't1', task_type: 'activate_signal', status: 'completed', result: live },
    });
    for (let passed = 0; passed < 4; passed += 1) await second(here);
    expect((await answer())?.operation.status).toBe('completed');
  });

  it('is answered as submitted at the deadline, with its agent’s report on each deployment', async () => {
    const { here, state, answer } = await open(1);
    for (let passed = 0; passed < 14; passed += 1) await second(here);
    expect(state.isAnswered).toBe(false);
    for (let passed = 0; passed < 2; passed += 1) await second(here);
    const done = await answer();
    expect(done?.operation.status).toBe('submitted');
    expect(done?.legs[0]?.answer).toMatchObject({ deployments: [{ is_live: false }] });
  });

  it('is not awaited if its agent needs more time than any buyer waits', async () => {
    const { answer } = await open(2);
    expect((await answer())?.operation.status).toBe('submitted');
  });
});
