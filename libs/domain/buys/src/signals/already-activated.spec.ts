import { describe, expect, it } from '@jest/globals';
import type { SellerReply, TaskError } from '@switchyard/protocol';
import { openSignalsHarness, type SignalsHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import type { OperationState } from '../model/operation-state.js';
import { activateSignal } from '../activate/activate-signal.js';
import { storeObservation } from '../run/store-observation.js';

const atAcme = { type: 'agent', agent_url: 'https://acme.example/mcp' };
const key = { type: 'segment_id', segment_id: 'seg-at-acme' };
const live = { ...atAcme, is_live: true, activation_key: key };
const refusal = (details?: JsonObject): JsonObject => ({
  code: 'ALREADY_ACTIVATED',
  message: 'It is live there.',
  ...(details === undefined ? {} : { details }),
});
const shows = (deployments: JsonObject[]): { says: JsonObject } => ({
  says: { signals: [{ signal_agent_segment_id: 'coffee', name: 'Coffee', deployments }] },
});

async function activated(here: SignalsHarness): Promise<OperationState> {
  const done = must(await activateSignal(here.ports, here.request()));
  return done.state;
}

const rows = (here: SignalsHarness) =>
  here.book.of(here.harness.scope, [
    { connectionId: here.harness.connection('data').id, segmentId: 'coffee' },
  ]);

describe('a signal that its agent reports as already activated', () => {
  it.each(['3.1', '2.5', 'service'] as const)(
    'is a success with the key that the agent then shows, in %s',
    async (form) => {
      const here = await openSignalsHarness(form);
      const agent = here.harness.seller('data');
      agent.fate('activate_signal', { says: { errors: [refusal()] } });
      agent.fate('get_signals', shows([live]));
      const { operation, legs } = await activated(here);
      expect(operation.status).toBe('completed');
      expect(legs[0]).toMatchObject({ status: 'completed', errors: [] });
      expect(legs[0]?.answer).toMatchObject({ deployments: [live], errors: [{ code: 'ALREADY_ACTIVATED' }] });
      expect(await rows(here)).toMatchObject([{ state: 'live', key: { segmentId: 'seg-at-acme' } }]);
    },
  );

  it.each([
    ['as a list', { deployments: [live] }],
    ['as one place', { deployment: { is_live: true, activation_key: key } }],
    ['in its own members', { is_live: true, activation_key: key }],
  ])('is read from the refusal itself, %s', async (_how, details) => {
    const here = await openSignalsHarness();
    here.harness.seller('data').fate('activate_signal', { says: { errors: [refusal(details)] } });
    const { legs } = await activated(here);
    expect(legs[0]?.answer).toMatchObject({ deployments: [live] });
    expect(await rows(here)).toMatchObject([{ state: 'live', key: { segmentId: 'seg-at-acme' } }]);
  });

  it('is not live without its key, and its agent is polled again within a minute', async () => {
    const here = await openSignalsHarness();
    here.harness.seller('data').fate('activate_signal', { says: { errors: [refusal()] } });
    const { operation, legs } = await activated(here);
    expect(operation.status).toBe('completed');
    expect(legs[0]?.answer).toMatchObject({ deployments: [{ ...atAcme, is_live: false }] });
    const due = await here.book.due(here.harness.scope, here.harness.clock.now() + 60_000, 9);
    expect(due).toMatchObject([{ state: 'activating' }]);
  });

  it('fails if the agent has another reason as well', async () => {
    const here = await openSignalsHarness();
    const unauthorized = { code: 'DEPLOYMENT_UNAUTHORIZED', message: 'Not there.' };
    here.harness.seller('data').fate('activate_signal', { says: { errors: [refusal(), unauthorized] } });
    expect((await activated(here)).operation.status).toBe('failed');
    expect(await rows(here)).toEqual([]);
  });

  it('fails a deactivation, which it does not answer', async () => {
    const here = await openSignalsHarness();
    here.harness.seller('data').fate('activate_signal', { says: { errors: [refusal()] } });
    const done = await activateSignal(here.ports, here.request({ action: 'deactivate' }));
    expect(done.ok && done.value.state.operation.status).toBe('failed');
  });

  it.each(['webhook', 'poll'] as const)('is also a success if a %s reports it', async (source) => {
    const here = await openSignalsHarness();
    const minutes = { estimated_activation_duration_minutes: 60 };
    const begun = {
      status: 'submitted',
      task_id: 't1',
      deployments: [{ ...atAcme, is_live: false, ...minutes }],
    };
    here.harness.seller('data').fate('activate_signal', { says: begun });
    const [leg] = (await activated(here)).legs;
    const error: TaskError = {
      code: 'ALREADY_ACTIVATED',
      message: 'It is live.',
      details: { deployment: live },
    };
    const reply: SellerReply = { status: 'failed', replayed: false, payload: {}, errors: [error] };
    const applied = await storeObservation(here.ports, here.harness.scope, leg!, {
      source,
      at: here.harness.clock.now() + 1,
      reply,
    });
    expect(applied?.state.operation.status).toBe('completed');
    expect(await rows(here)).toMatchObject([{ state: 'live' }]);
  });
});

describe('an activation that was sent without an answer', () => {
  it.each([
    ['is done where its agent shows the signal live', [live], 'completed'],
    ['is not called done where the agent does not show it live', [{ ...atAcme, is_live: false }], 'sent'],
  ])('%s', async (_title, deployments, status) => {
    const here = await openSignalsHarness('3.1', undefined, false);
    const agent = here.harness.seller('data');
    agent.fate('activate_signal', 'lose');
    agent.fate('get_signals', ...Array.from({ length: 9 }, () => shows(deployments)));
    const requested = activateSignal(here.ports, here.request());
    for (let second = 0; second < 16; second += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      here.harness.clock.advance(1_000);
    }
    const done = await requested;
    expect(done.ok && done.value.state.legs[0]?.status).toBe(status);
    expect(agent.received.filter(({ tool }) => tool === 'activate_signal')).toHaveLength(1);
  });
});
