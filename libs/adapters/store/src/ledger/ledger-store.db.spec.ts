import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Observation, ReportOutcome } from '@switchyard/ledger';
import type { DeliveryReport, MediaBuyDelivery } from '@switchyard/protocol';
import {
  createBookedBuy,
  createOrganization,
  seededRandom,
  openTestStore,
  testClock,
  type BookedBuyRows,
} from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { alarmRepository } from '../signing/alarm-repository.js';
import { spendBy, type SpendDimension } from '../finance/spend-by.js';
import { ledgerStore } from './ledger-store.js';

const now = Date.UTC(2026, 11, 20);
const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 11, 1);

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
afterAll(() => owner.end());
afterAll(stop);

const ledger = ledgerStore(store);

const bookedBuy = async (options?: Parameters<typeof createBookedBuy>[2]): Promise<BookedBuyRows> =>
  createBookedBuy(store, (await createOrganization(store)).id, options);

interface Wanted {
  readonly source?: Observation['source'];
  readonly sequence: number;
  /** Spend per package. */
  readonly spend: readonly string[];
  readonly days?: readonly [from: number, to: number];
  readonly type?: string;
  readonly more?: Partial<MediaBuyDelivery>;
  readonly isFinal?: boolean;
}

function observationOf(buy: BookedBuyRows, wanted: Wanted): Observation {
  const [from, to] = wanted.days ?? [0, 1];
  const report: DeliveryReport = {
    notificationType: wanted.type ?? 'scheduled',
    sequenceNumber: wanted.sequence,
    period: {
      start: new Date(firstDay + from * dayMs).toISOString(),
      end: new Date(firstDay + to * dayMs).toISOString(),
    },
    currency: 'EUR',
    partialData: false,
    deliveries: [
      {
        mediaBuyId: buy.sellerMediaBuyId ?? 'not known yet',
        status: 'active',
        isAdjusted: wanted.type === 'adjusted',
        totals: { spend: '0', original: {} },
        byPackage: wanted.spend.map((spend, index) => ({
          packageId: buy.packages[index] ?? '',
          spend,
          impressions: 1_000,
          original: {},
          ...(wanted.isFinal === undefined ? {} : { isFinal: wanted.isFinal }),
        })),
        ...wanted.more,
      },
    ],
  };
  const reportedAt = now + wanted.sequence * 1_000;
  return {
    connectionId: buy.connectionId,
    source: wanted.source ?? 'webhook',
    stream: `address of ${buy.legId}`,
    report,
    reportedAt,
    receivedAt: reportedAt + 20,
    eventId: randomUUID(),
    legId: buy.legId,
  };
}

const apply = (buy: BookedBuyRows, ...wanted: readonly Wanted[]): Promise<readonly ReportOutcome[]> =>
  ledger.applyReports(
    buy,
    wanted.map((each) => observationOf(buy, each)),
    { now },
  );
const campaign: readonly Wanted[] = [
  { sequence: 1, spend: ['10.10', '20', '0.000001'], days: [0, 1] },
  { sequence: 2, spend: ['11', '21', '3'], days: [1, 2] },
  { sequence: 3, spend: ['9.9', '20', '2'], days: [0, 1], type: 'adjusted' },
  { sequence: 4, spend: ['12', '22', '4'], days: [2, 3], type: 'final', isFinal: true },
];
const spendOf = (buy: BookedBuyRows, period = {}) =>
  spendBy(store, buy, { by: ['seller'], reach: { kind: 'everything' }, ...period });
const amountOf = async (buy: BookedBuyRows, period = {}) => (await spendOf(buy, period))[0]?.amount;

