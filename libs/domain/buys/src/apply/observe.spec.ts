import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { TaskStatus } from '@switchyard/protocol';
import { makeOperation } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import { applyAndExplain, operationStatus } from './apply-observation.js';
import { applyStatus } from './apply-status.js';
import type { LegObservation } from '../model/leg-state.js';
import type { Leg, LegStatus, ObservationSource } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';

const scope = { organizationId: randomUUID() };
const at = Date.UTC(2026, 0, 3);

function begun(sellers: readonly string[] = ['acme']): OperationState & { readonly legId: string } {
  const draft = makeOperation(scope, { sellers });
  return { ...draft, legId: draft.legs[0]!.id };
}

const made = (id = 'their-1', more: JsonObject = {}): JsonObject => ({
  media_buy_id: id,
  media_buy_status: 'active',
  confirmed_at: '2026-01-02T00:00:00Z',
  revision: 3,
  packages: [{ package_id: `${id}-p1` }, { package_id: `${id}-p2` }],
  ...more,
});

function seen(
  status: TaskStatus,
  payload: JsonObject = {},
  source: ObservationSource = 'webhook',
): LegObservation {
  const errors = status === 'failed' ? [{ code: 'BUDGET_TOO_LOW', message: 'Too low.' }] : [];
  return { source, at, reply: { status, payload, errors, replayed: false } };
}

const legOf = (state: OperationState, id: string): Leg => state.legs.find((leg) => leg.id === id)!;

function after(...observations: readonly LegObservation[]) {
  const { legId, ...state } = begun();
  const kinds: string[] = [];
  const end = observations.reduce<OperationState>((now, observation) => {
    const applied = applyAndExplain(now, legId, observation);
    kinds.push(applied.kind);
    return applied.state;
  }, state);
  return { kinds, state: end, leg: legOf(end, legId) };
}

describe('two states that are no ends', () => {
  const received = (status: TaskStatus, reportedAt: number): LegObservation => ({
    ...seen(status),
    reportedAt,
  });

  it('are ordered by their seller’s date, in any order of arrival; an end counts with any date', () => {
    const late = after(received('input-required', at), received('working', at - 1));
    expect([late.kinds, late.leg.status]).toEqual([['changed', 'stale'], 'input-required']);
    const inOrder = after(received('input-required', at), received('working', at + 1));
    expect([inOrder.kinds, inOrder.leg.status]).toEqual([['changed', 'changed'], 'working']);
    const undated = after(received('input-required', at), seen('working'));
    expect(undated.leg.status).toBe('working');
    expect(after(received('working', at), received('failed', at - 1)).leg.status).toBe('failed');
  });
});

describe('the first end that a seller reports', () => {
  const ends = ['completed', 'failed', 'canceled', 'rejected'] as const;
  const observation = fc
    .tuple(
      fc.constantFrom<TaskStatus>(...ends, 'submitted', 'working', 'input-required', 'unknown'),
      fc.constantFrom<ObservationSource>('inline', 'webhook', 'poll', 'read_back'),
    )
    .map(([status, source]) => seen(status, status === 'completed' ? made() : {}, source));

  it('counts, for any channels and any order', () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 8 }), (observations) => {
        const { leg, state } = after(...observations);
        const first = observations.find(({ reply }) => ends.some((end) => end === reply.status));
        if (first === undefined) {
          expect(ends).not.toContain(leg.status);
          expect(state.operation.settledAt).toBeUndefined();
          return;
        }
        expect(leg.status).toBe(first.reply.status);
        expect(leg.observedBy).toBe(first.source);
        expect(state.operation).toMatchObject({ status: first.reply.status, settledAt: at });
      }),
    );
  });

  it('gives the same state for the same facts over webhooks, polls and reads, in any order', () => {
    const interims = ['submitted', 'working', 'input-required', 'unknown'] as const;
    const channel = fc.constantFrom<ObservationSource>('webhook', 'poll', 'read_back');
    const story = fc.record({
      end: fc.constantFrom(...ends),
      interims: fc.array(fc.tuple(fc.constantFrom<TaskStatus>(...interims), channel), { maxLength: 6 }),
      tellers: fc.array(channel, { minLength: 1, maxLength: 4 }),
    });
    const received = story.chain(({ end, interims: before, tellers }) => {
      const all = [
        ...before.map(([status, source]) => seen(status, {}, source)),
        ...tellers.map((source) => seen(end, end === 'completed' ? made() : {}, source)),
      ];
      return fc.tuple(
        fc.constant(end),
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.shuffledSubarray(all, { minLength: all.length }),
      );
    });
    const { legId, ...start } = begun();
    const standing = (observations: readonly LegObservation[]) => {
      const end = observations.reduce<OperationState>(
        (now, current) => applyAndExplain(now, legId, current).state,
        start,
      );
      return {
        ...end,
        // Who was first, how far the question pace had come, and which steps back were seen on the way, is no state of
        // the world.
        legs: end.legs.map(({ observedBy: _by, nextPollAt: _next, findings, ...leg }) => ({
          ...leg,
          findings: findings.filter(({ code }) => code !== 'TASK_REGRESSION'),
        })),
      };
    };
    fc.assert(
      fc.property(received, ([end, one, other]) => {
        expect(standing(one)).toEqual(standing(other));
        expect(standing(one).legs[0]?.status).toBe(end);
      }),
      { numRuns: 300 },
    );
  });

  it('makes later messages stale, and repeated ones duplicates', () => {
    const { kinds } = after(
      seen('completed', made()),
      seen('working'),
      seen('submitted'),
      seen('unknown'),
      seen('completed', made(), 'poll'),
    );
    expect(kinds).toEqual(['changed', 'stale', 'stale', 'stale', 'duplicate']);
  });

  it('records a second, different end as a finding, once', () => {
    const { kinds, leg } = after(seen('completed', made()), seen('failed'), seen('failed'), seen('canceled'));
    expect(kinds).toEqual(['changed', 'conflict', 'conflict', 'conflict']);
    expect(leg.status).toBe('completed');
    expect(leg.findings.filter(({ code }) => code === 'TERMINAL_CONFLICT')).toHaveLength(2);
  });

  it('is contradicted by a completion that names another buy', () => {
    const { kinds, state } = after(seen('completed', made('a')), seen('completed', made('b'), 'poll'));
    expect(kinds).toEqual(['changed', 'conflict']);
    expect(state.sellerBuys[0]?.sellerMediaBuyId).toBe('a');
  });
});

