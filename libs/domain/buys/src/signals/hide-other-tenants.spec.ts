import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { memoryActivationRepository, openSignalsHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { recordLateAnswer } from '../run/record-late-answer.js';
import type { Activation } from '../model/activation.js';
import { hideOtherTenants } from './hide-other-tenants.js';

const ours = { organizationId: randomUUID() };
const theirs = { organizationId: randomUUID() };
const connectionId = randomUUID();
const at = { type: 'platform', platform: 'dsp' } as const;
const key = { type: 'segment_id', segment_id: 'secret-of-theirs' };
const live = { ...at, is_live: true, activation_key: key, deployed_at: '2026-01-01T00:00:00Z' };
const elsewhere = { ...live, platform: 'other', activation_key: { ...key, segment_id: 'open' } };

const answer: JsonObject = {
  signals: [
    { signal_agent_segment_id: 'coffee', name: 'Coffee', deployments: [live, elsewhere, 'nothing'] },
    { signal_agent_segment_id: 'tea', name: 'Tea', deployments: [live] },
    { name: 'without an id', deployments: [live] },
    7,
  ],
  cache_scope: 'account',
};
const row: Activation = {
  connectionId,
  segmentId: 'coffee',
  target: at,
  state: 'live',
  isRequested: true,
  observedAt: 1,
};

describe('a stored answer to get_signals', () => {
  it('has no deployment that another tenant of the account requested, and everything else unchanged', async () => {
    const repository = memoryActivationRepository();
    await repository.store(theirs, [row]);
    const [coffee, ...others] = answer['signals'] as JsonObject[];
    expect(await hideOtherTenants(repository, ours, connectionId, answer)).toEqual({
      ...answer,
      signals: [{ ...coffee, deployments: [{ ...at, is_live: false }, elsewhere, 'nothing'] }, ...others],
    });
  });

  it('is unchanged if this tenant has it as well, or nobody else has', async () => {
    const repository = memoryActivationRepository();
    expect(await hideOtherTenants(repository, ours, connectionId, answer)).toBe(answer);
    await repository.store(theirs, [row]);
    await repository.store(ours, [row]);
    expect(await hideOtherTenants(repository, ours, connectionId, answer)).toEqual(answer);
    await repository.store(ours, [{ ...row, state: 'off', observedAt: 2 }]);
    expect(
      JSON.stringify(
        await hideOtherTenants(repository, ours, connectionId, {
          signals: [(answer['signals'] as JsonObject[])[0] ?? {}],
        }),
      ),
    ).not.toContain('secret-of-theirs');
  });

  it('without a list is not filtered', async () => {
    const repository = memoryActivationRepository();
    await repository.store(theirs, [row]);
    const odd = { signals: 'none' };
    expect(await hideOtherTenants(repository, ours, connectionId, odd)).toBe(odd);
  });
});

describe('a later answer to get_signals', () => {
  it('is stored without the deployments that another tenant of the account requested', async () => {
    const { harness, ports, book } = await openSignalsHarness();
    const here = { ...row, connectionId: harness.connection('data').id };
    await book.store(theirs, [here]);
    const leg = {
      id: randomUUID(),
      connectionId: here.connectionId,
      seller: 'data',
      task: 'get_signals',
      profile: { dialect: 'adcp', form: '3.1' },
    } as Leg;
    const reply = { status: 'completed' as const, replayed: false, payload: answer, errors: [] };
    const update = { source: 'webhook' as const, at: harness.clock.now(), reply };
    const stored = await recordLateAnswer(ports, harness.scope, leg, update);
    expect(JSON.stringify(stored.reply.payload['signals'])).toContain('open');
    expect(JSON.stringify((stored.reply.payload['signals'] as JsonObject[])[0])).not.toContain(
      'secret-of-theirs',
    );
    const rows = await book.of(harness.scope, [here]);
    expect(rows.map(({ target }) => target.platform)).toEqual(['other']);
  });
});
