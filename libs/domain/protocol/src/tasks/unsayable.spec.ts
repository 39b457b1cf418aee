import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import type { Form } from '../voice.js';
import { getSignals } from './get-signals.js';

const places = { destinations: [{ type: 'platform', platform: 'dsp' }] };
const reference = { scope: 'data_provider', data_provider_domain: 'data.example', signal_id: 'fans' };

function signalsIn(args: JsonObject, to: Form) {
  const read = getSignals.readRequest(args, { dialect: 'adcp', form: '3.1' }, new Map());
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return getSignals.projectRequest(read.value, { dialect: 'adcp', form: to });
}

describe('a request for signals that a form cannot say', () => {
  it.each(['service', '2.5', '3.0'] as const)('is refused with its member in %s: all there is', (to) => {
    const { unsayable } = signalsIn({ discovery_mode: 'wholesale', ...places }, to);
    expect(unsayable).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'signal_spec' });
  });

  it.each(['service', '2.5'] as const)('is refused in %s where it names signals and describes none', (to) => {
    expect(signalsIn({ signal_refs: [reference], ...places }, to).unsayable?.field).toBe('signal_spec');
  });

  it.each(['service', '2.5'] as const)('is refused in %s where it says nothing of places', (to) => {
    expect(signalsIn({ signal_spec: 'fans' }, to).unsayable?.field).toBe('destinations');
  });

  it('asks 3.0 for the ids of references, and tells of those that have none', () => {
    const local = { scope: 'product', signal_id: 'fans' };
    const { args, findings, unsayable } = signalsIn({ signal_refs: [reference, local] }, '3.0');
    expect(args['signal_ids']).toEqual([
      { source: 'catalog', data_provider_domain: 'data.example', id: 'fans' },
    ]);
    expect(findings.map(({ field }) => field)).toEqual(['signal_refs']);
    expect(unsayable).toBeUndefined();
    expect(signalsIn({ signal_refs: [local] }, '3.0').unsayable?.field).toBe('signal_spec');
  });

  it('is none where everything that is wanted stands in it', () => {
    for (const to of ['service', '2.5', '3.0', '3.1'] as const)
      expect(signalsIn({ signal_spec: 'fans', ...places }, to).unsayable).toBeUndefined();
    expect(signalsIn({ discovery_mode: 'wholesale' }, '3.1').unsayable).toBeUndefined();
  });
});