describe('an interim state', () => {
  it("stores the seller's ids and the time of the next poll", () => {
    const { leg } = after({
      ...seen('submitted'),
      reply: { ...seen('submitted').reply, taskId: 't1', contextId: 'c1' },
      a2aTaskId: 'a1',
    });
    expect(leg).toMatchObject({
      status: 'submitted',
      sellerTaskId: 't1',
      contextId: 'c1',
      a2aTaskId: 'a1',
      // The leg was sent without an address for the news.
      nextPollAt: at + 30_000,
    });
  });

  it('never goes backwards', () => {
    expect(after(seen('working'), seen('submitted')).leg.status).toBe('working');
  });

  it.each([
    ['in an answer to our own question', 'poll', 1],
    ['in a message, which may be late', 'webhook', 0],
  ] as const)(
    'that goes backwards %s is recorded on the leg %s: %i times, for any number of repetitions',
    (_how, source, times) => {
      const { kinds, leg, state } = after(
        seen('working', {}, 'poll'),
        seen('submitted', {}, source),
        seen('submitted', {}, source),
        seen('unknown', {}, source),
      );
      expect(kinds).toEqual(['changed', 'stale', 'stale', 'stale']);
      expect(leg.status).toBe('working');
      expect(leg.findings.filter(({ code }) => code === 'TASK_REGRESSION')).toHaveLength(times);
      expect(state.operation.status).toBe('working');
    },
  );

  it('is no outcome when it is unknown: the leg still waits', () => {
    expect(after(seen('unknown'))).toMatchObject({ kinds: ['stale'], leg: { status: 'pending' } });
  });
});

describe('a completed answer that cannot be read', () => {
  it.each([
    ['nothing at all', {}],
    ['no id', { packages: [] }],
    ['no packages', { media_buy_id: 'x' }],
    ['packages that are none', { media_buy_id: 'x', packages: 'two' }],
  ])('with %s is parked for a person, and never failed', (_what, payload) => {
    const { kinds, leg, state } = after(seen('completed', payload, 'inline'));
    expect(kinds).toEqual(['parked']);
    expect(leg.status).toBe('parked');
    expect(leg.findings.map(({ code }) => code)).toContain('UNREADABLE_ANSWER');
    expect(state.operation).toMatchObject({ status: 'submitted' });
    expect(state.operation.settledAt).toBeUndefined();
    expect(state.sellerBuys[0]?.status).toBe('pending_start');
  });

  it('is settled by a readable one, and not by a later failure', () => {
    const { kinds, leg, state } = after(
      seen('completed', {}, 'inline'),
      seen('failed'),
      seen('working'),
      seen('completed', made(), 'poll'),
    );
    expect(kinds).toEqual(['parked', 'conflict', 'stale', 'changed']);
    expect(leg).toMatchObject({ status: 'completed', observedBy: 'poll', errors: [] });
    expect(state.operation.status).toBe('completed');
  });

  it('is handled alike for every task, not only for buys', () => {
    const { legId, ...state } = begun();
    const legs = state.legs.map((leg) => ({ ...leg, task: 'activate_signal' }));
    const { buy: _none, ...bare } = { ...state, legs, sellerBuys: [], packages: [] };
    const applied = applyAndExplain(bare, legId, seen('completed', { done: true }));
    expect(applied.kind).toBe('parked');
  });
});

