import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { storeObservation } from '@switchyard/buys';
import { dueWork } from '@switchyard/store';
import { createTelemetry } from '@switchyard/telemetry';
import { makeOperation } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from './apply-inbox.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { measureLag } from '../../main/scheduled-jobs.js';
import { longestWaitMs } from './inbox-marks.js';
import { report, specInbox, taskUpdate, type SpecSeller } from '../testkit/inbox.js';

let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
});

const apply = (over: Partial<WorkerDeps> = {}) => applyInbox({ ...inbox.deps, ...over }, inbox.scope);

/** Another buy at the same seller, which has no answer yet: its addresses, and its future id. */
async function unanswered(mediaBuyId: string): Promise<SpecSeller> {
  const { connection } = seller;
  const made = makeOperation(inbox.scope, {
    sellers: [connection.slug],
    connectionIds: { [connection.slug]: connection.id },
    packagesPerLeg: 1,
    createdAt: inbox.clock.now(),
  });
  await inbox.deps.ports.store.begin(inbox.scope, made);
  const [leg] = made.legs;
  const address = (kind: string): string =>
    made.registrations.find((registration) => registration.kind === kind)?.id ?? '';
  return {
    ...seller,
    legId: leg?.id ?? '',
    operationId: made.operation.id,
    mediaBuyId: made.buy.id,
    sellerMediaBuyId: mediaBuyId,
    packageRef: `${mediaBuyId}-p1`,
    taskAddress: address('task'),
    reportAddress: address('report'),
    sellerOperationId: made.registrations[0]?.sellerOperationId ?? '',
  };
}

/** The seller's final answer. */
async function answer(buy: SpecSeller, source: 'inline' | 'webhook'): Promise<void> {
  const payload: JsonObject = {
    media_buy_id: buy.sellerMediaBuyId,
    media_buy_status: 'active',
    packages: [{ package_id: buy.packageRef, product_id: 'ctv' }],
  };
  await storeObservation(
    inbox.deps.ports,
    inbox.scope,
    {
      id: buy.legId,
      connectionId: buy.connection.id,
      seller: buy.connection.slug,
      task: 'create_media_buy',
    },
    {
      source,
      at: inbox.clock.now(),
      reply: { status: 'completed', payload, errors: [], replayed: false },
    },
  );
}

async function post(buy: SpecSeller, body: object, address = buy.reportAddress): Promise<void> {
  inbox.clock.advance(1);
  expect((await inbox.post(buy, body, { address })).status).toBe(200);
}

const states = async (): Promise<readonly (readonly [string, string | undefined])[]> =>
  (await inbox.admin.list(inbox.caller, { seller: seller.connection.slug })).map(
    ({ state, reason }) => [state, reason] as const,
  );

const spendOf = async (buy: SpecSeller): Promise<readonly bigint[]> =>
  (await inbox.deps.ledger.deliveredBy(inbox.scope, buy.mediaBuyId)).map(
    (delivered) => delivered.spendMicros,
  );

const legOf = (buy: SpecSeller) => inbox.deps.ports.store.leg(inbox.scope, buy.legId);

describe('a task update', () => {
  it('completes its leg', async () => {
    const buy = await unanswered('home-1');
    await post(buy, taskUpdate(buy, 'completed'), buy.taskAddress);
    await apply();
    expect(await legOf(buy)).toMatchObject({ status: 'completed', observedBy: 'webhook' });
    expect(await states()).toEqual([['applied', undefined]]);
  });

  it('of a task that ended in its first answer is quarantined, and changes nothing', async () => {
    const buy = await unanswered('inline-1');
    await answer(buy, 'inline');
    const before = await legOf(buy);
    await post(buy, taskUpdate(buy, 'failed'), buy.taskAddress);
    await apply();
    expect(await states()).toEqual([['quarantined', 'task_ended_inline']]);
    expect(await legOf(buy)).toEqual(before);
  });

  it('with a second, different end is quarantined', async () => {
    const buy = await unanswered('ends-1');
    await post(buy, taskUpdate(buy, 'completed'), buy.taskAddress);
    await post(buy, taskUpdate(buy, 'failed'), buy.taskAddress);
    await apply();
    expect(await states()).toEqual([
      ['quarantined', 'terminal_conflict'],
      ['applied', undefined],
    ]);
    expect((await legOf(buy))?.status).toBe('completed');
  });

  it('out of order is stale, and acknowledged', async () => {
    const buy = await unanswered('order-1');
    await post(buy, taskUpdate(buy, 'completed'), buy.taskAddress);
    await post(buy, taskUpdate(buy, 'working'), buy.taskAddress);
    await apply();
    expect((await states()).map(([state]) => state)).toEqual(['stale', 'applied']);
  });

  it('that cannot be read as an answer parks its leg, and does not fail it', async () => {
    const buy = await unanswered('odd-1');
    await post(buy, taskUpdate(buy, 'completed', { result: { media_buy_id: 7 } }), buy.taskAddress);
    await apply();
    expect((await legOf(buy))?.status).toBe('parked');
    expect(await states()).toEqual([['applied', 'leg_parked']]);
  });
});

