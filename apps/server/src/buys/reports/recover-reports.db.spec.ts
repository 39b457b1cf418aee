import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { recoveryPaceMs, reportGraceMs } from '@switchyard/events';
import { withoutPauses } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { applyInbox } from '../../webhooks/in/apply-inbox.js';
import { recoverReports } from './recover-reports.js';
import { report, specInbox, started, type SpecSeller } from '../../webhooks/testkit/inbox.js';

const inbox = await specInbox();
afterAll(() => inbox.close());

const dayMs = 86_400_000;
const dayAfter = (day: string): string => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);

/** One seller's delivery by day, and its answers to polls. */
class Model {
  status = 'active';
  isUp = true;
  /** Set while it has no figures yet: the time to which it postpones them, or `unsaid` without one. */
  awaits: string | undefined;
  readonly days = new Map<string, number>();

  constructor(readonly seller: SpecSeller) {}

  answer(tool: string, args: JsonObject): JsonObject | undefined {
    if (!this.isUp) return undefined;
    if (tool === 'get_media_buys') {
      return {
        media_buys: [
          { media_buy_id: this.seller.sellerMediaBuyId, status: this.status, currency: 'USD', packages: [] },
        ],
      };
    }
    if (this.awaits !== undefined) {
      const until = this.awaits === 'unsaid' ? {} : { expected_availability: this.awaits };
      const away = { status: 'reporting_delayed', totals: { spend: 0, impressions: 0 }, by_package: [] };
      return {
        reporting_period: { start: '2026-11-01T00:00:00Z', end: '2026-11-05T00:00:00Z' },
        currency: 'USD',
        media_buy_deliveries: [{ media_buy_id: this.seller.sellerMediaBuyId, ...away, ...until }],
      };
    }
    const { start_date: start, end_date: end } = args;
    const [from, to] = [typeof start === 'string' ? start : '0', typeof end === 'string' ? end : '9'];
    const days = [...this.days].filter(([day]) => day >= from && day < to);
    const spend = days.reduce((sum, [, amount]) => sum + amount, 0);
    const first = days[0]?.[0] ?? '2026-11-01';
    const last = days.at(-1)?.[0] ?? first;
    return {
      reporting_period: { start: `${first}T00:00:00Z`, end: `${dayAfter(last)}T00:00:00Z` },
      currency: 'USD',
      media_buy_deliveries: [
        {
          media_buy_id: this.seller.sellerMediaBuyId,
          status: this.status,
          totals: { spend, impressions: spend * 100 },
          by_package: [
            { package_id: this.seller.packageRef, spend, impressions: spend * 100, currency: 'USD' },
          ],
        },
      ],
    };
  }
}

const models = new Map<string, Model>();

async function newModel(): Promise<Model> {
  const model = new Model(await inbox.seller());
  models.set(model.seller.sellerMediaBuyId, model);
  return model;
}

beforeEach(() => {
  models.clear();
  inbox.sellerCalls.length = 0;
  inbox.answerWith((tool, args) => {
    const [id] = (args['media_buy_ids'] as string[] | undefined) ?? [];
    return models.get(id ?? '')?.answer(tool, args);
  });
});

/** The pause before a retry ends at once here. */
const recover = () => {
  const ports = { ...inbox.deps.ports, clock: withoutPauses(inbox.clock) };
  return recoverReports({ ...inbox.deps, ports }, inbox.scope);
};
const push = async (model: Model, body: object): Promise<void> => {
  inbox.clock.advance(1);
  expect((await inbox.post(model.seller, body)).status).toBe(200);
  await applyInbox(inbox.deps, inbox.scope);
};
/** Advances the clock by the pace and polls, until nothing is due. */
async function pollTimes(times: number): Promise<void> {
  await recover();
  for (let look = 0; look < times; look += 1) {
    inbox.clock.advance(recoveryPaceMs.withWebhooks + 1);
    await recover();
  }
}
/** The postings of one buy, by day. */
async function books(model: Model): Promise<Readonly<Record<string, string>>> {
  const byDay: Record<string, bigint> = {};
  for (const entry of await inbox.deps.ledger.entriesOf(inbox.scope, model.seller.mediaBuyId)) {
    for (const { account, day, amountMicros } of entry.postings)
      if (account === 'media_spend') byDay[day] = (byDay[day] ?? 0n) + amountMicros;
  }
  return Object.fromEntries(
    Object.entries(byDay)
      .filter(([, micros]) => micros !== 0n)
      .sort()
      .map(([day, micros]) => [day, micros.toString()]),
  );
}
const requestCount = (model: Model): number =>
  inbox.sellerCalls.filter(({ args }) => JSON.stringify(args).includes(model.seller.sellerMediaBuyId)).length;

