import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  buyStatusWord,
  readBuyStatus,
  rollUp,
  type MediaBuyStatus,
} from './entities/media-buy/buy-status.js';
import { prefixId, splitId } from './ids.js';
import { type TaskStatus, isTerminal, observe, readTaskStatus } from './entities/task/task-status.js';
import type { Form } from './versions/wire-profile.js';

const statuses: readonly TaskStatus[] = [
  ...([
    'submitted',
    'working',
    'input-required',
    'auth-required',
    'completed',
    'failed',
    'canceled',
  ] as const),
  ...(['rejected', 'unknown'] as const),
];
const buyStatuses: readonly MediaBuyStatus[] = [
  ...([
    'pending_creatives',
    'pending_start',
    'active',
    'paused',
    'completed',
    'rejected',
    'canceled',
  ] as const),
];

describe('a task’s status', () => {
  it('stays at its first end: the same end is a duplicate, another one a conflict, anything else stale', () => {
    for (const end of statuses.filter(isTerminal)) {
      for (const seen of statuses) {
        const expected = seen === end ? 'duplicate' : isTerminal(seen) ? 'conflict' : 'stale';
        expect(observe(end, seen)).toBe(expected);
      }
    }
  });

  it('reaches every end from every open state, and never goes back from working to submitted', () => {
    for (const open of statuses.filter((status) => !isTerminal(status))) {
      for (const end of statuses.filter(isTerminal)) expect(observe(open, end)).toBe('applied');
    }
    expect(observe('working', 'submitted')).toBe('stale');
    expect(observe('submitted', 'working')).toBe('applied');
    expect(observe('input-required', 'submitted')).toBe('applied');
    expect(observe('working', 'unknown')).toBe('stale');
    expect(observe('unknown', 'submitted')).toBe('applied');
  });

  it('ends the same for any order and number of deliveries before the first end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statuses)), (seen) => {
        const firstEnd = seen.find(isTerminal);
        const end = seen.reduce<TaskStatus>(
          (now, next) => (observe(now, next) === 'applied' ? next : now),
          'submitted',
        );
        if (firstEnd !== undefined) expect(end).toBe(firstEnd);
        else expect(isTerminal(end)).toBe(false);
      }),
    );
  });

  it('is read in every spelling', () => {
    expect(
      ['input_required', 'TASK_STATE_AUTH_REQUIRED', 'cancelled', 'TASK_STATE_UNSPECIFIED', 'pending', 7].map(
        readTaskStatus,
      ),
    ).toEqual(['input-required', 'auth-required', 'canceled', 'unknown', undefined, undefined]);
  });
});

describe('a buy’s status', () => {
  it('is read from every value of any form', () => {
    const forms: readonly Form[] = ['service', '3.0', '3.1'];
    for (const form of forms) {
      for (const status of buyStatuses) {
        const again = readBuyStatus(buyStatusWord(status, form));
        if (form === 'service' && status === 'pending_creatives') expect(again).toBe('pending_start');
        else expect(again).toBe(status);
      }
    }
    const words = (form: Form) => buyStatuses.map((status) => buyStatusWord(status, form));
    const ends = ['completed', 'rejected', 'canceled'];
    expect(words('service')).toEqual(['pending', 'pending', 'active', 'paused', ...ends]);
    expect(words('3.1')).toEqual(['pending_creatives', 'pending_start', 'active', 'paused', ...ends]);
    expect(words('2.5')).toEqual([
      ...['pending_activation', 'pending_activation', 'active', 'paused'],
      ...['completed', 'completed', 'completed'],
    ]);
    expect(readBuyStatus('pending_activation')).toBe('pending_start');
    expect(readBuyStatus('reporting_delayed')).toBe('active');
    expect(readBuyStatus('failed')).toBeUndefined();
    expect(readBuyStatus('toString')).toBeUndefined();
    expect(buyStatusWord('canceled', '2.5')).toBe('completed');
  });

  it('over several sellers has ended only when all have ended', () => {
    expect(rollUp(['active', 'completed'])).toBe('active');
    expect(rollUp(['paused', 'rejected', 'pending_start'])).toBe('pending_start');
    expect(rollUp(['pending_start', 'pending_creatives'])).toBe('pending_creatives');
    expect(rollUp(['paused', 'canceled'])).toBe('paused');
    expect(rollUp(['rejected', 'rejected'])).toBe('rejected');
    expect(rollUp(['canceled'])).toBe('canceled');
    expect(rollUp(['canceled', 'completed'])).toBe('completed');
    expect(() => rollUp([])).toThrow(RangeError);
  });
});

describe('an id with its seller in front', () => {
  it('splits at the first colon, with any characters in the seller’s own id', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/), fc.string({ minLength: 1 }), (slug, id) => {
        expect(splitId(prefixId(slug, id))).toEqual({ ok: true, value: { slug, id } });
      }),
    );
  });

  it('is refused without a valid slug', () => {
    expect(splitId('prod_1')).toEqual({ ok: false, error: { code: 'unprefixed' } });
    expect(splitId('acme:')).toEqual({ ok: false, error: { code: 'unprefixed' } });
    for (const id of [':x', 'Acme:x', '-a:x', 'a_b:x', `${'a'.repeat(64)}:x`]) {
      expect(splitId(id)).toEqual({ ok: false, error: { code: 'bad_slug' } });
    }
    expect(() => prefixId('Bad Slug', 'x')).toThrow(RangeError);
  });
});
