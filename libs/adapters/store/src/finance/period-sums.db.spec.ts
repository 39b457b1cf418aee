import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createBookedBuy, createOrganization, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import {
  periodsOverlap,
  readJudgedSums,
  readPeriodSums,
  readSumDetails,
  type SummedBuy,
} from './read-period-sums.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const dayMs = 86_400_000;
const days = { from: '2026-10-01', to: '2026-11-01' };
const bounds = ['2026-09-30T00:00:00Z', '2026-11-02T00:00:00Z'] as const;
const firstStart = Date.UTC(2026, 8, 26);

/** One version: most are a day of a package, and each rarer shape makes another one decide about it. */
const version = (habit: Habit) =>
  fc.record({
    packageRef: fc.constantFrom('p1', 'p2', ...(habit.whole ? [''] : [])),
    day: fc.nat(40),
    length: fc.constantFrom(1, 1, 1, 1, ...(habit.long ? [2, 7, 31] : [])),
    source: fc.constantFrom('webhook', ...(habit.pulls ? ['pull'] : [])),
    window: fc.constantFrom('', ...(habit.windows ? ['c3', 'c7'] : [])),
    type: fc.constantFrom('scheduled', 'scheduled', 'adjusted', ...(habit.ends ? ['final'] : [])),
    isFinal: fc.constantFrom(null, null, true, false),
    sequence: fc.option(fc.nat(50)),
    stream: fc.constantFrom('a', 'b'),
    reported: fc.nat(60),
    spend: fc.bigInt({ min: -5_000_000n, max: 50_000_000n }),
    impressions: fc.option(fc.bigInt({ min: 0n, max: 5_000n })),
    isPlaced: fc.boolean(),
  });

const habit = fc.record({
  whole: fc.boolean(),
  long: fc.boolean(),
  pulls: fc.boolean(),
  windows: fc.boolean(),
  ends: fc.boolean(),
  isEnded: fc.boolean(),
  hour: fc.constantFrom(0, 0, 5, 22),
  isOnce: fc.boolean(),
  issued: fc.option(fc.nat(60), { nil: undefined }),
});
type Habit = typeof habit extends fc.Arbitrary<infer One> ? One : never;

const month = habit.chain((of) =>
  fc.array(version(of), { minLength: 1, maxLength: 25 }).map((all) => {
    const seen = new Set<string>();
    const once = all.filter(({ packageRef, day }) => {
      const key = `${packageRef} ${day}`;
      return !seen.has(key) && seen.add(key);
    });
    return { habit: of, versions: of.isOnce ? once : all };
  }),
);
type Month = typeof month extends fc.Arbitrary<infer One> ? One : never;

const instantAt = (at: number): Date => new Date(firstStart + at * dayMs);
const dayAt = (at: number): string => instantAt(at).toISOString().slice(0, 10);

async function stored(organizationId: string, { habit: of, versions }: Month) {
  const buy = await createBookedBuy(store, organizationId, { packages: ['p1', 'p2'] });
  const rows = versions.map((one, at) => {
    const start = one.day + of.hour / 24;
    const end = start + one.length;
    return {
      ...{ id: randomUUID(), package_ref: one.packageRef, version: at + 1, entry_id: randomUUID() },
      ...{ period_start: instantAt(start), period_end: instantAt(end), measurement_window: one.window },
      ...{ notification_type: one.type, is_final: one.isFinal, sequence_number: one.sequence },
      ...{ stream: one.source === 'pull' ? 'pull' : one.stream, source: one.source },
      ...{ reported_at: instantAt(one.reported), received_at: instantAt(one.reported) },
      ...{ spend_micros: one.spend.toString(), impressions: one.impressions?.toString() ?? null },
      first_day: one.isPlaced ? dayAt(Math.round(start)) : null,
      last_day: one.isPlaced ? dayAt(Math.round(end) - 1) : null,
    };
  });
  const { id } = await store.inTenant(buy, async (client) => {
    const found = await client.query<{ id: string; media_buy_id: string; seller: string }>(
      'update seller_buy set reporting_ended_at = $2 where leg_id = $1 returning id, media_buy_id, seller',
      [buy.legId, of.isEnded ? instantAt(20) : null],
    );
    const [part = { id: '', media_buy_id: '', seller: '' }] = found.rows;
    await client.query(
      `insert into report_version (id, organization_id, connection_id, seller, media_buy_id, seller_buy_id, package_ref,
         period_start, period_end, granularity, measurement_window, version, is_current, notification_type, is_final,
         sequence_number, stream, reported_at, received_at, source, operation_id, currency, spend_micros, spend_text,
         impressions, entry_id, first_day, last_day)
       select id, $2, $3, $4, $5, $6, package_ref, period_start, period_end, 'daily', measurement_window, version, true,
         notification_type, is_final, sequence_number, stream, reported_at, received_at, source, $7, 'EUR', spend_micros, '',
         impressions, entry_id, first_day, last_day
       from jsonb_populate_recordset(null::report_version, $1::jsonb)`,
      [
        JSON.stringify(rows),
        organizationId,
        buy.connectionId,
        part.seller,
        part.media_buy_id,
        part.id,
        randomUUID(),
      ],
    );
    return part;
  });
  const issuedBy = of.issued === undefined ? undefined : instantAt(of.issued).getTime();
  return { id, isEnded: of.isEnded, issuedBy };
}

