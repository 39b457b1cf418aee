import { describe, expect, it } from '@jest/globals';
import { getCapabilities, type Capabilities } from '@switchyard/protocol';
import { must, type JsonObject } from '@switchyard/values';
import { capabilityChanges } from './capability-drift.js';

function capabilities(more: JsonObject = {}): Capabilities {
  const payload: JsonObject = {
    adcp: {
      major_versions: [3],
      supported_versions: ['3.0', '3.1'],
      idempotency: { supported: true, replay_ttl_seconds: 86_400 },
    },
    supported_protocols: ['media_buy', 'signals'],
    media_buy: { portfolio: { primary_channels: ['display', 'olv'], publisher_count: 3 } },
    last_updated: '2026-11-01T00:00:00Z',
    ...more,
  };
  return must(getCapabilities.readAnswer(payload, { dialect: 'adcp', form: '3.1' })).answer;
}

describe('the difference of two versions of capabilities', () => {
  it('is none where only times, counts and the order of lists differ', () => {
    const after = capabilities({
      last_updated: '2026-11-29T00:00:00Z',
      supported_protocols: ['signals', 'media_buy'],
      media_buy: { portfolio: { primary_channels: ['olv', 'display'], publisher_count: 9 } },
    });
    expect(capabilityChanges(capabilities(), after)).toEqual([]);
  });

  it('names what breaks first, then every other path that changed', () => {
    const after = capabilities({
      supported_protocols: ['media_buy'],
      media_buy: { portfolio: { primary_channels: ['display', 'ctv'], note: 'x' } },
    });
    expect(capabilityChanges(capabilities(), after)).toEqual([
      { grade: 'breaking', words: 'It no longer offers signals' },
      { grade: 'notable', path: '/supported_protocols', words: 'gone: signals' },
      { grade: 'notable', path: '/media_buy/portfolio/primary_channels', words: 'gone: olv; new: ctv' },
      { grade: 'notable', path: '/media_buy/portfolio/note', words: 'new' },
    ]);
  });

  it('has at most a hundred entries, whatever a seller sends', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`member_${String(at)}`, at]));
    expect(capabilityChanges(capabilities(), capabilities(many))).toHaveLength(100);
  });
});
