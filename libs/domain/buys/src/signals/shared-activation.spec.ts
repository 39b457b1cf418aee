import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Deployment, Signal } from '@switchyard/protocol';
import { openSignalsHarness, type SignalsHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { activateSignal } from '../activate/activate-signal.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { activationAnswer } from './activation-answer.js';
import { applyReportedSignals } from './apply-reported-signals.js';

const atAcme = { type: 'agent' as const, agentUrl: 'https://acme.example/mcp' };
const key = { type: 'segment_id' as const, segmentId: 'seg-at-acme' };
const live: JsonObject = {
  deployments: [
    {
      type: 'agent',
      agent_url: atAcme.agentUrl,
      is_live: true,
      activation_key: { type: 'segment_id', segment_id: key.segmentId },
    },
  ],
};
const theirs = { organizationId: randomUUID() };

/** A harness at whose signals agent another tenant, over the same account, has asked for the signal at acme. */
async function shared(): Promise<SignalsHarness> {
  const here = await openSignalsHarness();
  await here.book.store(theirs, [
    {
      connectionId: here.harness.connection('data').id,
      segmentId: 'coffee',
      target: atAcme,
      state: 'live',
      key,
      isRequested: true,
      observedAt: here.harness.clock.now(),
    },
  ]);
  return here;
}

async function looks(here: SignalsHarness): Promise<Deployment | undefined> {
  const deployment: Deployment = {
    ...atAcme,
    isLive: true,
    activationKey: key,
    deployedAt: '2026-01-01T00:00:00Z',
  };
  const signal: Signal = {
    segmentId: 'coffee',
    name: 'Coffee',
    description: '',
    catalogType: 'marketplace',
    dataProvider: 'x',
    deployments: [deployment],
    original: { form: '3.1', value: {} },
  };
  const seen = [{ connectionId: here.harness.connection('data').id, signals: [signal] }];
  const [[shown] = []] = await applyReportedSignals(
    here.book,
    here.harness.scope,
    seen,
    here.harness.clock.now(),
  );
  return shown?.deployments[0];
}

const ownRows = (here: SignalsHarness) =>
  here.book.of(here.harness.scope, [
    { connectionId: here.harness.connection('data').id, segmentId: 'coffee' },
  ]);

describe('a signal that another tenant of the same account has activated', () => {
  it('is not live for this one: neither its key nor its time is shown, stored, or sent with a buy', async () => {
    const here = await shared();
    expect(await looks(here)).toEqual({ ...atAcme, isLive: false });
    expect(await ownRows(here)).toEqual([]);
    const line = { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 5 };
    const packages = [{ ...line, targeting_overlay: { axe_include_segment: 'data:coffee' } }];
    const done = await createMediaBuy(here.ports, here.harness.request(['acme'], { packages }));
    expect(done.ok && done.value.state.legs[0]?.findings.map(({ code }) => code)).toContain(
      'SIGNAL_NOT_LIVE',
    );
    expect(JSON.stringify(here.targeted('acme'))).not.toContain('seg-at-acme');
  });

  it('becomes this one’s own by its own request, and is shown from then on', async () => {
    const here = await shared();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    expect(await looks(here)).toMatchObject({ isLive: true, activationKey: key });
    expect(await ownRows(here)).toMatchObject([{ state: 'live', isRequested: true }]);
  });

  it('stays live at its agent when this one deactivates it, which is done only here and reported', async () => {
    const here = await shared();
    here.harness.seller('data').fate('activate_signal', { says: live });
    await activateSignal(here.ports, here.request());
    here.harness.clock.advance(1_000);
    const { state } = must(await activateSignal(here.ports, here.request({ action: 'deactivate' })));
    expect(state.operation.status).toBe('completed');
    expect(state.legs[0]?.findings).toContainEqual(expect.objectContaining({ code: 'KEPT_FOR_OTHERS' }));
    expect(activationAnswer(state).deployments).toEqual([{ ...atAcme, isLive: false }]);
    const requested = here.harness.seller('data').received.filter(({ tool }) => tool === 'activate_signal');
    expect(requested.map(({ args }) => args['action'] ?? 'activate')).toEqual(['activate']);
    expect(await ownRows(here)).toMatchObject([{ state: 'off' }]);
    expect(await looks(here)).toEqual({ ...atAcme, isLive: false });
  });

  it('is deactivated at its agent once the other has deactivated it', async () => {
    const here = await shared();
    const [row] = await here.book.of(theirs, [
      { connectionId: here.harness.connection('data').id, segmentId: 'coffee' },
    ]);
    if (row === undefined) throw new Error('The other tenant has it.');
    const { key: _gone, isRequested: _over, ...rest } = row;
    await here.book.store(theirs, [{ ...rest, state: 'off' }]);
    here.harness.seller('data').fate('activate_signal', {
      says: { deployments: [{ type: 'agent', agent_url: atAcme.agentUrl, is_live: false }] },
    });
    const done = await activateSignal(here.ports, here.request({ action: 'deactivate' }));
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(here.harness.seller('data').received.at(-1)?.args).toMatchObject({ action: 'deactivate' });
  });
});