describe('the sums of a month', () => {
  it('are the same added up by PostgreSQL and judged version by version, whatever a seller has sent', async () => {
    const { id: organizationId } = await createOrganization(store);
    const scope = { organizationId };
    const buys: SummedBuy[] = [];
    for (const one of fc.sample(month, 250)) buys.push(await stored(organizationId, one));
    const { summed, judged } = await store.inTenant(scope, async (client) => {
      const added = await readPeriodSums(client, buys, days, bounds);
      const all = [...added].flatMap(([sellerBuyId, of]) =>
        [...of].map(([packageRef, sums]) => ({ sellerBuyId, packageRef, sums })),
      );
      await readSumDetails(client, all, days, bounds);
      return { summed: added, judged: await readJudgedSums(client, buys, days, bounds) };
    });
    for (const { id } of buys) expect(summed.get(id) ?? new Map()).toEqual(judged.get(id));
    expect([...judged.values()].some((of) => of.size > 1)).toBe(true);
  });

  it('know exactly which periods overlap, with holes, doubles, any hours and periods without a length', async () => {
    const minutes = fc.constantFrom(15, 60, 23 * 60, 24 * 60, 24 * 60, 24 * 60, 25 * 60, 7 * 24 * 60);
    const spans = fc
      .array(fc.record({ hole: fc.constantFrom(0, 0, 0, 0, 15, 60, 24 * 60, -1, -60), length: minutes }), {
        minLength: 1,
        maxLength: 35,
      })
      .map((all) => {
        let at = 0;
        return all.map(({ hole, length }) => {
          const from = at + hole;
          at = from + length;
          return [from, at] as const;
        });
      });
    const odd = fc.record({ from: fc.integer({ min: 0, max: 50_000 }), length: fc.constantFrom(0, -15, 60) });
    const groups = fc.sample(
      fc
        .tuple(spans, fc.option(odd, { freq: 4, nil: undefined }))
        .map(([all, more]) => (more === undefined ? all : [...all, [more.from, more.from + more.length]])),
      500,
    );
    const rows = groups.flatMap((all, group) => all.map(([from, to]) => ({ group, from, to })));
    const { id: organizationId } = await createOrganization(store);
    const { rows: found } = await store.inTenant({ organizationId }, (client) =>
      client.query<{ overlap: boolean; sorted: boolean | null }>(
        `with spans as (
           select s."group", timestamptz '2026-03-01Z' + s."from" * interval '1 minute' as period_start,
             timestamptz '2026-03-01Z' + s."to" * interval '1 minute' as period_end
           from jsonb_to_recordset($1::jsonb) s ("group" int, "from" int, "to" int))
         select ${periodsOverlap} as overlap, bool_or(before_end > period_start) as sorted
         from (
           select *, lag(period_end) over (partition by "group" order by period_start, period_end) as before_end
           from spans) s group by "group" order by "group"`,
        [JSON.stringify(rows)],
      ),
    );
    const pairs = groups.map((all) =>
      all.some(([from, to], at) => all.some(([start, end], other) => other > at && from < end && start < to)),
    );
    const isEmpty = groups.map((all) => all.some(([from, to]) => to <= from));
    // A period without a length is judged in any case. The sorted ones are what the statement was before.
    expect(found.map(({ overlap }) => overlap)).toEqual(
      pairs.map((meet, at) => meet || isEmpty[at] === true),
    );
    const before = found.map(({ sorted }) => sorted === true);
    expect(before.filter((_, at) => isEmpty[at] !== true)).toEqual(
      pairs.filter((_, at) => isEmpty[at] !== true),
    );
    for (const state of [true, false])
      expect(pairs.filter((meet, at) => meet === state && isEmpty[at] !== true).length).toBeGreaterThan(50);
  });
});
