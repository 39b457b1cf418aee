import { describe, expect, it } from '@jest/globals';
import type { Notice, NoticePerson, NoticeSetting } from '@switchyard/store';
import { allPermissions } from '@switchyard/tenancy';
import { planDeliveries } from './hand-out.js';
import { isBetween, nextAt } from './when-to-tell.js';

const berlin = 'Europe/Berlin';
const at = (text: string): number => Date.parse(text);

describe('the next time that clocks show', () => {
  it('is today if it is ahead, else tomorrow', () => {
    expect(nextAt(at('2026-11-20T06:00:00Z'), 8 * 60, berlin)).toBe(at('2026-11-20T07:00:00Z'));
    expect(nextAt(at('2026-11-20T07:00:00Z'), 8 * 60, berlin)).toBe(at('2026-11-21T07:00:00Z'));
    expect(nextAt(at('2026-11-20T07:00:30Z'), 8 * 60, berlin)).toBe(at('2026-11-21T07:00:00Z'));
  });

  it('is the same time of the day over both changes of the clocks', () => {
    expect(nextAt(at('2026-03-28T20:00:00Z'), 8 * 60, berlin)).toBe(at('2026-03-29T06:00:00Z'));
    expect(nextAt(at('2026-10-24T20:00:00Z'), 8 * 60, berlin)).toBe(at('2026-10-25T07:00:00Z'));
  });

  it('is after the skip if the clocks skip it', () => {
    expect(nextAt(at('2026-03-28T20:00:00Z'), 2 * 60 + 30, berlin)).toBe(at('2026-03-29T01:30:00Z'));
  });

  it('is never now or before', () => {
    for (let hour = 0; hour < 400; hour += 1)
      for (const minute of [0, 150, 480, 1_439]) {
        const now = at('2026-10-20T00:00:00Z') + hour * 1_800_000;
        expect(nextAt(now, minute, berlin)).toBeGreaterThan(now);
        expect(nextAt(now, minute, berlin)).toBeLessThanOrEqual(now + 25 * 3_600_000);
      }
  });
});

it('quiet hours may go over midnight', () => {
  expect([isBetween(1_400, 1_320, 420), isBetween(100, 1_320, 420), isBetween(420, 1_320, 420)]).toEqual([
    true,
    true,
    false,
  ]);
});

const notice: Notice = {
  id: 'n1',
  kind: 'approval.requested',
  objectKind: 'approval',
  objectId: 'a1',
  data: {},
  principalId: 'requester',
  clientId: 'nova',
  dedupeKey: 'a1',
  at: 0,
};

function person(id: string, more: Partial<NoticePerson> = {}): NoticePerson {
  const principal = {
    ...{ id, organizationId: 'o', name: id, kind: 'person' as const },
    ...{ permissions: allPermissions, transitional: true, legacy: false },
  };
  return { principal, email: `${id}@agency.example`, usualTimeZone: berlin, ...more };
}

let ids = 0;
const terms = { now: at('2026-11-20T22:30:00Z'), hasMail: true, newId: () => `d${(ids += 1)}` };
const rules = (setting: Partial<NoticeSetting>): NoticeSetting => ({ rules: {}, digestHour: 8, ...setting });

/** Who gets it by which channel, and when. */
function told(people: readonly NoticePerson[], notices: readonly Notice[] = [notice]) {
  return planDeliveries(notices, people, [], terms).deliveries.map(
    ({ recipientId, channel, dueAt, digestAt }) =>
      `${recipientId} ${channel} ${new Date(dueAt).toISOString().slice(5, 16)}${digestAt === undefined ? '' : ' together'}`,
  );
}

describe('a notice', () => {
  it('reaches who holds its permission where the object is, and never its requester', () => {
    const grants = (id: string, permissions = allPermissions) => ({
      principal: {
        ...person(id).principal,
        permissions,
        grants: [
          { permissions, scope: { kind: 'client' as const, id: id === 'of-nova' ? 'nova' : 'terra' } },
        ],
      },
    });
    const people = [
      person('requester'),
      person('admin', { email: undefined } as never),
      person('of-nova', grants('of-nova')),
      person('of-terra', grants('of-terra')),
      person('reader', {
        principal: { ...person('reader').principal, permissions: { media_buys: ['read'] } },
      }),
    ];
    expect(told(people)).toEqual([
      'admin console 11-20T22:30',
      'of-nova console 11-20T22:30',
      'of-nova mail 11-20T22:30',
    ]);
  });

  it('with an addressee reaches nobody else', () => {
    const decided = { ...notice, kind: 'approval.decided', addresseeId: 'ann' };
    expect(told([person('ann'), person('bob')], [decided])).toEqual([
      'ann console 11-20T22:30',
      'ann mail 11-20T22:30',
    ]);
  });

  it('is mailed with the daily mail, after quiet hours, or not at all, as the person has set it', () => {
    const off = person('a', { setting: rules({ rules: { mail: { '*': 'off' }, console: { '*': 'off' } } }) });
    const daily = person('b', { setting: rules({ rules: { mail: { 'approval.requested': 'daily' } } }) });
    const quiet = person('c', { setting: rules({ quietFrom: 22 * 60, quietTo: 7 * 60, timeZone: 'UTC' }) });
    expect(told([off, daily, quiet])).toEqual([
      'b console 11-20T22:30',
      'b mail 11-21T07:00 together',
      'c console 11-20T22:30',
      'c mail 11-21T07:00 together',
    ]);
  });

  it('goes in one mail with others of its kind when many come at once', () => {
    const many = Array.from({ length: 6 }, (_, number) => ({ ...notice, id: `n${number}` }));
    expect(told([person('a')], many).filter((each) => each.endsWith('together'))).toHaveLength(6);
    expect(told([person('a')], many.slice(1)).filter((each) => each.endsWith('together'))).toEqual([]);
  });
});
