import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { makeOperation, openBuyingHarness, openSignalsHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { callSeller } from '../call/call-seller.js';
import { applyAndExplain } from './apply-observation.js';
import type { ObservationSource } from '../model/operation.js';
import { activationAnswer } from '../signals/activation-answer.js';
import { activateSignal } from '../activate/activate-signal.js';
import { storeObservation } from '../run/store-observation.js';

const scope = { organizationId: randomUUID() };
const at = Date.UTC(2026, 0, 3);
const channels = ['inline', 'webhook', 'poll', 'read_back'] as const;

describe('an answer to a sync of creatives', () => {
  const answeredBy = (source: ObservationSource, creatives: readonly JsonObject[]) => {
    const { operation, legs } = makeOperation(scope, { sellers: ['acme'] });
    const [leg] = legs;
    const outbound = JSON.stringify({ creatives: [{ creative_id: 'ours' }] });
    const task = 'sync_creatives';
    const state = {
      operation: { ...operation, task },
      legs: [{ ...leg!, task, outbound, status: 'sent' as const }],
      sellerBuys: [],
      packages: [],
    };
    const payload = { creatives: [...creatives] };
    const reply = { status: 'completed' as const, payload, errors: [], replayed: false };
    return applyAndExplain(state, leg!.id, { source, at, reply }).state.legs[0]?.answer;
  };

  it.each(channels)('is stored without rows that were not sent, from %s', (source) => {
    const own = { creative_id: 'ours', action: 'created' };
    const anothers = { creative_id: 'anothers', action: 'updated', secret_of_anothers: 1 };
    expect(answeredBy(source, [anothers, own])).toEqual({ creatives: [own] });
  });
});

describe('an answer to an activation', () => {
  const ours = { type: 'agent', agent_url: 'https://acme.example/mcp/', is_live: true };
  const anothers = {
    type: 'platform',
    platform: 'theirs',
    account: 'of-anothers',
    is_live: true,
    activation_key: { type: 'segment_id', segment_id: 'key-of-anothers' },
  };

  it('is reported and stored only with the requested deployments', async () => {
    const here = await openSignalsHarness();
    here.harness.seller('data').fate('activate_signal', { says: { deployments: [anothers, ours] } });
    const done = must(await activateSignal(here.ports, here.request()));
    expect(activationAnswer(done.state).deployments).toMatchObject([{ type: 'agent', isLive: true }]);
    expect(JSON.stringify(done.state)).not.toContain('anothers');
    const segment = { connectionId: here.harness.connection('data').id, segmentId: 'coffee' };
    expect(JSON.stringify(await here.book.of(here.harness.scope, [segment]))).not.toContain('anothers');
  });
});

describe('an answer about a buy that another tenant has', () => {
  it('is stored without anything of that buy', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const draft = makeOperation(harness.scope, {
      sellers: ['acme'],
      principalId: harness.principalId,
      connectionIds: { acme: harness.connection('acme').id },
    });
    await harness.ports.store.begin(harness.scope, draft);
    const store = new Proxy(harness.ports.store, {
      get: (target, name): unknown =>
        name === 'holdersOf'
          ? () => Promise.resolve({ elsewhere: 'taken' })
          : (Reflect.get(target, name) as unknown),
    });
    const payload = { media_buy_id: 'anothers', packages: [{ package_id: 'anothers-p' }] };
    const reply = { status: 'completed' as const, payload, errors: [], replayed: false };
    const received = await storeObservation({ ...harness.ports, store }, harness.scope, draft.legs[0]!, {
      source: 'inline',
      at: harness.clock.now(),
      reply,
    });
    expect(received?.state.legs[0]).toMatchObject({ status: 'parked', answer: {} });
    expect(JSON.stringify(received?.state.legs)).not.toContain('anothers');
  });
});

describe('an answer to a query of ours', () => {
  it('is read without unrequested items', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const [own, anothers] = [{ media_buy_id: 'ours' }, { media_buy_id: 'anothers' }];
    harness.seller('acme').fate('get_media_buys', { says: { media_buys: [anothers, own] } });
    const reported = await callSeller(
      harness.ports.transport,
      { connection: harness.connection('acme') },
      { task: 'get_media_buys', args: { media_buy_ids: ['ours'] } },
      new AbortController().signal,
    );
    expect(reported.ok && reported.value.reply.payload).toEqual({ media_buys: [own] });
  });
});
