import { describe, expect, it } from '@jest/globals';
import type { Deployment } from '@switchyard/protocol';
import type { Activation, ActivationState } from './activation.js';
import { isActivationMove, saidOfActivation, type Asked } from './activation-states.js';
import { nextActivation } from './next-activation.js';

const states: readonly ActivationState[] = ['off', 'activating', 'live'];
/** Cell by cell: a row is what is known, a column what may follow. */
const tables: Readonly<Record<Asked, Readonly<Record<ActivationState, string>>>> = {
  activate: { off: '-xx', activating: '-xx', live: '-xx' },
  deactivate: { off: 'x--', activating: 'x--', live: 'x--' },
  look: { off: 'x-x', activating: 'xxx', live: 'x-x' },
};
const asks = Object.keys(tables) as Asked[];
const at = Date.UTC(2026, 10, 21);
const target = { type: 'platform', platform: 'dsp' } as const;
const segment = { connectionId: 'c', segmentId: 's' };

function after(from: ActivationState, asked: Asked, isLive: boolean): Activation {
  const known: Activation = { ...segment, target, state: from, seenAt: at - 1 };
  const said: Deployment = { ...target, isLive };
  return nextActivation(segment, said, known, asked, at);
}

describe('the states of an activation', () => {
  const cells = asks.flatMap((asked) =>
    states.flatMap((from) =>
      states.map((to, place) => [asked, from, to, tables[asked][from][place]] as const),
    ),
  );
  it.each(cells)('asked to %s: %s to %s: %s', (asked, from, to, cell) => {
    expect(isActivationMove(from, to, asked)).toBe(cell === 'x');
  });

  const said = asks.flatMap((asked) =>
    states.flatMap((from) => [true, false].map((isLive) => [asked, from, isLive] as const)),
  );
  it.each(said)(
    'asked to %s, %s is taken as the table says where the agent says live: %s',
    (asked, from, isLive) => {
      const to = saidOfActivation(from, isLive, asked);
      const result = after(from, asked, isLive);
      if (isActivationMove(from, to, asked)) {
        expect(result).toMatchObject({ state: to, seenAt: at });
        expect(result.refused).toBeUndefined();
      } else expect(result).toMatchObject({ state: from, refused: { from, to } });
    },
  );

  it('keep what is live where its agent has taken it back and says that it is live', () => {
    expect(after('live', 'deactivate', true)).toMatchObject({
      state: 'live',
      refused: { from: 'live', to: 'live' },
    });
  });
});
