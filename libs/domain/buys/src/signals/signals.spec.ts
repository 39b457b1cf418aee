import { describe, expect, it } from '@jest/globals';
import type { Deployment, Signal } from '@switchyard/protocol';
import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { openSignalsHarness as room, type SignalsHarness as Room } from '@switchyard/testing';
import { isJsonObject, must, type JsonObject } from '@switchyard/values';
import { activateSignal } from '../activate/activate-signal.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { storeObservation } from '../run/store-observation.js';
import type { ActivationRepository } from '../model/activation.js';
import { refreshActivations } from '../activate/refresh-activations.js';
import { applyReportedSignals } from './apply-reported-signals.js';
import { showActivations, shownAs } from './show-activations.js';

const minuteMs = 60_000;
const agentOf = (slug: string): JsonObject => ({ type: 'agent', agent_url: `https://${slug}.example/mcp/` });
const segmentKey = { type: 'segment_id', segment_id: 'seg-at-acme' };

async function buy(at: Room, sellers: readonly string[], targeting: JsonObject) {
  const requested = at.harness.request(sellers);
  const packages = requested.request.packages.map((item) => ({ ...item, targetingOverlay: targeting }));
  const done = must(
    await createMediaBuy(at.ports, { ...requested, request: { ...requested.request, packages } }),
  );
  return done.state;
}

const live = { deployments: [{ ...agentOf('acme'), is_live: true, activation_key: segmentKey }] };
const signalIn = (entry: JsonObject): JsonObject => ({
  signal_targeting_groups: { operator: 'all', groups: [{ operator: 'any', signals: [entry] }] },
});

describe('a signal in targeting', () => {
  it('is sent to the seller under that seller’s key if it is live there, and shown to the buyer by our id', async () => {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    const state = await buy(here, ['acme', 'bravo'], {
      ...signalIn({ signal_agent_segment_id: 'data:coffee' }),
      axe_include_segment: 'data:coffee',
    });
    expect(here.targeted('acme')).toEqual({
      ...signalIn({ signal_agent_segment_id: 'coffee', activation_key: segmentKey }),
      axe_include_segment: 'seg-at-acme',
    });
    expect(JSON.stringify(here.targeted('bravo'))).not.toContain('seg-at-acme');
    expect(JSON.stringify(here.targeted('bravo'))).toContain('data:coffee');
    const found = new Map(state.legs.map(({ seller, findings }) => [seller, findings]));
    expect(found.get('acme')?.map(({ code }) => code)).not.toContain('SIGNAL_NOT_LIVE');
    const received = found.get('bravo')?.find(({ code }) => code === 'SIGNAL_NOT_LIVE');
    expect(received?.message).toContain('data:coffee');
    expect(received?.message).toContain('https://bravo.example/mcp');
    for (const item of state.packages) expect(JSON.stringify(item.targeting)).not.toContain('seg-at-acme');
  });

  it('of another account at the seller, of another tenant, or deactivated since, is sent to no seller', async () => {
    const here = await room();
    const scope = here.harness.scope;
    const segment = { connectionId: here.harness.connection('data').id, segmentId: 'coffee' };
    const target = { type: 'agent' as const, agentUrl: 'https://acme.example/mcp' };
    const key = { type: 'segment_id' as const, segmentId: 'seg-at-acme' };
    const observedAt = here.harness.clock.now();
    const other = { organizationId: '00000000-0000-4000-8000-000000000000' };
    await here.book.store(other, [{ ...segment, target, state: 'live', key, observedAt }]);
    await here.book.store(scope, [{ ...segment, target, state: 'off', observedAt }]);
    const state = await buy(here, ['acme'], signalIn({ signal_agent_segment_id: 'data:coffee' }));
    expect(JSON.stringify(here.targeted('acme'))).not.toContain('seg-at-acme');
    expect(state.legs[0]?.findings.map(({ code }) => code)).toContain('SIGNAL_NOT_LIVE');
  });

  it('leaves a buyer’s own keys and ids unchanged', async () => {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    const targeting = {
      signal_targeting: [
        {
          signal_agent_segment_id: 'data:coffee',
          activation_key: { type: 'segment_id', segment_id: 'mine' },
        },
        { signal_id: 'urn:elsewhere' },
        { signal_id: { source: 'agent', agent_url: 'https://x.example', id: 'y' } },
      ],
      axe_exclude_segment: 'plain',
    };
    const state = await buy(here, ['acme'], targeting);
    expect(here.targeted('acme')).toEqual(targeting);
    expect(state.legs[0]?.findings.map(({ code }) => code)).not.toContain('SIGNAL_NOT_LIVE');
  });

  it('with a key and a value does not fit into a segment, which is a finding', async () => {
    const here = await room();
    const key = { type: 'key_value', key: 'audience', value: 'coffee' };
    const says = { deployments: [{ ...agentOf('acme'), is_live: true, activation_key: key }] };
    here.harness.seller('data').fate('activate_signal', { says });
    await activateSignal(here.ports, here.request());
    const state = await buy(here, ['acme'], { axe_include_segment: 'data:coffee' });
    expect(here.targeted('acme')).toEqual({ axe_include_segment: 'data:coffee' });
    expect(state.legs[0]?.findings.map(({ code }) => code)).toContain('NOT_CARRIED');
  });
});

