import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { changeByWebhook, changesBySnapshot, type KnownImpairment } from './impairment-changes.js';

const detail = (id: string, more: JsonObject = {}): JsonObject => ({
  impairment_id: id,
  resource_id: `aud-${id}`,
  package_ids: ['p1'],
  transition: { from: 'active', to: 'suspended' },
  reason_code: 'consent_expired',
  ...more,
});
const open = (id: string, more: JsonObject = {}): KnownImpairment => ({
  impairmentId: id,
  detail: detail(id, more),
  isResolved: false,
});
const closed = (id: string): KnownImpairment => ({ ...open(id), isResolved: true });

describe('a webhook about an impairment', () => {
  it.each<[string, readonly KnownImpairment[], KnownImpairment, boolean]>([
    ['opens what nobody knew', [], open('a'), true],
    ['says again what is known', [open('a')], open('a'), false],
    ['says it again in other words', [open('a')], open('a', { message: 'It is suspended.' }), false],
    ['names other packages', [open('a')], open('a', { package_ids: ['p2'] }), true],
    ['names another state', [open('a')], open('a', { transition: { to: 'rejected' } }), true],
    ['closes what is open', [open('a')], closed('a'), true],
    ['closes what is closed', [closed('a')], closed('a'), false],
    ['closes what was never open', [open('b')], closed('a'), false],
    ['opens again what was closed', [closed('a')], open('a'), true],
  ])('that %s changes something: %#', (_what, known, received, isNews) => {
    expect(changeByWebhook(known, received)).toEqual(isNews ? { ...received, source: 'webhook' } : undefined);
  });
});

describe('a snapshot of a buy', () => {
  const idsOf = (known: readonly KnownImpairment[], listed: readonly JsonObject[], changedAt = 1) =>
    changesBySnapshot(
      known.map((impairment) => ({ ...impairment, changedAt })),
      listed,
      5,
    ).map(({ impairmentId, isResolved }) => `${isResolved ? 'closes' : 'opens'} ${impairmentId}`);

  it('opens impairments that it lists, closes those that it lacks, and leaves unchanged ones', () => {
    expect(idsOf([open('a'), open('b'), closed('c')], [detail('a'), detail('d')])).toEqual([
      'opens d',
      'closes b',
    ]);
    expect(idsOf([closed('c')], [detail('c')])).toEqual(['opens c']);
    expect(idsOf([open('a')], [])).toEqual(['closes a']);
  });

  it('does not change an impairment that changed after the request', () => {
    const known = [open('a'), open('b'), closed('c')];
    const listed = [detail('b', { reason_code: 'other' }), detail('c'), detail('d')];
    expect(idsOf(known, listed, 6)).toEqual(['opens d']);
    expect(idsOf(known, listed, 5)).toEqual(['opens b', 'opens c', 'opens d', 'closes a']);
  });

  it.each<[string, unknown]>([
    ['no id', undefined],
    ['an empty id', ''],
    ['an id that is no text', 7],
    ['an id longer than any', 'x'.repeat(256)],
    ['an id with a NUL', 'a\u0000'],
  ])('leaves out what has %s', (_what, id) => {
    expect(idsOf([], [detail('a', { impairment_id: id as string })])).toEqual([]);
  });
});