describe('the content of a completed answer', () => {
  it('is the seller’s buy, its packages and our buy’s status', () => {
    const { state } = after(seen('completed', made(), 'inline'));
    expect(state.sellerBuys[0]).toMatchObject({
      sellerMediaBuyId: 'their-1',
      status: 'active',
      statusAsOf: at,
      revision: 3,
      confirmedAt: Date.UTC(2026, 0, 2),
    });
    expect(state.packages.map((item) => item.sellerPackageId)).toEqual(['their-1-p1', 'their-1-p2']);
    expect(state.buy?.status).toBe('active');
  });

  it('is provisional if the seller says so, and otherwise confirmed at the time of the answer', () => {
    const provisional = after(seen('completed', made('x', { confirmed_at: null })));
    expect(provisional.state.sellerBuys[0]?.confirmedAt).toBeUndefined();
    const { confirmed_at: _none, ...older } = made('x');
    expect(after(seen('completed', older)).state.sellerBuys[0]?.confirmedAt).toBe(at);
  });
});

describe('a commitment', () => {
  const changesOf = (state: OperationState, before?: OperationState) =>
    (state.changes ?? []).slice(before?.changes?.length ?? 0);

  it('is recorded once with its terms, and not again when it is reported again', () => {
    const { state } = after(seen('completed', made(), 'inline'));
    expect(changesOf(state)).toMatchObject([
      {
        actor: 'buyer',
        action: 'create',
        revision: 1,
        at,
        detail: {
          seller_media_buy_id: 'their-1',
          seller_revision: 3,
          confirmed_at: '2026-01-02T00:00:00.000Z',
          packages: [
            { package_id: 'their-1-p1', budget: '9007199254.740993', currency: 'USD' },
            { package_id: 'their-1-p2', budget: '9007199254.740994', currency: 'USD' },
          ],
        },
      },
    ]);
    const again = applyAndExplain(state, state.legs[0]!.id, seen('completed', made()));
    expect([again.kind, changesOf(again.state, state)]).toEqual(['duplicate', []]);
  });

  it('is absent if a seller has refused', () => {
    expect(changesOf(after(seen('rejected')).state)).toEqual([]);
  });

  it.each([
    ['canceled', ['revise', 'cancel']],
    ['active', ['revise']],
    ['completed', ['revise']],
  ] as const)('by a seller that reports %s of its part is recorded as its own change', (status, actions) => {
    const before = after(seen('completed', made())).state;
    const id = before.sellerBuys[0]!.id;
    const looked = applyStatus(before, id, { status, revision: 4 }, at + 1_000);
    expect(changesOf(looked, before).map(({ actor, action }) => [actor, action])).toEqual(
      actions.map((action) => ['seller', action]),
    );
    const again = applyStatus(looked, id, { status, revision: 4 }, at + 2_000);
    expect(changesOf(again, looked)).toEqual([]);
  });

  it('provisionally is recorded again when it is confirmed, and when it is refused', () => {
    const answer = made('x', { confirmed_at: null, media_buy_status: 'pending_start' });
    const before = after(seen('completed', answer)).state;
    expect(changesOf(before)[0]?.detail).toMatchObject({ confirmed_at: null });
    const id = before.sellerBuys[0]!.id;
    const confirmedAt = '2026-01-03T00:00:01Z';
    const confirmed = applyStatus(
      before,
      id,
      { status: 'pending_start', revision: 3, confirmedAt },
      at + 1_000,
    );
    expect(changesOf(confirmed, before)).toMatchObject([
      { action: 'confirm', detail: { confirmed_at: '2026-01-03T00:00:01.000Z' } },
    ]);
    const refused = applyStatus(confirmed, id, { status: 'rejected', revision: 3 }, at + 2_000);
    expect(changesOf(refused, confirmed)).toMatchObject([
      { action: 'reject', detail: { from: 'pending_start', to: 'rejected' } },
    ]);
  });
});