describe('a report of a buy whose request has no answer yet', () => {
  it('waits, and is posted once its buy is known', async () => {
    const buy = await unanswered('later-1');
    await post(buy, report(buy, { spend: 12.5 }));
    expect((await apply()).done).toBe(0);
    expect(await states()).toEqual([['received', undefined]]);
    await answer(buy, 'webhook');
    expect((await apply()).done).toBe(1);
    expect(await spendOf(buy)).toEqual([12_500_000n]);
  });

  it('is quarantined after a day', async () => {
    const buy = await unanswered('never-1');
    await post(buy, report(buy));
    inbox.clock.advance(longestWaitMs - 1);
    await apply();
    expect(await states()).toEqual([['received', undefined]]);
    inbox.clock.advance(1);
    await apply();
    expect(await states()).toEqual([['quarantined', 'not_applied_in_time']]);
  });

  it('does not delay later reports, however many wait', async () => {
    const buy = await unanswered('flood-1');
    for (let index = 0; index < 300; index += 1) await post(buy, report(buy, { sequence: index + 1 }));
    await post(seller, report(seller, { spend: 7 }));
    expect((await apply()).done).toBe(1);
    expect(await spendOf(seller)).toEqual([7_000_000n]);
    inbox.clock.advance(longestWaitMs);
    expect((await apply()).done).toBe(300);
  });
});

describe('two workers at once', () => {
  it('apply every event once', async () => {
    const days = Array.from({ length: 20 }, (_, index) => `2026-10-${String(index + 1).padStart(2, '0')}`);
    for (const [index, day] of days.entries())
      await post(seller, report(seller, { day, spend: 1.5, sequence: index + 1 }));
    const buy = await unanswered('once-1');
    await post(buy, taskUpdate(buy, 'completed'), buy.taskAddress);
    await Promise.all([apply(), apply(), apply()]);
    await apply();
    expect((await states()).every(([state]) => state === 'applied' || state === 'stale')).toBe(true);
    expect(await spendOf(seller)).toEqual([30_000_000n]);
    expect((await legOf(buy))?.status).toBe('completed');
    expect((await inbox.deps.ledger.verify(inbox.scope)).ok).toBe(true);
  });
});

describe('a commitment', () => {
  it('is in the ledger before its delivery', async () => {
    const buy = await unanswered('commitment-1');
    await answer(buy, 'webhook');
    await post(buy, report(buy, { spend: 4 }));
    expect((await apply()).done).toBe(1);
    const entries = await inbox.deps.ledger.entriesOf(inbox.scope, buy.mediaBuyId);
    expect(entries.map(({ kind }) => kind)).toEqual(['bought', 'delivery']);
    await apply();
    expect(await inbox.deps.ledger.entriesOf(inbox.scope, buy.mediaBuyId)).toHaveLength(2);
  });

  it('does not delay reports if it cannot be posted', async () => {
    await post(seller, report(seller, { spend: 5 }));
    const unexpected: string[] = [];
    const done = await apply({
      onUnexpected: (_, where) => unexpected.push(where),
      ledger: {
        ...inbox.deps.ledger,
        bookChanges: () => Promise.reject(new Error('The ledger does not answer.')),
      },
    });
    expect([done.done, unexpected]).toEqual([1, ['booking commitments']]);
    expect(await spendOf(seller)).toEqual([5_000_000n]);
  });
});

