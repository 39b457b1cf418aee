import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { memoryActivationRepository } from '@switchyard/testing';
import type { SellerReply, Signal } from '@switchyard/protocol';
import type { ReadPorts } from '../model/read-request.js';
import type { Leg } from '../model/operation.js';
import type { Activation, ActivationRepository } from '../model/activation.js';
import { recordActivations } from './record-activations.js';
import { refreshActivations } from '../activate/refresh-activations.js';
import { applyReportedSignals } from './apply-reported-signals.js';

const scope = { organizationId: randomUUID() };
const at = Date.UTC(2027, 2, 1);
const target = { type: 'platform', platform: 'dsp' } as const;

/** A book that another process writes to, once, right after this one has read by the given name. */
function shared(name: 'of' | 'due' | 'elsewhere') {
  const real = memoryActivationRepository();
  const segment = { connectionId: randomUUID(), segmentId: 'coffee' };
  const known: Activation = {
    ...segment,
    target,
    state: 'activating',
    observedAt: at,
    nextPollAt: at,
    isRequested: true,
  };
  const others: (() => Promise<unknown>)[] = [];
  const after = async <Said>(read: string, reported: Said): Promise<Said> => {
    if (read === name) await others.shift()?.();
    return reported;
  };
  const book: ActivationRepository = {
    ...real,
    of: async (...requested) => after('of', await real.of(...requested)),
    due: async (...requested) => after('due', await real.due(...requested)),
    elsewhere: async (...requested) => after('elsewhere', await real.elsewhere(...requested)),
  };
  return {
    real,
    book,
    segment,
    known,
    meanwhile: (row: Activation) => others.push(() => real.store(scope, [row])),
    stands: async () => (await real.of(scope, [segment]))[0],
  };
}

const off = ({ nextPollAt: _none, isRequested: _neither, ...row }: Activation): Activation => ({
  ...row,
  state: 'off',
});

describe('a concurrent write of a signal', () => {
  it('is kept when a poll is postponed: a deactivated signal is not polled forever', async () => {
    const { real, book, known, meanwhile, stands } = shared('due');
    await real.store(scope, [known]);
    meanwhile({ ...off(known), observedAt: at + 1 });
    const nobody = { byId: () => Promise.resolve(undefined), list: () => Promise.resolve([]) };
    const ports = { activations: book, connections: nobody, clock: { now: () => at + 2 } };
    await refreshActivations(ports as unknown as ReadPorts, scope, new AbortController().signal);
    expect(await stands()).toEqual({ ...off(known), observedAt: at + 1 });
  });

  for (const name of ['of', 'elsewhere'] as const)
    it(`is kept when its agent is polled: the requesting principal is not lost, read by ${name}`, async () => {
      const { book, segment, known, meanwhile, stands } = shared(name);
      const requestedBy = randomUUID();
      meanwhile({ ...known, state: 'live', requestedBy });
      const signal = { segmentId: 'coffee', deployments: [{ ...target, isLive: true }] };
      await applyReportedSignals(
        book,
        scope,
        [{ connectionId: segment.connectionId, signals: [signal as unknown as Signal] }],
        at + 1,
      );
      expect(await stands()).toMatchObject({
        state: 'live',
        isRequested: true,
        requestedBy,
        observedAt: at + 1,
      });
    });

  it('is kept when an answer does not mention it: its key is not lost', async () => {
    const { real, book, segment, known, meanwhile, stands } = shared('of');
    const key = { type: 'segment_id', segmentId: 'key' } as const;
    await real.store(scope, [known]);
    meanwhile({ ...known, state: 'live', observedAt: at + 1, key });
    const leg = {
      ...segment,
      task: 'activate_signal',
      profile: { dialect: 'adcp', form: '3.1' },
      outbound: JSON.stringify({ signal_agent_segment_id: 'coffee', destinations: [target] }),
    } as unknown as Leg;
    const reply: SellerReply = { status: 'working', replayed: false, payload: {}, errors: [] };
    await recordActivations(book, scope, leg, { source: 'poll', at: at + 2, reply });
    expect(await stands()).toMatchObject({ state: 'live', isRequested: true, key });
  });
});