const figures: readonly (readonly [string, number])[] = [
  ['2026-11-01', 10],
  ['2026-11-02', 12.5],
  ['2026-11-03', 9.25],
  ['2026-11-04', 11],
];

describe('recovering reports', () => {
  it('gives the same ledger for a seller whose webhooks are all lost as for one whose webhooks all arrive', async () => {
    const [withWebhooks, withoutWebhooks] = [await newModel(), await newModel()];
    for (const [index, [day, spend]] of figures.entries()) {
      for (const model of [withWebhooks, withoutWebhooks]) model.days.set(day, spend);
      await push(withWebhooks, report(withWebhooks.seller, { day, spend, sequence: index + 1 }));
      await pollTimes(1);
    }
    for (const model of [withWebhooks, withoutWebhooks]) {
      model.days.set('2026-11-02', 11);
      model.status = 'completed';
    }
    await push(
      withWebhooks,
      report(withWebhooks.seller, { day: '2026-11-02', spend: 11, type: 'adjusted', sequence: 5 }),
    );
    await push(
      withWebhooks,
      report(withWebhooks.seller, { day: '2026-11-04', spend: 11, type: 'final', sequence: 6 }),
    );
    await pollTimes(3);
    expect(await books(withoutWebhooks)).toEqual({
      '2026-11-01': '10000000',
      '2026-11-02': '11000000',
      '2026-11-03': '9250000',
      '2026-11-04': '11000000',
    });
    expect(await books(withoutWebhooks)).toEqual(await books(withWebhooks));
    expect(await inbox.deps.ledger.verify(inbox.scope)).toMatchObject({ ok: true });
  });

  it('stops polling an ended buy once its figures agree', async () => {
    const model = await newModel();
    model.days.set('2026-11-01', 10);
    model.status = 'completed';
    await pollTimes(3);
    const requested = requestCount(model);
    expect(requested).toBeGreaterThan(0);
    await pollTimes(5);
    expect(requestCount(model)).toBe(requested);
    const buy = await inbox.deps.ports.store.mediaBuy(inbox.scope, model.seller.mediaBuyId);
    expect(buy?.sellerBuys[0]?.status).toBe('completed');
  });

  it('R25: polls at the pace when a number was skipped, and records the missing day', async () => {
    const model = await newModel();
    const later = new Date(started + 30 * dayMs).toISOString();
    for (const [day, spend] of figures.slice(0, 3)) model.days.set(day, spend);
    await push(
      model,
      report(model.seller, { day: '2026-11-01', spend: 10, result: { next_expected_at: later } }),
    );
    await push(
      model,
      report(model.seller, {
        day: '2026-11-03',
        spend: 9.25,
        sequence: 3,
        result: { next_expected_at: later },
      }),
    );
    await recover();
    expect(requestCount(model)).toBe(0);
    inbox.clock.advance(recoveryPaceMs.withWebhooks);
    await recover();
    expect((await books(model))['2026-11-02']).toBe('12500000');
    const requested = requestCount(model);
    await pollTimes(3);
    expect(requestCount(model)).toBe(requested);
  });

  it('does not poll a complete stream until its next report is late', async () => {
    const model = await newModel();
    model.days.set('2026-11-01', 10);
    const expected = inbox.clock.now() + 3_600_000;
    await push(
      model,
      report(model.seller, { result: { next_expected_at: new Date(expected).toISOString() } }),
    );
    await pollTimes(5);
    expect(requestCount(model)).toBe(0);
    model.days.set('2026-11-02', 12.5);
    inbox.clock.advance(expected + reportGraceMs + 1 - inbox.clock.now());
    await recover();
    expect(await books(model)).toEqual({ '2026-11-01': '10000000', '2026-11-02': '12500000' });
  });

  it('reads the state of a buy once a day if its reports are on time: reports do not show changes by the seller', async () => {
    const model = await newModel();
    const received = async (sequence: number, day: string) => {
      model.days.set(day, 10);
      const next = new Date(inbox.clock.now() + 20 * dayMs).toISOString();
      await push(model, report(model.seller, { day, sequence, result: { next_expected_at: next } }));
      await recover();
    };
    await received(1, '2026-11-01');
    model.status = 'canceled';
    for (const [sequence, day] of [
      [2, '2026-11-02'],
      [3, '2026-11-03'],
    ] as const) {
      inbox.clock.advance(11 * 3_600_000);
      await received(sequence, day);
    }
    expect(requestCount(model)).toBe(0);
    inbox.clock.advance(2 * 3_600_000);
    await recover();
    expect(requestCount(model)).toBe(2);
    const { connection, sellerMediaBuyId } = model.seller;
    const { store } = inbox.deps.ports;
    expect(await store.sellerBuyOf(inbox.scope, connection.id, sellerMediaBuyId)).toMatchObject({
      status: 'canceled',
    });
  });

  it('requests postponed figures when they are expected, once, also after a later report', async () => {
    const model = await newModel();
    const expected = inbox.clock.now() + 3_600_000;
    const next = new Date(inbox.clock.now() + 20 * dayMs).toISOString();
    const late = (time: string): JsonObject => ({
      media_buy_id: model.seller.sellerMediaBuyId,
      status: 'reporting_delayed',
      expected_availability: time,
      totals: { spend: 0, impressions: 0 },
      by_package: [],
    });
    const times = [new Date(expected).toISOString(), '1970-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'soon'];
    await push(
      model,
      report(model.seller, {
        type: 'delayed',
        result: { next_expected_at: next, media_buy_deliveries: times.map(late) },
      }),
    );
    model.days.set('2026-11-01', 10);
    model.days.set('2026-11-02', 12.5);
    const later = { day: '2026-11-02', spend: 12.5, sequence: 2, result: { next_expected_at: next } };
    await push(model, report(model.seller, later));
    await pollTimes(5);
    expect(requestCount(model)).toBe(0);
    inbox.clock.advance(expected - inbox.clock.now());
    await recover();
    expect(await books(model)).toEqual({ '2026-11-01': '10000000', '2026-11-02': '12500000' });
    const requested = requestCount(model);
    await pollTimes(5);
    expect(requestCount(model)).toBe(requested);
  });

  it('polls an ended buy when its postponed figures are expected', async () => {
    const model = await newModel();
    const expected = inbox.clock.now() + 2 * dayMs;
    model.status = 'completed';
    model.awaits = new Date(expected).toISOString();
    await pollTimes(1);
    const requested = requestCount(model);
    expect(requested).toBeGreaterThan(0);
    await pollTimes(5);
    expect([requestCount(model), await books(model)]).toEqual([requested, {}]);
    inbox.clock.advance(expected - inbox.clock.now());
    model.awaits = undefined;
    for (const [day, spend] of figures) model.days.set(day, spend);
    await recover();
    expect(Object.keys(await books(model))).toEqual(figures.map(([day]) => day));
  });

  it('polls an ended buy while a report postpones figures, whatever its totals are', async () => {
    const model = await newModel();
    const expected = inbox.clock.now() + 3_600_000;
    const delayed = {
      media_buy_id: model.seller.sellerMediaBuyId,
      status: 'reporting_delayed',
      expected_availability: new Date(expected).toISOString(),
      totals: { spend: 0, impressions: 0 },
      by_package: [],
    };
    await push(model, report(model.seller, { type: 'delayed', result: { media_buy_deliveries: [delayed] } }));
    model.status = 'completed';
    await pollTimes(2);
    const requested = requestCount(model);
    expect(requested).toBeGreaterThan(0);
    await pollTimes(5);
    expect([requestCount(model), await books(model)]).toEqual([requested, {}]);
    for (const [day, spend] of figures) model.days.set(day, spend);
    inbox.clock.advance(expected - inbox.clock.now());
    await recover();
    expect(Object.keys(await books(model))).toEqual(figures.map(([day]) => day));
    await pollTimes(2);
    const last = requestCount(model);
    await pollTimes(3);
    expect(requestCount(model)).toBe(last);
  });

  it('requests figures that are delayed without a date once an hour, not once for each day', async () => {
    const model = await newModel();
    await push(model, report(model.seller, { day: '2026-11-01', spend: 10, sequence: 1 }));
    model.awaits = 'unsaid';
    await pollTimes(1);
    const requested = requestCount(model);
    await pollTimes(5);
    expect(requestCount(model)).toBe(requested);
    inbox.clock.advance(3_600_000);
    await recover();
    expect(requestCount(model)).toBe(2 * requested);
    expect(inbox.sellerCalls.filter(({ args }) => 'start_date' in args)).toEqual([]);
  });

  it.each(['webhooks first', 'pull first'])('R1: reaches the same ledger with %s', async (order) => {
    const model = await newModel();
    const later = new Date(inbox.clock.now() + 30 * dayMs).toISOString();
    for (const [day, spend] of figures) model.days.set(day, spend);
    const pushAll = async () => {
      for (const [index, [day, spend]] of figures.entries())
        await push(
          model,
          report(model.seller, {
            day,
            spend,
            sequence: index + 1,
            timestamp: later,
            result: { next_expected_at: later },
          }),
        );
    };
    if (order === 'webhooks first') await pushAll();
    await pollTimes(2);
    if (order === 'pull first') await pushAll();
    expect(await books(model)).toEqual({
      '2026-11-01': '10000000',
      '2026-11-02': '12500000',
      '2026-11-03': '9250000',
      '2026-11-04': '11000000',
    });
  });

  it('stores the text of each answer behind an entry, under the hash in the entry', async () => {
    const model = await newModel();
    for (const [day, spend] of figures.slice(0, 2)) model.days.set(day, spend);
    await pollTimes(2);
    const entries = await inbox.deps.ledger.entriesOf(inbox.scope, model.seller.mediaBuyId);
    const pulled = entries.filter(({ kind }) => kind === 'delivery');
    expect(pulled).toHaveLength(2);
    for (const { facts } of pulled) {
      const { message, report: of } = facts as Record<'message' | 'report', JsonObject>;
      const stored = await inbox.deps.events.show(inbox.scope, of['event_id'] as string);
      const body = stored?.body ?? Buffer.from('');
      expect(JSON.parse(body.toString())).toHaveProperty('media_buy_deliveries');
      expect(message).toEqual({
        sha256: createHash('sha256').update(body).digest('hex'),
        sender: stored?.sender,
        proof: 'pull',
        keyid: null,
      });
      expect(stored).toMatchObject({ kind: 'pulled_report', state: 'applied', bodyHash: message['sha256'] });
    }
    expect((await inbox.deps.inbox.count(inbox.scope)).received).toBe(0);
  });

  it('polls again once an unreachable seller is back', async () => {
    const model = await newModel();
    model.days.set('2026-11-01', 10);
    model.isUp = false;
    await pollTimes(1);
    expect(await books(model)).toEqual({});
    model.isUp = true;
    inbox.clock.advance(120_000);
    await pollTimes(2);
    expect(await books(model)).toEqual({ '2026-11-01': '10000000' });
  });
});