const off = (minutes?: number): Deployment => ({
  type: 'agent',
  agentUrl: 'https://acme.example/mcp',
  isLive: false,
  ...(minutes === undefined ? {} : { estimatedMinutes: minutes }),
});
const shows = (deployment: Deployment): Signal => ({
  segmentId: 'coffee',
  name: 'Coffee',
  description: '',
  catalogType: 'marketplace',
  dataProvider: 'x',
  deployments: [deployment],
  original: { form: '3.1', value: {} },
});

describe('an activation in progress', () => {
  const waiting = (minutes: number): JsonObject => ({
    deployments: [{ ...agentOf('acme'), is_live: false, estimated_activation_duration_minutes: minutes }],
  });

  async function begun(minutes = 60) {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', { says: waiting(minutes) });
    const done = must(await activateSignal(here.ports, here.request()));
    const { clock, scope } = here.harness;
    const connectionId = here.harness.connection('data').id;
    const look = async (deployment: Deployment): Promise<Deployment | undefined> => {
      const seen = [{ connectionId, signals: [shows(deployment)] }];
      const [[signal] = []] = await applyReportedSignals(here.book, scope, seen, clock.now());
      return signal?.deployments[0];
    };
    const task = async (): Promise<unknown> => {
      const state = await showActivations(here.book, scope, done.state, clock.now());
      const answer = state.legs[0]?.answer;
      return isJsonObject(answer) ? (answer['deployments'] as JsonObject[])[0] : undefined;
    };
    return { ...here, state: done.state, look, task };
  }

  it('shows the rest of its estimate, and an ended estimate does not make it live', async () => {
    const { harness, look, task } = await begun();
    harness.clock.advance(20 * minuteMs);
    expect(await look(off(60))).toMatchObject({ isLive: false, estimatedMinutes: 40 });
    expect(await task()).toMatchObject({ is_live: false, estimated_activation_duration_minutes: 40 });
    harness.clock.advance(70 * minuteMs);
    expect(await look(off(60))).toMatchObject({ isLive: false, estimatedMinutes: 0 });
    expect(await task()).toMatchObject({ is_live: false, estimated_activation_duration_minutes: 0 });
  });

  it('counts from a new estimate if its agent gives one', async () => {
    const { harness, look } = await begun();
    harness.clock.advance(20 * minuteMs);
    expect(await look(off(90))).toMatchObject({ estimatedMinutes: 90 });
    harness.clock.advance(20 * minuteMs);
    expect(await look(off())).toMatchObject({ estimatedMinutes: 70 });
  });

  it('leaves the estimate of a signal that nobody activated unchanged', async () => {
    const { look, harness, book } = await begun();
    const elsewhere: Deployment = { ...off(60), agentUrl: 'https://bravo.example/mcp' };
    await look(elsewhere);
    harness.clock.advance(20 * minuteMs);
    expect(await look(elsewhere)).toMatchObject({ estimatedMinutes: 60 });
    const segment = { connectionId: harness.connection('data').id, segmentId: 'coffee' };
    expect(await book.of(harness.scope, [segment])).toHaveLength(1);
  });

  it('is live after a poll of ours at a quarter of the estimate, also in the task’s result', async () => {
    const { harness, ports, task, book } = await begun(8);
    const board = new BreakerBoard(defaultBreakerPolicy, { changed: () => undefined });
    const reads = { ...ports, breakers: board, bulkhead: new Bulkhead(4) };
    harness.clock.advance(119_000);
    expect(await refreshActivations(reads, harness.scope, new AbortController().signal)).toBe(0);
    harness.clock.advance(1_000);
    const { deployments } = live;
    harness.seller('data').fate('get_signals', {
      says: { signals: [{ signal_agent_segment_id: 'coffee', name: 'Coffee', deployments }] },
    });
    expect(await refreshActivations(reads, harness.scope, new AbortController().signal)).toBe(1);
    expect(await task()).toMatchObject({ is_live: true, activation_key: segmentKey });
    expect(await book.due(harness.scope, harness.clock.now() + 3_600_000, 9)).toEqual([]);
  });

  it('is live after a webhook, and its key is sent to no seller before', async () => {
    const here = await room();
    const says = { status: 'submitted', task_id: 't1', ...waiting(60) };
    here.harness.seller('data').fate('activate_signal', { says });
    const done = must(await activateSignal(here.ports, here.request()));
    const [leg] = done.state.legs;
    expect(leg?.status).toBe('submitted');
    const before = await buy(here, ['acme'], { axe_include_segment: 'data:coffee' });
    expect(before.legs[0]?.findings.map(({ code }) => code)).toContain('SIGNAL_NOT_LIVE');
    const reply = { status: 'completed' as const, replayed: false, payload: live, errors: [] };
    const seen = { source: 'webhook' as const, at: here.harness.clock.now() + 1, reply };
    await storeObservation(here.ports, here.harness.scope, leg!, seen);
    const segment = { connectionId: here.harness.connection('data').id, segmentId: 'coffee' };
    expect(await here.book.of(here.harness.scope, [segment])).toMatchObject([
      { state: 'live', key: { segmentId: 'seg-at-acme' } },
    ]);
  });

  it('that its agent aborted is inactive again', async () => {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', {
      says: { status: 'submitted', task_id: 't1', ...waiting(60) },
    });
    const done = await activateSignal(here.ports, here.request());
    const leg = done.ok ? done.value.state.legs[0] : undefined;
    const reply = { status: 'failed' as const, replayed: false, payload: {}, errors: [] };
    const seen = { source: 'poll' as const, at: here.harness.clock.now() + 1, reply };
    await storeObservation(here.ports, here.harness.scope, leg!, seen);
    const segment = { connectionId: here.harness.connection('data').id, segmentId: 'coffee' };
    expect(await here.book.of(here.harness.scope, [segment])).toMatchObject([{ state: 'off' }]);
  });
});

