import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { requestedPart } from './requested-part.js';

/** Each task with rows: its request members, and one row. */
const tasks: readonly (readonly [
  string,
  string,
  string,
  (ids: readonly string[]) => JsonObject,
  readonly string[],
])[] = [
  ['get_media_buys', 'media_buys', 'media_buy_id', (ids) => ({ media_buy_ids: [...ids] }), ['pagination']],
  [
    'get_media_buy_delivery',
    'media_buy_deliveries',
    'media_buy_id',
    (ids) => ({ media_buy_ids: [...ids] }),
    ['aggregated_totals'],
  ],
  [
    'list_creatives',
    'creatives',
    'creative_id',
    (ids) => ({ filters: { creative_ids: [...ids] } }),
    ['query_summary', 'pagination'],
  ],
  [
    'sync_creatives',
    'creatives',
    'creative_id',
    (ids) => ({ creatives: ids.map((id) => ({ creative_id: id })) }),
    [],
  ],
];

describe.each(tasks)('rows of %s', (task, list, id, args, sums) => {
  const row = (name: string): JsonObject => ({ [id]: name, of: name });

  it('are only the requested ones, without counts that include others', () => {
    const counts = Object.fromEntries(sums.map((name) => [name, { total: 2 }]));
    const answer = { ...counts, currency: 'USD', [list]: [row('theirs'), row('ours')] };
    expect(requestedPart(task, args(['ours']), answer)).toEqual({ currency: 'USD', [list]: [row('ours')] });
    const own = { ...counts, [list]: [row('ours')] };
    expect(requestedPart(task, args(['ours']), own)).toBe(own);
  });

  it('without an id are kept, emptied, only if a requested one is missing', () => {
    const nameless = { of: 'theirs' };
    expect(requestedPart(task, args(['ours']), { [list]: [row('ours'), nameless, 'theirs'] })).toEqual({
      [list]: [row('ours')],
    });
    expect(
      requestedPart(task, args(['ours', 'also']), { [list]: [nameless, row('ours'), nameless] }),
    ).toEqual({
      [list]: [{}, row('ours')],
    });
  });

  it('are all kept if the request names none', () => {
    const answer = { [list]: [row('one'), row('other')] };
    expect(requestedPart(task, {}, answer)).toBe(answer);
  });
});

describe('a report of one buy in the format of the service description', () => {
  const report = (more: JsonObject): JsonObject => ({ delivery: { spend: 1 }, by_package: [], ...more });

  it('is empty if it names an unrequested buy', () => {
    const args = { media_buy_ids: ['ours'], media_buy_id: 'ours' };
    expect(requestedPart('get_media_buy_delivery', args, report({ media_buy_id: 'theirs' }))).toEqual({});
    expect(
      requestedPart('get_media_buy_delivery', args, report({ delivery: { media_buy_id: 'theirs' } })),
    ).toEqual({});
    for (const own of [report({}), report({ media_buy_id: 'ours' })])
      expect(requestedPart('get_media_buy_delivery', args, own)).toBe(own);
  });
});

describe('deletions of a sync', () => {
  it('are shown if they were requested, and otherwise are not of this request', () => {
    const gone = { creative_id: 'other', action: 'deleted' };
    const sent = { creatives: [{ creative_id: 'ours' }] };
    const answer = { creatives: [gone] };
    expect(requestedPart('sync_creatives', { ...sent, delete_missing: true }, answer)).toMatchObject({
      creatives: [gone],
    });
    expect(requestedPart('sync_creatives', { ...sent, delete_missing: false }, answer)).toEqual({
      creatives: [],
    });
  });
});

describe('deployments of an activated signal', () => {
  const at = (more: JsonObject): JsonObject => ({ type: 'platform', platform: 'Desk', ...more });

  it.each(['destinations', 'deployments'])('are those that were requested under %s', (member) => {
    const shown = (requested: JsonObject, ...reported: readonly JsonObject[]) =>
      requestedPart('activate_signal', { [member]: [requested] }, { deployments: [...reported] });
    const ours = at({ platform: 'desk', account: '1', is_live: true });
    const theirs = [
      at({ account: '2', activation_key: {} }),
      at({ platform: 'other' }),
      { type: 'agent', agent_url: 'https://a.example' },
    ];
    expect(shown(at({ account: '1' }), ours, ...theirs)).toEqual({ deployments: [ours] });
    // The agent's account is optional.
    expect(shown(at({}), ours)).toEqual({ deployments: [ours] });
    expect(shown(at({ account: '1' }), at({}))).toEqual({ deployments: [at({})] });
    expect(shown(at({ account: '1' }), ours, { odd: 1 })).toEqual({ deployments: [ours] });
    expect(shown(at({ account: '1' }), { odd: 1 }, { odd: 2 })).toEqual({ deployments: [{}] });
  });
});

describe('an answer of another kind', () => {
  it('is unchanged', () => {
    const answer = { products: [{ product_id: 'p' }] };
    expect(requestedPart('get_products', { media_buy_ids: ['x'] }, answer)).toBe(answer);
    expect(requestedPart('get_media_buys', { media_buy_ids: ['x'] }, answer)).toBe(answer);
    expect(requestedPart('activate_signal', { destinations: [] }, answer)).toBe(answer);
  });
});
