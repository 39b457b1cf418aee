import { afterAll, describe, expect, it } from '@jest/globals';
import { recoveryPaceMs, type ReportSeen } from '@switchyard/events';
import { createBookedBuy, createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { reportWatches, type DueWatch, type EndedPoll } from './report-watches.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const start = Date.parse('2026-11-20T00:00:00Z');
const dayMs = 86_400_000;
const leaseMs = 600_000;

/** A buy whose seller is due for a poll, and its watch. */
async function watched() {
  const scope = await createScope(store);
  const { legId } = await createBookedBuy(store, scope.organizationId);
  const watches = reportWatches(store);
  await watches.open(scope, start, start);
  return {
    take: async (at: number): Promise<DueWatch | undefined> =>
      (await watches.take(scope, at, at + leaseMs, 8))[0],
    note: (at: number, ...seen: ReportSeen[]) =>
      store.inTenant(scope, (client) =>
        watches.note(
          client,
          seen.map((one) => ({ ...one, legId })),
          at,
        ),
      ),
    end: (due: DueWatch | undefined, at: number, look: Partial<EndedPoll> = {}) =>
      watches.recordPoll(scope, due!, {
        at,
        outcome: 'in_step',
        isRecovered: true,
        postponedUntil: [],
        nextAt: () => undefined,
        ...look,
      }),
    row: async () => {
      const { rows } = await store.inTenant(scope, (client) =>
        client.query<{ missing: number[]; figures_expected_at: Date[]; due_at: Date | null }>(
          'select missing, figures_expected_at, due_at from report_watch where leg_id = $1',
          [legId],
        ),
      );
      return {
        missing: rows[0]!.missing,
        figures: rows[0]!.figures_expected_at.map((time) => time.getTime()),
        dueAt: rows[0]!.due_at?.getTime(),
      };
    },
  };
}

describe('a report that arrives during a poll of its seller', () => {
  it('keeps its missing and delayed figures due, whatever the poll returns', async () => {
    const { take, note, end, row } = await watched();
    const due = await take(start);
    await note(start + 1, { sequenceNumber: 1 });
    await note(start + 2, { sequenceNumber: 3, figuresExpectedAt: [start + dayMs, start + 3] });
    await end(due, start + 5);
    expect(await row()).toEqual({
      missing: [2],
      figures: [start + 3, start + dayMs],
      dueAt: start + 2 + recoveryPaceMs.withWebhooks,
    });
  });

  it('brings the next poll forward', async () => {
    const { take, note, end, row } = await watched();
    const due = await take(start);
    await note(start + 1, { sequenceNumber: 2 });
    await end(due, start + 5, { outcome: 'not_usable', isRecovered: false, nextAt: () => start + dayMs });
    expect((await row()).dueAt).toBe(start + 1 + recoveryPaceMs.withWebhooks);
  });

  it('starts no second poll before the first has ended, or its lease has', async () => {
    const { take, note } = await watched();
    await take(start);
    await note(start + 1, { sequenceNumber: 2 });
    expect(await take(start + 1 + recoveryPaceMs.withWebhooks)).toBeUndefined();
    expect(await take(start + leaseMs)).toMatchObject({ watch: { missing: [1] } });
  });

  it('is no longer missing if the poll was made for it', async () => {
    const { take, note, end, row } = await watched();
    await note(start - leaseMs, { sequenceNumber: 4 });
    const due = await take(start);
    expect(due?.watch.missing).toEqual([1, 2, 3]);
    await note(start + 1, { sequenceNumber: 2 });
    await end(due, start + 5, { isRecovered: false });
    expect((await row()).missing).toEqual([1, 3]);
  });
});

describe('a poll of a seller', () => {
  it('recovers what was missing when it began, and is followed by the next one as the watch requires', async () => {
    const { take, note, end, row } = await watched();
    await note(start - leaseMs, { sequenceNumber: 3, figuresExpectedAt: [start] });
    const due = await take(start);
    const received: unknown[] = [];
    await end(due, start + 5, {
      postponedUntil: [start + dayMs],
      nextAt: (watch) => void received.push(watch),
    });
    expect(received).toEqual([{ highestSequence: 3, missing: [], figuresExpectedAt: [start + dayMs] }]);
    expect(await row()).toEqual({ missing: [], figures: [start + dayMs], dueAt: undefined });
    expect(await take(start + 9 * dayMs)).toBeUndefined();
  });

  it('that took longer than its lease has no effect beside a newer one', async () => {
    const { take, note, end, row } = await watched();
    await note(start - leaseMs, { sequenceNumber: 2 });
    const [slow, other] = [await take(start), await take(start + leaseMs)];
    await end(slow, start + leaseMs + 1);
    expect((await row()).missing).toEqual([1]);
    expect(await take(start + leaseMs + 2)).toBeUndefined();
    await end(other, start + leaseMs + 3);
    expect(await row()).toMatchObject({ missing: [], dueAt: undefined });
  });
});
