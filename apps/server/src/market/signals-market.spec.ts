import { describe, expect, it } from '@jest/globals';
import { activateSignal } from '@switchyard/buys';
import type { Connection } from '@switchyard/sellers';
import { openSignalsHarness } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../platform/tasks/call/handler.js';
import { harnessCall, marketPorts } from '../platform/tasks/testkit/harness-call.js';
import { taskService } from '../main/testkit/task-service.js';

const minute = 60_000;
const place = { type: 'agent', agent_url: 'https://acme.example/mcp' };
const under = (way: JsonObject): JsonObject => ({
  signals: [
    {
      signal_agent_segment_id: 'coffee',
      name: 'Coffee',
      description: '',
      signal_type: 'marketplace',
      data_provider: 'Beans',
      coverage_percentage: 10,
      deployments: [{ ...place, ...way }],
      pricing_options: [{ pricing_option_id: 'p', model: 'cpm', cpm: 2, currency: 'USD' }],
    },
  ],
  cache_scope: 'account',
});

/** Two signals agents: `data` with one signal, and `acme`. */
async function market() {
  const made = await openSignalsHarness();
  const { harness, ports } = made;
  const asAgent = (connection: Connection): Connection =>
    connection.slug === 'acme' ? { ...connection, kinds: ['sales', 'signals'] } : connection;
  const { connections } = ports;
  const list = async (scope: typeof harness.scope) => (await connections.list(scope)).map(asAgent);
  const parts = {
    ports: {
      ...marketPorts(harness),
      ...ports,
      callbackBase: () => 'http://127.0.0.1',
      connections: { ...connections, list },
    },
    taskLog: { find: () => Promise.resolve({ items: [], total: 0 }) },
    declareOnFirstUse: true,
  } as unknown as HandlerDeps;
  const service = taskService(parts);
  const query = async (args: JsonObject): Promise<JsonObject> =>
    (await service.call(harnessCall(harness, 'get_signals', { ...question, ...args }))).body;
  return { ...made, query };
}

const question = { signal_spec: 'coffee', destinations: [place], countries: ['US'] };

function deploymentOf({ signals }: JsonObject): JsonObject {
  const [signal] = Array.isArray(signals) ? signals.filter(isJsonObject) : [];
  const deployments = signal?.['deployments'];
  const [deployment] = Array.isArray(deployments) ? deployments.filter(isJsonObject) : [];
  return deployment ?? {};
}

describe('a query for signals that is read again', () => {
  it('shows the remaining time of an estimate, and then the key of the live signal', async () => {
    const made = await market();
    const { harness, book, ports, query } = made;
    const waits = { is_live: false, estimated_activation_duration_minutes: 40 };
    harness.seller('data').fate('activate_signal', { says: { deployments: [{ ...place, ...waits }] } });
    await activateSignal(ports, made.request());
    harness.seller('data').fate('get_signals', { says: under(waits) });
    harness.seller('acme').fate('get_signals', { says: { status: 'submitted', task_id: 'theirs' } });
    const first = await query({});
    expect(deploymentOf(first)).toMatchObject(waits);
    const named = { ext: { switchyard: { operation_id: operationOf(first) } } };
    harness.clock.advance(10 * minute);
    expect(deploymentOf(await query(named))).toMatchObject({
      is_live: false,
      estimated_activation_duration_minutes: 30,
    });
    const [row] = await book.of(harness.scope, [
      { connectionId: harness.connection('data').id, segmentId: 'coffee' },
    ]);
    const { estimatedAt: _said, readyAt: _ready, nextPollAt: _look, ...rest } = row!;
    const key = { type: 'segment_id' as const, segmentId: 'seg-1' };
    await book.store(harness.scope, [{ ...rest, state: 'live', key, observedAt: harness.clock.now() }]);
    const live = deploymentOf(await query(named));
    expect(live).toMatchObject({
      is_live: true,
      activation_key: { type: 'segment_id', segment_id: 'seg-1' },
    });
    expect(live).not.toHaveProperty('estimated_activation_duration_minutes');
  });
});

function operationOf({ ext }: JsonObject): string {
  const ours = isJsonObject(ext) ? ext['switchyard'] : undefined;
  const id = isJsonObject(ours) ? ours['operation_id'] : undefined;
  if (typeof id !== 'string') throw new Error('The answer names no operation.');
  return id;
}

describe('a signals agent that hangs', () => {
  it('is awaited for sixty seconds, and then the answer has only the others', async () => {
    const { harness, query } = await market();
    harness.seller('data').fate('get_signals', { says: under({ is_live: false }) });
    harness.seller('acme').fate('get_signals', 'hang', 'hang');
    let body: JsonObject | undefined;
    const asking = query({}).then((answer) => (body = answer));
    const received = () => harness.seller('acme').received.length + harness.seller('data').received.length;
    while (received() < 2) await new Promise(setImmediate);
    harness.clock.advance(59_000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(body).toBeUndefined();
    harness.clock.advance(1_000);
    await asking;
    expect(deploymentOf(body ?? {})).toMatchObject({ is_live: false });
    expect(JSON.stringify(body)).toContain('"status":"slow"');
  });
});

describe('a signal that is asked for by its name', () => {
  it('and that no agent offers is named in the errors beside the others', async () => {
    const { harness, query } = await market();
    const signal = { source: 'catalog', data_provider_domain: 'beans.example', id: 'coffee' };
    const says = under({ is_live: false });
    const [offered] = Array.isArray(says['signals']) ? says['signals'].filter(isJsonObject) : [];
    const named = { ...says, signals: [{ ...offered, signal_id: signal }] };
    for (const slug of ['acme', 'data'])
      harness.seller(slug).fate('get_signals', { says: named }, { says: named });
    const strange = { ...signal, id: 'tea' };
    const older = await query({ adcp_version: '3.0', signal_ids: [signal, strange] });
    expect(older['errors']).toMatchObject([{ code: 'SIGNAL_NOT_FOUND', field: 'signal_ids[1]' }]);
    expect(older['status']).toBe('completed');
    const reference = (signal_id: string) => ({
      scope: 'data_provider',
      data_provider_domain: 'beans.example',
      signal_id,
    });
    const newer = await query({ adcp_version: '3.1', signal_refs: [reference('tea'), reference('coffee')] });
    expect(newer['errors']).toMatchObject([{ code: 'SIGNAL_NOT_FOUND', field: 'signal_refs[0]' }]);
  });
});
