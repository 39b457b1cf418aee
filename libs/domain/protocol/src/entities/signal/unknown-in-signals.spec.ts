import { describe, expect, it } from '@jest/globals';
import { must, type JsonObject } from '@switchyard/values';
import { getSignals } from '../../tasks/get-signals.js';
import type { Form, WireProfile } from '../../versions/wire-profile.js';

const profile = (form: Form): WireProfile => ({ dialect: 'ads', form });
const signal = (more: JsonObject): JsonObject => ({
  signal_agent_segment_id: 's1',
  name: 'Fans',
  description: 'Of the game',
  deployments: [],
  ...more,
});

function written(more: JsonObject, from: Form, to: Form): JsonObject {
  const read = must(getSignals.readAnswer({ signals: [signal(more)] }, profile(from), new Map()));
  const { signals } = getSignals.projectAnswer(read.answer, profile(to));
  return (signals as JsonObject[])[0] ?? {};
}

describe('members that a signal lacks', () => {
  const untold = { signal_type: 'marketplace' };

  it('are not invented in releases that do not require them: an unknown reach or price is not zero', () => {
    for (const [from, to] of [
      ['3.1', 'service'],
      ['service', '3.1'],
    ] as const)
      for (const name of ['coverage_percentage', 'data_provider', 'pricing', 'pricing_options'])
        expect([to, written(untold, from, to)]).not.toEqual([
          to,
          expect.objectContaining({ [name]: expect.anything() }),
        ]);
  });

  it('are a number if a release requires one', () => {
    expect(written(untold, 'service', '2.5')).toMatchObject({
      coverage_percentage: 0,
      pricing: { cpm: 0, currency: 'USD' },
    });
    expect(written(untold, 'service', '3.0')).toMatchObject({ coverage_percentage: 0, data_provider: '' });
  });

  it('cost nothing for the buyer’s own signal', () => {
    const own = { signal_type: 'owned' };
    expect(written(own, '3.1', 'service')).toMatchObject({ pricing: { cpm: 0, currency: 'USD' } });
    expect(written(own, 'service', '3.1')).toMatchObject({ pricing_options: [{ cpm: 0 }] });
  });

  it('are written as zero if the agent sent zero', () => {
    const none = { coverage_percentage: 0, pricing: { cpm: 0, currency: 'EUR' } };
    expect(written(none, '2.5', 'service')).toMatchObject(none);
  });
});