describe('an operation of several legs', () => {
  const statuses: readonly [readonly LegStatus[], TaskStatus][] = [
    [['pending'], 'submitted'],
    [['sent', 'completed'], 'submitted'],
    [['parked', 'completed'], 'submitted'],
    [['submitted', 'working'], 'working'],
    [['working', 'input-required', 'completed'], 'input-required'],
    [['auth-required'], 'submitted'],
    [['completed', 'failed'], 'completed'],
    [['failed', 'failed'], 'failed'],
    [['rejected', 'rejected'], 'rejected'],
    [['canceled'], 'canceled'],
    [['rejected', 'failed'], 'failed'],
    [['canceled', 'rejected'], 'failed'],
  ];
  it.each(statuses)('%j is %s', (legs, status) => {
    expect(operationStatus(legs.map((leg) => ({ status: leg }) as Leg))).toBe(status);
  });

  it('is not settled before its last leg, and a failed leg does not fail the buy', () => {
    const { legId: _first, ...state } = begun(['acme', 'bravo']);
    const [acme, bravo] = state.legs;
    const current = applyAndExplain(state, acme!.id, seen('failed')).state;
    expect(current.operation).toMatchObject({ status: 'submitted' });
    const two = applyAndExplain(current, bravo!.id, seen('completed', made())).state;
    expect(two.operation).toMatchObject({ status: 'completed', settledAt: at });
    expect(two.buy?.status).toBe('active');
    expect(two.sellerBuys.map((item) => item.status)).toEqual(['rejected', 'active']);
  });

  it('without any part made is rejected, or canceled if all parts were', () => {
    const { legId: _first, ...state } = begun(['acme', 'bravo']);
    const end = (status: TaskStatus) =>
      state.legs.reduce<OperationState>(
        (now, leg) => applyAndExplain(now, leg.id, seen(status)).state,
        state,
      );
    expect(end('failed').buy?.status).toBe('rejected');
    expect(end('canceled').buy?.status).toBe('canceled');
  });
});

describe('a later poll of a seller’s buy', () => {
  const booked = (): OperationState => after(seen('completed', made())).state;
  const look = (
    state: OperationState,
    status: 'active' | 'completed' | 'rejected' | 'canceled',
    more: object = {},
    when = at + 1_000,
  ) => applyStatus(state, state.sellerBuys[0]!.id, { status, revision: 4, ...more }, when);

  it.each(['completed', 'canceled'] as const)('that finds it %s ends it for good', (status) => {
    const ended = look(booked(), status);
    expect(ended.sellerBuys[0]).toMatchObject({ status, statusAsOf: at + 1_000, revision: 4 });
    expect(ended.buy?.status).toBe(status);
    const again = look(ended, 'active', {}, at + 2_000);
    expect(again.sellerBuys).toEqual(ended.sellerBuys);
    expect(again.buy).toEqual(ended.buy);
  });

  it('that finds it ended again changes nothing more, with any other content', () => {
    const ended = look(booked(), 'canceled');
    const later = { revision: 9, endTime: '2031-01-01T00:00:00Z', rejectionReason: 'On second thoughts.' };
    expect(look(ended, 'canceled', later, at + 2_000)).toBe(ended);
  });

  it('refuses an invalid transition, and records the seller’s report, once', () => {
    const before = booked();
    const odd = look(before, 'rejected');
    expect(odd.sellerBuys).toEqual(before.sellerBuys);
    const codes = odd.legs[0]!.findings.map(({ code }) => code);
    expect(codes).toContain('ILLEGAL_TRANSITION');
    expect(odd.changes?.slice(before.changes?.length)).toMatchObject([
      { actor: 'seller', action: 'refused_transition', detail: { from: 'active', to: 'rejected' } },
    ]);
    expect(look(odd, 'rejected', {}, at + 2_000)).toBe(odd);
  });

  it('that is older than the stored state changes nothing', () => {
    const state = booked();
    expect(look(state, 'completed', { revision: 2 })).toBe(state);
    expect(look(state, 'completed', {}, at - 1)).toBe(state);
  });

  it('confirms a provisional buy, and moves no confirmation', () => {
    const provisional = after(seen('completed', made('x', { confirmed_at: null }))).state;
    expect(look(provisional, 'active').sellerBuys[0]?.confirmedAt).toBeUndefined();
    const confirmedAt = '2026-01-03T00:00:01Z';
    expect(look(provisional, 'active', { confirmedAt }).sellerBuys[0]?.confirmedAt).toBe(at + 1_000);
    expect(look(booked(), 'active', { confirmedAt }).sellerBuys[0]?.confirmedAt).toBe(Date.UTC(2026, 0, 2));
  });
});