describe('an event that breaks its handler', () => {
  it('affects no other event: the reports around it are posted, and only it waits', async () => {
    const days = ['2026-09-01', '2026-09-02', '2026-09-03'];
    for (const [index, day] of days.entries())
      await post(seller, report(seller, { day, spend: 2, sequence: index + 1 }));
    const broken = (await inbox.deps.inbox.waiting(inbox.scope, 10))[1]?.id;
    const { ledger } = inbox.deps;
    const unexpected: unknown[] = [];
    const over: Partial<WorkerDeps> = {
      onUnexpected: (error) => unexpected.push(error),
      ledger: {
        ...ledger,
        applyReports: (scope, batch, options) =>
          batch.some((observation) => observation.eventId === broken)
            ? Promise.reject(new Error('A rule of the ledger broke.'))
            : ledger.applyReports(scope, batch, options),
      },
    };
    expect((await apply(over)).done).toBe(2);
    expect(unexpected).toHaveLength(1);
    expect(await spendOf(seller)).toEqual([4_000_000n]);
    expect((await states()).map(([state]) => state).sort()).toEqual(['applied', 'applied', 'received']);
    inbox.clock.advance(longestWaitMs);
    await apply(over);
    expect(await inbox.deps.inbox.find(inbox.scope, broken ?? '')).toMatchObject({
      state: 'quarantined',
      reason: 'not_applied_in_time',
    });
  });
});

describe('an event that breaks its reader', () => {
  it('affects no other event, and waits', async () => {
    const other = await inbox.seller();
    await post(seller, report(seller, { spend: 2 }));
    await post(other, report(other, { spend: 3 }));
    const { ports } = inbox.deps;
    const unexpected: string[] = [];
    const over: Partial<WorkerDeps> = {
      onUnexpected: (_, where) => unexpected.push(where),
      ports: {
        ...ports,
        connections: {
          list: (scope) => ports.connections.list(scope),
          byId: (scope, id) =>
            id === seller.connection.id
              ? Promise.reject(new Error('It cannot be read.'))
              : ports.connections.byId(scope, id),
        },
      },
    };
    expect((await apply(over)).done).toBe(1);
    expect(unexpected).toHaveLength(1);
    expect(await spendOf(other)).toEqual([3_000_000n]);
    expect((await apply()).done).toBe(1);
    expect(await spendOf(seller)).toEqual([2_000_000n]);
  });
});

describe('the last report of a buy', () => {
  it('changes the state of the buy', async () => {
    await post(seller, report(seller, { type: 'final', day: '2026-11-20' }));
    expect((await apply()).ended).toEqual([
      { connectionId: seller.connection.id, sellerMediaBuyId: seller.sellerMediaBuyId },
    ]);
  });
});

describe('the published lag of the inbox', () => {
  it('is that of the oldest waiting event, and absent without one', async () => {
    const { metrics } = createTelemetry({ level: 'silent', processFigures: false });
    const parts = { due: dueWork(inbox.store), metrics };
    const lag = async () => {
      await measureLag(parts, inbox.clock);
      const { values } = await metrics.inboxLagSeconds.get();
      return values[0]?.value;
    };
    // Events that other tests left waiting are quarantined by then.
    inbox.clock.advance(longestWaitMs + 1);
    await apply();
    expect(await lag()).toBe(0);
    await post(seller, report(seller));
    inbox.clock.advance(40_000);
    await post(seller, report(seller, { day: '2026-11-02', sequence: 2 }));
    inbox.clock.advance(20_000);
    expect(await lag()).toBeCloseTo(60, 1);
    await apply();
    expect(await lag()).toBe(0);
  });
});

describe('a suspended seller with live buys', () => {
  it('still has its reports posted and its task updates applied', async () => {
    const buy = await unanswered('suspended-1');
    await inbox.store.inTenant(inbox.scope, (client) =>
      client.query("update connection set state = 'suspended' where id = $1", [seller.connection.id]),
    );
    await post(seller, report(seller, { spend: 12.5 }));
    await post(buy, taskUpdate(buy, 'completed'), buy.taskAddress);
    await apply();
    expect(await spendOf(seller)).toEqual([12_500_000n]);
    expect(await legOf(buy)).toMatchObject({ status: 'completed', observedBy: 'webhook' });
  });
});
