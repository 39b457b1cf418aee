import { describe, expect, it } from '@jest/globals';
import {
  decideClose,
  decideReopen,
  type CloseFacts,
  type PeriodState,
  type ReopenFacts,
} from './decide-close.js';

const ids = () => {
  let made = 0;
  const next = (): string => `id-${(made += 1)}`;
  return { entry: next, operation: next, at: Date.UTC(2026, 9, 5) };
};
const clean = { openBreaks: 0, quarantinedEvents: 0, unassignedBuys: 0, reconciliationsDue: 0 };
const facts: CloseFacts = {
  checklist: clean,
  sellers: [{ seller: 'acme', currency: 'EUR', amountMicros: 7n, toPostMicros: 7n }],
  clients: [
    { clientId: 'c', currency: 'EUR', amountMicros: 9n, toPostMicros: 9n },
    { clientId: 'd', currency: 'EUR', amountMicros: 9n, toPostMicros: 0n },
  ],
};
const close = (of: Partial<CloseFacts> = {}, soft = false) =>
  decideClose({ ...facts, ...of }, { period: '2026-09', soft, by: 'u' }, ids());

describe('the close of a period', () => {
  it('is kept open by the first check that fails, in the order of the contract', () => {
    const worst = {
      openFrom: '2026-10-01',
      checklist: { ...clean, openBreaks: 1 },
      ownStep: 'held',
    } as const;
    expect(close(worst)).toEqual({ keptOpen: 'closed_already' });
    expect(close({ ...worst, openFrom: '2026-09-01' })).toEqual({ keptOpen: worst.checklist });
    expect(close({ ownStep: 'held' })).toEqual({ keptOpen: { step: 'held' } });
  });

  it('posts what is due on its last day and back on the next, by seller and client, and then itself', () => {
    const closed = close();
    if ('keptOpen' in closed) throw new Error('kept open');
    expect(closed.clients.map(({ clientId }) => clientId)).toEqual(['c']);
    expect(closed.entries.map(({ kind, seller, operationId }) => [kind, seller || operationId])).toEqual([
      ['accrual', 'acme'],
      ['accrual', 'c'],
      ['period', 'id-2'],
    ]);
    expect(
      closed.entries[0]?.postings.map(({ account, day, amountMicros }) => [account, day, amountMicros]),
    ).toEqual([
      ['seller_payable', '2026-09-30', 7n],
      ['accrued', '2026-09-30', -7n],
      ['accrued', '2026-10-01', 7n],
      ['seller_payable', '2026-10-01', -7n],
    ]);
  });

  it('that is soft posts nothing, and may be made by whoever did a step', () => {
    expect(close({ ownStep: 'held' }, true)).toMatchObject({
      ...{ state: 'soft_closed', clients: [] },
      entries: [{ kind: 'period', postings: [] }],
    });
  });
});

describe('a closed period', () => {
  const closed = (period: string, more: Partial<PeriodState> = {}): PeriodState => ({
    period,
    state: 'closed',
    ...more,
  });
  const asked = closed('2026-09', { reopenRequestedBy: 'a', reopenReason: 'late' });
  const reopen = (of: Partial<ReopenFacts>) =>
    decideReopen(
      { periods: [], isOnePerson: false, holdersOfBoth: ['h'], ...of },
      { period: '2026-09', by: 'u' },
      ids(),
    );

  it('is opened by a second person, and only the newest one', () => {
    expect(reopen({})).toEqual({ kind: 'not_closed' });
    expect(reopen({ periods: [{ period: '2026-09', state: 'open' }] })).toEqual({ kind: 'not_closed' });
    expect(reopen({ periods: [closed('2026-10'), asked], isOnePerson: true })).toEqual({
      kind: 'not_the_newest',
    });
    expect(reopen({ periods: [closed('2026-09')], isOnePerson: true })).toEqual({ kind: 'asked' });
    expect(reopen({ periods: [asked], isOnePerson: true })).toEqual({ kind: 'same_person' });
    expect(reopen({ periods: [asked] })).toMatchObject({
      kind: 'opened',
      entry: { facts: { state: 'open', asked_by: 'a', by: 'u', reason: 'late', holders_of_both: ['h'] } },
    });
  });
});
