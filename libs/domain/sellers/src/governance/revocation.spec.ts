import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { changeOf, readRevocation, usesRights } from './revocation.js';

const event = {
  rights_id: 'r1',
  brand_id: 'b',
  reason: 'The contract ended.',
  effective_at: '2026-11-29T10:00:00Z',
};
const agent = 'https://rights.example/mcp';
const revocation = readRevocation(event)!;

describe('a revocation', () => {
  it('is read alone and inside an envelope, and not without its grant or its time', () => {
    const read = {
      rightsId: 'r1',
      reason: 'The contract ended.',
      effectiveAt: Date.UTC(2026, 10, 29, 10),
      uses: [],
    };
    expect(readRevocation(event)).toEqual(read);
    expect(readRevocation({ task_type: 'rights_revoked', result: event })).toEqual(read);
    for (const broken of [{ ...event, rights_id: '' }, { ...event, effective_at: 'soon' }, {}])
      expect(readRevocation(broken)).toBeUndefined();
  });

  it.each<[string, JsonObject, boolean]>([
    ['of the creative itself', { rights: [{ rights_id: 'r1' }] }, true],
    [
      'of its manifest',
      { manifest: { rights: [{ rights_id: 'r1', rights_agent: { url: agent, id: 'a' } }] } },
      true,
    ],
    ['of another grant', { rights: [{ rights_id: 'r2' }] }, false],
    [
      'of another agent',
      { rights: [{ rights_id: 'r1', rights_agent: { url: 'https://other.example/mcp' } }] },
      false,
    ],
    ['that are no list', { rights: 'r1' }, false],
  ])('touches a creative by the rights %s: %j', (_, creative, expected) => {
    expect(usesRights(creative, revocation, agent)).toBe(expected);
  });

  it('of some uses touches the creatives with one of them, and those that name none', () => {
    const partial = { ...revocation, uses: ['voice'] };
    const of = (uses?: readonly string[]): JsonObject => ({
      rights: [{ rights_id: 'r1', ...(uses && { uses: [...uses] }) }],
    });
    expect(usesRights(of(['likeness']), partial, agent)).toBe(false);
    expect(usesRights(of(['likeness', 'voice']), partial, agent)).toBe(true);
    expect(usesRights(of(), partial, agent)).toBe(true);
  });
});

describe('a package that runs with revoked creatives', () => {
  const own = { mediaBuyId: 'mb', packageId: 'p', seller: 's', principalId: 'x' };

  it('keeps its other creatives, and is paused where none is left', () => {
    expect(changeOf({ ...own, creativeIds: ['a', 'b'] }, new Set(['a']))).toEqual({
      package_id: 'p',
      creative_assignments: [{ creative_id: 'b' }],
    });
    expect(changeOf({ ...own, creativeIds: ['a'] }, new Set(['a']))).toEqual({
      package_id: 'p',
      paused: true,
    });
  });
});