describe('deactivating a signal', () => {
  it('is requested from its agent, and its key is no longer sent', async () => {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    here.harness.clock.advance(1_000);
    here.harness.seller('data').fate('activate_signal', {
      says: { deployments: [{ ...agentOf('acme'), is_live: false }] },
    });
    const done = await activateSignal(here.ports, {
      ...here.harness.request(['acme']),
      args: { action: 'deactivate' },
      request: {
        segmentId: 'data:coffee',
        destinations: [{ type: 'agent', agentUrl: 'https://acme.example/mcp' }],
        action: 'deactivate',
      },
    });
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(here.harness.seller('data').received.at(-1)?.args).toMatchObject({ action: 'deactivate' });
    const segment = { connectionId: here.harness.connection('data').id, segmentId: 'coffee' };
    expect(await here.book.of(here.harness.scope, [segment])).toMatchObject([{ state: 'off' }]);
  });

  it('leaves it live if its agent reports both success and live', async () => {
    const here = await room();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    const stored: unknown[] = [];
    const repository: ActivationRepository = {
      ...here.book,
      store: (scope, rows) => {
        stored.push(...rows.map(({ state, refused }) => ({ state, refused })));
        return here.book.store(scope, rows);
      },
    };
    here.harness.clock.advance(1_000);
    here.harness.seller('data').fate('activate_signal', { says: live });
    const again = here.request({ action: 'deactivate', idempotency_key: 'the-buyers-own-key-3' });
    await activateSignal({ ...here.ports, activations: repository }, again);
    expect(stored.at(-1)).toEqual({ state: 'live', refused: { from: 'live', to: 'live' } });
  });

  it('is refused, and not sent, if the agent would read it as a request to activate', async () => {
    for (const here of [await room('2.5'), await room('3.1', { activate_signal: ['destinations'] })]) {
      const done = await activateSignal(here.ports, here.request({ action: 'deactivate' }));
      expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['UNSUPPORTED_FEATURE']);
      expect(here.harness.seller('data').received).toEqual([]);
    }
  });

  it('or an option for its price that an older form cannot express is a finding', async () => {
    const here = await room('2.5');
    here.harness.seller('data').fate('activate_signal', { says: live });
    const done = await activateSignal(here.ports, here.request({ pricing_option_id: 'cpm_usd' }));
    expect(done.ok && done.value.state.legs[0]?.findings).toContainEqual(
      expect.objectContaining({ code: 'NOT_CARRIED', field: 'pricing_option_id' }),
    );
  });
});

describe('a deployment of a signal that was shown earlier', () => {
  const target = { type: 'platform' as const, platform: 'p' };
  const row = { connectionId: 'c', segmentId: 's', target, observedAt: 1 };
  const activationKey = { type: 'segment_id' as const, segmentId: 'k' };
  const live = { ...target, isLive: true, activationKey, deployedAt: '2026-01-01T00:00:00Z' };

  it('is no longer live if it was deactivated since, and its key is removed', () => {
    expect(shownAs(live, { ...row, state: 'off' }, 5)).toEqual({ ...target, isLive: false });
  });

  it('is unchanged if nothing else is known', () => {
    expect(shownAs(live, undefined, 5)).toEqual(live);
    expect(shownAs(live, { ...row, state: 'live' }, 5)).toEqual(live);
  });
});
