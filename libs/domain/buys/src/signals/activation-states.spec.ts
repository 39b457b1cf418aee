import { describe, expect, it } from '@jest/globals';
import type { Deployment } from '@switchyard/protocol';
import type { Activation, ActivationState } from '../model/activation.js';
import { isActivationMove, reportedActivation, type ActivationRequest } from './activation-states.js';
import { nextActivation } from './next-activation.js';

const states: readonly ActivationState[] = ['off', 'activating', 'live'];
/** A row is the stored state, a column the reported one. */
const tables: Readonly<Record<ActivationRequest, Readonly<Record<ActivationState, string>>>> = {
  activate: { off: '-xx', activating: '-xx', live: '-xx' },
  deactivate: { off: 'x--', activating: 'x--', live: 'x--' },
  poll: { off: 'x-x', activating: 'xxx', live: 'x-x' },
};
const asks = Object.keys(tables) as ActivationRequest[];
const at = Date.UTC(2026, 10, 21);
const target = { type: 'platform', platform: 'dsp' } as const;
const segment = { connectionId: 'c', segmentId: 's' };

function after(from: ActivationState, requested: ActivationRequest, isLive: boolean): Activation {
  const known: Activation = { ...segment, target, state: from, observedAt: at - 1 };
  const reported: Deployment = { ...target, isLive };
  return nextActivation(segment, reported, { known, requested, at });
}

describe('the states of an activation', () => {
  const cells = asks.flatMap((requested) =>
    states.flatMap((from) =>
      states.map((to, place) => [requested, from, to, tables[requested][from][place]] as const),
    ),
  );
  it.each(cells)('requested to %s: %s to %s: %s', (requested, from, to, cell) => {
    expect(isActivationMove(from, to, requested)).toBe(cell === 'x');
  });

  const reported = asks.flatMap((requested) =>
    states.flatMap((from) => [true, false].map((isLive) => [requested, from, isLive] as const)),
  );
  it.each(reported)(
    'requested to %s, %s is handled as in the table if the agent reports live: %s',
    (requested, from, isLive) => {
      const to = reportedActivation(from, isLive, requested);
      const result = after(from, requested, isLive);
      if (isActivationMove(from, to, requested)) {
        expect(result).toMatchObject({ state: to, observedAt: at });
        expect(result.refused).toBeUndefined();
      } else expect(result).toMatchObject({ state: from, refused: { from, to } });
    },
  );

  it('keep an active signal if its agent has deactivated it and reports it as live', () => {
    expect(after('live', 'deactivate', true)).toMatchObject({
      state: 'live',
      refused: { from: 'live', to: 'live' },
    });
  });
});