describe('the ledger', () => {
  it('shows the counted figures of each package, as of its last report', async () => {
    const buy = await bookedBuy();
    await apply(buy, ...campaign.slice(0, 3), { sequence: 7, spend: ['1'], days: [3, 4] });
    const delivered = await ledger.deliveredBy(buy, buy.mediaBuyId);
    const received = new Map(
      delivered.map(({ packageRef, spendMicros, asOf }) => [packageRef, [spendMicros, asOf]]),
    );
    const [first = '', second = ''] = buy.packages;
    expect(received.get(first)).toEqual([21_900_000n, now + 7_000]);
    expect(received.get(second)).toEqual([41_000_000n, now + 3_000]);
  });

  it('adds up scheduled, adjusted and final reports over three packages, to the micro', async () => {
    const buy = await bookedBuy();
    for (const wanted of campaign)
      expect(await apply(buy, wanted)).toMatchObject([{ kind: 'applied', versions: 3 }]);
    expect(await spendOf(buy)).toMatchObject([{ seller: buy.seller, currency: 'EUR', amount: '104900000' }]);
    expect(await amountOf(buy, { from: '2026-12-02' })).toBe('73000000');
    expect(await amountOf(buy, { from: '2026-12-01', to: '2026-12-02' })).toBe('31900000');
    const head = await ledger.head(buy);
    expect(head).toMatchObject({ number: 4n, entryTotal: 4n });
    expect(await ledger.verify(buy)).toMatchObject({
      ok: true,
      entries: 4n,
      head,
      problems: [],
      problemTotal: 0,
    });
    const entries = await ledger.entriesOf(buy, buy.mediaBuyId);
    expect(entries.map(({ kind }) => kind)).toEqual(['delivery', 'delivery', 'restatement', 'delivery']);
    expect(entries.every(({ operationId }) => operationId === buy.operationId)).toBe(true);
  });

  it('has the same content for one batch as for single reports', async () => {
    const [one, other] = [await bookedBuy({ seller: 'twin' }), await bookedBuy({ seller: 'twin' })];
    await apply(one, ...campaign);
    for (const wanted of campaign) await apply(other, wanted);
    expect(await ledger.head(one)).toMatchObject({ number: 1n, entryTotal: 4n });
    expect(await spendOf(one)).toEqual(await spendOf(other));
    expect(await ledger.verify(one)).toMatchObject({ ok: true });
  });

  it('agrees between balances and packages for each seller and day', async () => {
    const buy = await bookedBuy();
    await apply(buy, ...campaign);
    const by = async (...more: readonly SpendDimension[]) =>
      (await spendBy(store, buy, { by: ['seller', 'day', ...more], reach: { kind: 'everything' } })).map(
        ({ seller, day, currency, amount }) => [seller, day, currency, amount],
      );
    expect(await by()).toHaveLength(3);
    expect(await by()).toEqual(await by('buy'));
  });

  it('rebuilds the sums of packages from its entries', async () => {
    const buy = await bookedBuy();
    for (const wanted of campaign) await apply(buy, wanted);
    const sums = async () =>
      (
        await owner.query<Readonly<Record<string, unknown>>>(
          'select * from package_spend where organization_id = $1 order by package_ref, month',
          [buy.organizationId],
        )
      ).rows;
    const before = await sums();
    expect(before.length).toBe(3);
    await owner.query(
      'update package_spend set amount_micros = 1, days[2] = null where organization_id = $1',
      [buy.organizationId],
    );
    await owner.query('select build_package_spend($1)', [buy.organizationId]);
    expect(await sums()).toEqual(before);
    await expect(
      store.inTenant(buy, (client) => client.query('select build_package_spend($1)', [buy.organizationId])),
    ).rejects.toThrow('permission denied');
  });

  it('writes one block for a large batch in which late reports correct early ones', async () => {
    const buy = await bookedBuy();
    const days = Array.from({ length: 90 }, (_, day) => day);
    const first = days.map((day) => ({
      sequence: day + 1,
      spend: ['1', '1', '1'],
      days: [day, day + 1] as const,
    }));
    const second = days.map((day) => ({ ...first[day]!, sequence: day + 101, spend: ['3', '2', '1'] }));
    await apply(buy, ...first, ...second);
    expect(await ledger.head(buy)).toMatchObject({ number: 1n, entryTotal: 180n });
    expect(await amountOf(buy)).toBe('540000000');
    expect(await ledger.verify(buy)).toMatchObject({ ok: true, entries: 180n });
    const { rows } = await owner.query(
      'select count(*)::int as marked from report_version where is_current and seller_buy_id = $1',
      [buy.sellerBuyId],
    );
    expect(rows).toEqual([{ marked: 270 }]);
  });

  it('writes nothing of a large batch if the database refuses its last part', async () => {
    const buy = await bookedBuy();
    const batch = Array.from({ length: 130 }, (_, day) =>
      observationOf(buy, { sequence: day + 1, spend: ['1'], days: [day, day + 1] }),
    );
    const broken = batch.map((one, at) => (at === 129 ? { ...one, eventId: 'no uuid' } : one));
    await expect(ledger.applyReports(buy, broken, { now })).rejects.toThrow('no uuid');
    expect(await ledger.head(buy)).toMatchObject({ number: 0n });
    await ledger.applyReports(buy, batch, { now });
    expect(await ledger.verify(buy)).toMatchObject({ ok: true, entries: 130n });
  });

  it('posts nothing and writes no block for a repeated event', async () => {
    const buy = await bookedBuy();
    const batch = campaign.map((wanted) => observationOf(buy, wanted));
    await ledger.applyReports(buy, batch, { now });
    const head = await ledger.head(buy);
    const again = await ledger.applyReports(buy, batch, { now: now + 1 });
    expect(again.map(({ kind }) => kind)).toEqual(['duplicate', 'duplicate', 'duplicate', 'duplicate']);
    expect(await ledger.head(buy)).toEqual(head);
    expect(await amountOf(buy)).toBe('104900000');
  });

  it('has the same spend for any order and batches of reports', async () => {
    const random = seededRandom(4_711);
    const wanted: Wanted[] = Array.from({ length: 14 }, (_, index) => {
      const from = random.between(0, 3);
      return {
        sequence: index + 1,
        spend: ['1', '2', '3'].map(() => String(random.between(0, 100))),
        days: [from, from + random.pick([1, 1, 1, 2, 4])],
        type: random.pick(['scheduled', 'scheduled', 'adjusted']),
      };
    });
    const results = new Set<string | undefined>();
    for (let round = 0; round < 6; round += 1) {
      const buy = await bookedBuy({ seller: 'permuted' });
      const left = [...wanted, ...wanted.slice(0, 5)];
      while (left.length > 0) {
        const batch = Array.from({ length: Math.min(random.between(1, 4), left.length) }, () =>
          left.splice(random.between(0, left.length - 1), 1),
        );
        await apply(buy, ...batch.flat());
      }
      expect(await ledger.verify(buy)).toMatchObject({ ok: true });
      results.add(await amountOf(buy));
    }
    expect(results.size).toBe(1);
  });

  it('keeps one intact chain with ten writers at once', async () => {
    const buy = await bookedBuy();
    const others = await Promise.all([1, 2, 3].map(() => createBookedBuy(store, buy.organizationId)));
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let round = 0; round < 5; round += 1) {
        const target = [buy, ...others][(writer + round) % 4]!;
        const day = writer * 5 + round;
        await apply(target, { sequence: day + 1, spend: ['1', '1', '1'], days: [day, day + 1] });
      }
    });
    await Promise.all(writers);
    expect(await ledger.head(buy)).toMatchObject({ number: 50n, entryTotal: 50n });
    expect(await ledger.verify(buy)).toMatchObject({ ok: true, entries: 50n });
    const total = (await spendOf(buy)).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    expect(total).toBe(150_000_000n);
  });

  it('verifies while others are writing', async () => {
    const buy = await bookedBuy();
    const state = { writing: true };
    const writer = (async () => {
      for (let day = 0; day < 30; day += 1) {
        await apply(buy, { sequence: day + 1, spend: ['1', '2', '3'], days: [day, day + 1] });
      }
      state.writing = false;
    })();
    const verdicts: boolean[] = [];
    while (state.writing) verdicts.push((await ledger.verify(buy)).ok);
    await writer;
    expect(verdicts.length).toBeGreaterThan(0);
    expect(new Set(verdicts)).toEqual(new Set([true]));
  });

  it('commits with the work alongside it, or not at all', async () => {
    const buy = await bookedBuy();
    const batch = [observationOf(buy, campaign[0]!)];
    const failing = ledger.applyReports(buy, batch, {
      now,
      alongside: () => Promise.reject(new Error('the inbox refused')),
    });
    await expect(failing).rejects.toThrow('the inbox refused');
    expect(await ledger.head(buy)).toMatchObject({ number: 0n, entryTotal: 0n });
    const noted = await ledger.applyReports(buy, batch, {
      now,
      alongside: async (client, outcomes) => {
        await client.query(`update seller_buy set status = $2 where id = $1`, [
          buy.sellerBuyId,
          outcomes[0]?.kind,
        ]);
      },
    });
    const { rows } = await owner.query('select status from seller_buy where id = $1', [buy.sellerBuyId]);
    expect([noted[0]?.kind, rows]).toEqual(['applied', [{ status: 'applied' }]]);
  });

  it('posts the valid reports of a batch and refuses the wrong ones', async () => {
    const buy = await bookedBuy();
    const stranger = { ...buy, sellerMediaBuyId: 'nobody' };
    const wrong = observationOf(buy, { ...campaign[1]!, more: { mediaBuyId: 'a\u0000b' } });
    const good = observationOf(buy, campaign[0]!);
    const unknown = observationOf(stranger, campaign[0]!);
    const outcomes = await ledger.applyReports(buy, [wrong, good, unknown], { now });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['quarantined', 'applied', 'quarantined']);
    expect(await amountOf(buy)).toBe('30100001');
  });

  it('defers a report that arrives before the answer to its buy', async () => {
    const buy = await bookedBuy({ answered: false });
    expect(await apply(buy, campaign[0]!)).toEqual([{ kind: 'deferred' }]);
  });

  it('remembers the end of a stream over batches', async () => {
    const buy = await bookedBuy();
    await apply(buy, ...campaign);
    const late = await apply(buy, { sequence: 5, spend: ['1'], days: [4, 5] });
    expect(late).toMatchObject([{ kind: 'quarantined', reasons: [{ code: 'after_final' }] }]);
    const silent = await bookedBuy();
    await apply(silent, { sequence: 4, spend: [], type: 'final', more: { status: 'failed' } });
    expect(await apply(silent, { sequence: 5, spend: ['1'] })).toMatchObject([{ kind: 'quarantined' }]);
  });

  it('reports a seller that changes a final figure to not final, and does not count it', async () => {
    const buy = await bookedBuy();
    await apply(buy, { sequence: 1, spend: ['10'], isFinal: true });
    const reopened = await apply(buy, { sequence: 2, spend: ['12'], isFinal: false });
    expect(reopened).toMatchObject([{ kind: 'applied' }]);
    expect(await amountOf(buy)).toBe('10000000');
    const alarms = () => alarmRepository(store, testClock(now)).list(buy, {});
    expect(await alarms()).toMatchObject([
      { kind: 'illegal_transition', subject: `delivery ${buy.mediaBuyId} ${buy.seller} p1`, count: 1 },
    ]);
    // A report without finality changes nothing, and neither does an older report that arrives late.
    await apply(buy, { sequence: 3, spend: ['10'] });
    await apply(buy, { sequence: 0, spend: ['9'], isFinal: false });
    expect(await alarms()).toMatchObject([{ count: 1 }]);
  });

  it('posts nothing above the limit of a buy, and reports a pulled figure above it', async () => {
    const buy = await bookedBuy({ budgetMicros: 10_000_000n });
    await apply(buy, { sequence: 1, spend: ['10'], days: [0, 1] });
    const beyond = { spend: ['500'], days: [1, 2] } as const;
    const waits = [{ kind: 'quarantined', reasons: [{ code: 'beyond_budget' }] }];
    expect(await apply(buy, { sequence: 2, ...beyond })).toMatchObject(waits);
    const alarms = () => alarmRepository(store, testClock(now)).list(buy, {});
    expect(await alarms()).toEqual([]);
    expect(await apply(buy, { sequence: 2, ...beyond, source: 'pull' })).toMatchObject(waits);
    expect(await alarms()).toMatchObject([
      { kind: 'spend_beyond_budget', subject: `delivery ${buy.connectionId} ${buy.sellerMediaBuyId}` },
    ]);
    expect(await amountOf(buy)).toBe('10000000');
  });

  it('flags spend above the budget over several batches', async () => {
    const buy = await bookedBuy({ budgetMicros: 15_000_000n });
    await apply(buy, { sequence: 1, spend: ['10'], days: [0, 1] });
    const over = await apply(buy, { sequence: 2, spend: ['10'], days: [1, 2] });
    expect(over).toMatchObject([
      {
        kind: 'applied',
        findings: [{ code: 'SUM_DIFFERS_FROM_TOTAL' }, { code: 'OVER_BUDGET', field: 'p1' }],
      },
    ]);
  });

  it('says what a report would change while somebody else books, and writes nothing', async () => {
    const buy = await bookedBuy();
    await apply(buy, ...campaign.slice(0, 2));
    const sums = async () => {
      const { rows } = await owner.query<{ amount: string }>(
        'select sum(amount_micros)::text as amount from package_spend where organization_id = $1',
        [buy.organizationId],
      );
      return rows[0]?.amount;
    };
    const head = await ledger.head(buy);
    const correction = observationOf(buy, campaign[2]!);
    const booking = await owner.connect();
    await booking.query('begin');
    await booking.query('select from journal_head where organization_id = $1 for update', [
      buy.organizationId,
    ]);
    const preview = await ledger.preview(buy, correction, now);
    await booking.query('rollback');
    booking.release();
    expect([await ledger.head(buy), await sums()]).toEqual([head, '65100001']);
    expect(preview).toMatchObject({
      outcome: { kind: 'applied', versions: 3 },
      changes: [
        { packageRef: 'p1', before: { spendMicros: 10_100_000n }, after: { spendMicros: 9_900_000n } },
        { packageRef: 'p2', before: { spendMicros: 20_000_000n }, after: { spendMicros: 20_000_000n } },
        { packageRef: 'p3', before: { spendMicros: 1n }, after: { spendMicros: 2_000_000n } },
      ],
      books: [
        {
          ...{ mediaBuyId: buy.mediaBuyId, seller: buy.seller, month: '2026-12', currency: 'EUR' },
          ...{ beforeMicros: 65_100_001n, afterMicros: 66_900_000n },
        },
      ],
    });
    await apply(buy, campaign[2]!);
    expect(await sums()).toBe('66900000');
  });

  it("shows and changes nothing of another organization's ledger", async () => {
    const [mine, theirs] = [await bookedBuy(), await bookedBuy()];
    await apply(theirs, ...campaign);
    expect(await spendOf(mine)).toEqual([]);
    expect(await ledger.entriesOf(mine, theirs.mediaBuyId)).toEqual([]);
    const outcome = await ledger.applyReports(mine, [observationOf(theirs, campaign[0]!)], { now });
    expect(outcome).toMatchObject([{ kind: 'quarantined', reasons: [{ code: 'unknown_buy' }] }]);
  });

  it('refuses the application every change of posted rows', async () => {
    const buy = await bookedBuy();
    await apply(buy, ...campaign);
    for (const statement of [
      `update ledger_entry set kind = 'x'`,
      'delete from ledger_entry',
      'update ledger_posting set amount_micros = 0',
      'delete from ledger_posting',
      'delete from journal_block',
      'update report_version set spend_micros = 0',
      'delete from report_version',
    ]) {
      const attempt = store.inTenant(buy, (client) => client.query(statement));
      await expect(attempt).rejects.toThrow(/permission denied/);
    }
  });
});

