import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { tasks } from '../task-table.js';
import { unconfirmed, unconfirmedBy } from './unconfirmed.js';

const platform = { type: 'platform', platform: 'dsp', account: 'seat' };
const agent = { type: 'agent', agent_url: 'https://sales.example' };
const fields = (task: string, asked: JsonObject, answer: JsonObject) =>
  unconfirmed(task, asked, answer).map(({ field }) => field);

describe('an effect that a seller was asked for', () => {
  it('has a rule in every task by which a seller changes something, and in no other', () => {
    const changing = tasks.filter(({ kind, serves }) => kind === 'mutation' && serves !== 'platform');
    expect(Object.keys(unconfirmedBy).sort()).toEqual(changing.map(({ name }) => name).sort());
  });

  it.each<[string, string, JsonObject, JsonObject]>([
    [
      'a package of a buy',
      'create_media_buy',
      { packages: [{ product_id: 'p' }] },
      { media_buy_id: 'b', packages: [{ package_id: '1' }] },
    ],
    ['a buy that begins paused', 'create_media_buy', { paused: true }, { media_buy_status: 'paused' }],
    ['a pause', 'update_media_buy', { paused: true }, { media_buy_status: 'paused' }],
    ['a pause without a word about the buy', 'update_media_buy', { paused: true }, { status: 'completed' }],
    [
      'a pause of the older form',
      'update_media_buy',
      { updates: { status: 'paused' } },
      { status: 'paused' },
    ],
    ['a cancellation', 'update_media_buy', { canceled: true }, { media_buy_status: 'canceled' }],
    [
      'a pause of a package',
      'update_media_buy',
      { packages: [{ package_id: '1', paused: true }] },
      { affected_packages: [{ package_id: '1', paused: true }] },
    ],
    [
      'a creative',
      'sync_creatives',
      { creatives: [{ creative_id: 'c' }] },
      { creatives: [{ creative_id: 'c', action: 'created' }] },
    ],
    [
      'an assignment that is refused',
      'sync_creatives',
      { assignments: [{ creative_id: 'c', package_id: '1' }] },
      { creatives: [{ creative_id: 'c', assigned_to: [], assignment_errors: { 1: 'No.' } }] },
    ],
    ['an activation', 'activate_signal', { destinations: [platform] }, { deployments: [platform] }],
    ['feedback', 'provide_performance_feedback', {}, { success: true }],
    [
      'usage, accepted and refused',
      'report_usage',
      { usage: [{}, {}] },
      { accepted: 1, errors: [{ code: 'X', field: 'usage[1].vendor_cost' }] },
    ],
  ])('is confirmed or refused by a complete answer: %s', (_what, task, asked, answer) => {
    expect(fields(task, asked, answer)).toEqual([]);
  });

  it.each<[string, string, JsonObject, JsonObject, readonly string[]]>([
    [
      'a package that was not made',
      'create_media_buy',
      { packages: [{}, {}] },
      { packages: [{ package_id: '1' }] },
      ['packages'],
    ],
    ['a buy that runs at once', 'create_media_buy', { paused: true }, { status: 'active' }, ['paused']],
    ['a buy that runs on', 'update_media_buy', { paused: true }, { media_buy_status: 'active' }, ['paused']],
    ['a buy that stays paused', 'update_media_buy', { paused: false }, { status: 'paused' }, ['paused']],
    [
      'a cancellation in the older form',
      'update_media_buy',
      { updates: { status: 'canceled' } },
      { status: 'active' },
      ['updates.canceled'],
    ],
    [
      'packages that are left out, or run on',
      'update_media_buy',
      { packages: [{ package_id: '1' }, { package_id: '2', paused: true }] },
      { affected_packages: [{ package_id: '2', paused: false }] },
      ['packages[0]', 'packages[1].paused'],
    ],
    [
      'a creative without a row',
      'sync_creatives',
      { creatives: [{ creative_id: 'c' }, { creative_id: 'd' }] },
      { creatives: [{ creative_id: 'c', action: 'created' }] },
      ['creatives[1]'],
    ],
    [
      'an assignment, in both forms',
      'sync_creatives',
      { assignments: { c: ['1', '2'] } },
      { creatives: [{ creative_id: 'c', assigned_to: ['1'] }] },
      ['assignments.c'],
    ],
    [
      'one of two places',
      'activate_signal',
      { destinations: [platform, agent] },
      { deployments: [agent] },
      ['destinations[0]'],
    ],
    [
      'an account at a place',
      'activate_signal',
      { deployments: [platform] },
      { deployments: [{ ...platform, account: 'other' }] },
      ['deployments[0]'],
    ],
    ['usage that is not counted', 'report_usage', { usage: [{}, {}] }, { accepted: 1 }, ['usage']],
  ])('is reported as not confirmed: %s', (_what, task, asked, answer, missing) => {
    expect(fields(task, asked, answer)).toEqual(missing);
    expect(unconfirmed(task, asked, answer).every(({ code }) => code === 'NOT_CONFIRMED')).toBe(true);
  });
});
