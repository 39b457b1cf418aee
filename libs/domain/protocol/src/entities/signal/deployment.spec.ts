import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { projectDeployment, readDeployment, readTarget } from './deployment.js';

const platform = { type: 'platform', platform: 'dsp' };
const segment = { type: 'segment_id', segment_id: 'seg-1' };
const pair = { type: 'key_value', key: 'aud', value: '7' };
const shownOf = (received: JsonObject): unknown => {
  const read = readDeployment({ ...platform, ...received });
  return read === undefined ? undefined : projectDeployment(read);
};

describe('a deployment', () => {
  it('without is_live is live only with a key or an activation time', () => {
    expect(shownOf({ activation_key: segment })).toMatchObject({ is_live: true, activation_key: segment });
    expect(shownOf({ deployed_at: '2026-05-01T00:00:00Z' })).toMatchObject({ is_live: true });
    expect(shownOf({ estimated_activation_duration_minutes: 30 })).toMatchObject({ is_live: false });
    expect(shownOf({})).toMatchObject({ is_live: false });
  });

  it('that is reported as not live is not live, whatever its other members, and its key is not shown', () => {
    const received = { is_live: false, activation_key: segment, deployed_at: '2026-05-01T00:00:00Z' };
    expect(shownOf(received)).toEqual({ ...platform, is_live: false, deployed_at: '2026-05-01T00:00:00Z' });
  });

  it('has a key of either kind if it is complete, and none if a part of it is missing', () => {
    for (const key of [segment, pair])
      expect(shownOf({ is_live: true, activation_key: key })).toEqual({
        ...platform,
        is_live: true,
        activation_key: key,
      });
    const halves: JsonObject[] = [
      { type: 'segment_id' },
      { type: 'key_value', key: 'aud' },
      { type: 'key_value', value: '7' },
      { type: 'key_value', segment_id: 'seg-1' },
      { type: 'segment_id', key: 'aud', value: '7' },
      { segment_id: 'seg-1' },
    ];
    for (const half of halves)
      expect([half, shownOf({ is_live: true, activation_key: half })]).toEqual([
        half,
        { ...platform, is_live: true },
      ]);
  });
});

describe('a target', () => {
  it('is a platform by its name or an agent by its address, with the account if one is named', () => {
    const agent = { type: 'agent', agent_url: 'https://sales.example' };
    expect(readTarget({ ...platform, account: 'a1' })).toEqual({ ...platform, account: 'a1' });
    expect(readTarget({ ...agent, account: 'a1' })).toEqual({
      type: 'agent',
      agentUrl: 'https://sales.example',
      account: 'a1',
    });
  });

  it('is ignored if its type lacks its identifying member', () => {
    const none: JsonObject[] = [
      { type: 'agent', platform: 'dsp' },
      { type: 'platform', agent_url: 'https://sales.example' },
      { type: 'moon', platform: 'dsp', agent_url: 'https://sales.example' },
      { platform: 'dsp' },
    ];
    for (const received of none) expect([received, readTarget(received)]).toEqual([received, undefined]);
  });
});
