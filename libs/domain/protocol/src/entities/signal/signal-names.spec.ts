import { describe, expect, it } from '@jest/globals';
import { signalIdOf, signalIdsOf } from './signal-names.js';

const ofProvider = { scope: 'data_provider', data_provider_domain: 'data.example', signal_id: 'fans' };
const ofSource = {
  scope: 'signal_source',
  signal_source_url: 'https://signals.example/mcp',
  signal_id: 'fans',
};
const ofProduct = { scope: 'product', signal_id: 'fans' };

describe('a reference to a signal', () => {
  it('is the id of the same signal in 3.0, of a catalogue or of an agent', () => {
    expect(signalIdOf(ofProvider)).toEqual({
      source: 'catalog',
      data_provider_domain: 'data.example',
      id: 'fans',
    });
    expect(signalIdOf(ofSource)).toEqual({
      source: 'agent',
      agent_url: 'https://signals.example/mcp',
      id: 'fans',
    });
  });

  it('has no id if it is valid within one product only, or is no reference', () => {
    expect([ofProduct, {}, { scope: 'data_provider', signal_id: 'fans' }].map(signalIdOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('signals by their ids', () => {
  it('include those named by id and those whose references have one', () => {
    const id = { source: 'agent', agent_url: 'https://signals.example/mcp', id: 'others' };
    expect(signalIdsOf([id], [ofSource])).toEqual({ ids: [id, signalIdOf(ofSource)], isWhole: true });
    expect(signalIdsOf([id], [ofProduct])).toEqual({ ids: [id], isWhole: false });
    expect(signalIdsOf(undefined, undefined)).toEqual({ isWhole: true });
  });
});