describe('tampering by the owner of the tables', () => {
  const id = (buy: BookedBuyRows) => `organization_id = '${buy.organizationId}'`;
  const oneEntry = (buy: BookedBuyRows) =>
    `select id from ledger_entry where ${id(buy)} and block_number = 2`;

  it.each<[what: string, problem: string, tamper: (buy: BookedBuyRows) => string]>([
    [
      'an edited posting',
      'posting_differs',
      (b) =>
        `update ledger_posting set amount_micros = amount_micros + 1 where entry_id in (${oneEntry(b)}) and line = 0`,
    ],
    [
      'two edited postings that still balance',
      'posting_differs',
      (b) => `update ledger_posting set amount_micros = amount_micros * 2 where entry_id in (${oneEntry(b)})`,
    ],
    [
      'a posting moved to another seller',
      'posting_differs',
      (b) => `update ledger_posting set seller = 'other' where entry_id in (${oneEntry(b)})`,
    ],
    [
      'a removed posting',
      'posting_differs',
      (b) => `delete from ledger_posting where entry_id in (${oneEntry(b)}) and line = 0`,
    ],
    [
      'an added posting without an entry',
      'rows_differ',
      (b) =>
        `insert into ledger_posting (organization_id, entry_id, line, account, seller, day, currency, amount_micros) select organization_id, gen_random_uuid(), 0, account, seller, day, currency, amount_micros from ledger_posting where ${id(b)} limit 1`,
    ],
    [
      'an edited entry body',
      'chain',
      (b) =>
        `update ledger_entry set body = replace(body, '11000000', '12000000') where ${id(b)} and block_number = 2`,
    ],
    [
      'an edited entry body with its hash',
      'chain',
      (b) =>
        `update ledger_entry set body = 'x', hash = encode(sha256('x'), 'hex') where ${id(b)} and block_number = 2`,
    ],
    [
      'an edited column of an entry',
      'entry_row_differs',
      (b) => `update ledger_entry set seller = 'other' where ${id(b)} and block_number = 2`,
    ],
    [
      'an edited time of an entry',
      'entry_row_differs',
      (b) =>
        `update ledger_entry set occurred_at = occurred_at + interval '1 day' where ${id(b)} and block_number = 2`,
    ],
    ['a removed entry', 'chain', (b) => `delete from ledger_entry where ${id(b)} and block_number = 2`],
    [
      'an added entry in no block',
      'rows_differ',
      (b) =>
        `insert into ledger_entry (id, organization_id, stream, block_number, position, kind, operation_id, seller, occurred_at, body, hash) select gen_random_uuid(), organization_id, stream, 99, 0, kind, operation_id, seller, occurred_at, body, hash from ledger_entry where ${id(b)} limit 1`,
    ],
    [
      'a removed last block',
      'chain',
      (b) =>
        `with gone as (delete from ledger_entry where ${id(b)} and block_number = 4) delete from journal_block where ${id(b)} and number = 4`,
    ],
    [
      'a removed middle block',
      'chain',
      (b) =>
        `with gone as (delete from ledger_entry where ${id(b)} and block_number = 2) delete from journal_block where ${id(b)} and number = 2`,
    ],
    [
      'an edited block',
      'chain',
      (b) =>
        `update journal_block set sealed_at = sealed_at + interval '1 second' where ${id(b)} and number = 2`,
    ],
    [
      'an edited count of a block',
      'rows_differ',
      (b) => `update journal_block set entry_count = 7 where ${id(b)} and number = 2`,
    ],
    ['an edited head', 'chain', (b) => `update journal_head set number = 3 where ${id(b)}`],
    ['an edited total of the head', 'chain', (b) => `update journal_head set entry_total = 3 where ${id(b)}`],
    ['a removed head', 'chain', (b) => `delete from journal_head where ${id(b)}`],
    [
      'an edited balance',
      'balance_differs',
      (b) =>
        `update ledger_balance set amount_micros = amount_micros + 1 where ${id(b)} and account = 'media_spend' and day = '2026-12-02'`,
    ],
    [
      'a removed balance',
      'balance_differs',
      (b) => `delete from ledger_balance where ${id(b)} and day = '2026-12-02'`,
    ],
    [
      'an added balance',
      'balance_differs',
      (b) =>
        `insert into ledger_balance (organization_id, account, seller, day, currency, amount_micros) values ('${b.organizationId}', 'media_spend', 'ghost', '2026-12-02', 'EUR', 1)`,
    ],
    [
      'an edited running sum of a package',
      'spent_differs',
      (b) =>
        `update package_spend set amount_micros = amount_micros + 1 where ${id(b)} and package_ref = 'p1'`,
    ],
    [
      'a removed running sum of a package',
      'spent_differs',
      (b) => `delete from package_spend where ${id(b)} and package_ref = 'p1'`,
    ],
    [
      'an edited day of a package',
      'spent_differs',
      (b) => `update package_spend set days[2] = days[2] + 1 where ${id(b)} and package_ref = 'p1'`,
    ],
    [
      'the sums of a package under another name',
      'spent_differs',
      (b) => `update package_spend set package_ref = 'other' where ${id(b)} and package_ref = 'p1'`,
    ],
    [
      'an edited report version',
      'version_differs',
      (b) => `update report_version set spend_micros = 1 where ${id(b)} and not is_current`,
    ],
    [
      'an edited text of a report version',
      'version_differs',
      (b) => `update report_version set spend_text = '1' where ${id(b)} and sequence_number = 2`,
    ],
    [
      'a removed report version',
      'version_missing',
      (b) => `delete from report_version where ${id(b)} and not is_current`,
    ],
    [
      'an added report version',
      'rows_differ',
      (b) =>
        `insert into report_version select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'version', 9))).* from report_version v where ${id(b)} limit 1`,
    ],
    [
      'marks moved between versions of one figure',
      'counted_differs',
      (b) =>
        `update report_version set is_current = not is_current where ${id(b)} and package_ref = 'p2' and period_start = '2026-12-01T00:00:00Z'`,
    ],
  ])('%s is detected', async (_, problem, tamper) => {
    const buy = await bookedBuy();
    for (const wanted of campaign) await apply(buy, wanted);
    expect((await ledger.verify(buy)).ok).toBe(true);
    const changed = await owner.query(tamper(buy));
    expect(changed.rowCount).toBeGreaterThan(0);
    const verdict = await ledger.verify(buy);
    expect(verdict.ok).toBe(false);
    expect(verdict.problems.map(({ code }) => code)).toContain(problem);
  });

  it('a chain rewritten with its head is detected by anybody who stored one block', async () => {
    const buy = await bookedBuy();
    await apply(buy, campaign[0]!);
    const { number, hash } = await ledger.head(buy);
    for (const table of [
      'ledger_posting',
      'ledger_entry',
      'journal_block',
      'journal_head',
      'ledger_balance',
      'package_spend',
      'report_version',
    ]) {
      await owner.query(`delete from ${table} where organization_id = $1`, [buy.organizationId]);
    }
    await apply(buy, { ...campaign[0]!, spend: ['1', '1', '1'] });
    expect(await ledger.verify(buy)).toMatchObject({ ok: true });
    expect(await ledger.verify(buy, { anchors: [{ number, hash }] })).toMatchObject({
      ok: false,
      problems: [{ code: 'chain' }],
    });
  });
});
