import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { storeObservation } from '@switchyard/buys';
import { applyInbox } from './apply-inbox.js';
import { report, specInbox, taskUpdate, type SpecSeller } from '../testkit/inbox.js';

/**
 * The authentic but wrong, each case by its name (docs/protocol/webhooks-in.md#quarantine): posted and signed over
 * HTTP, put aside, and listed, explained, admitted and dismissed at the endpoints that `switchyard events` asks.
 */
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
});

interface Shown {
  readonly event_id: string;
  readonly state: string;
  readonly [name: string]: unknown;
}

async function query(path: string, body?: JsonObject): Promise<{ status: number; json: JsonObject }> {
  const answer = await fetch(`${inbox.url}/v1/events${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${inbox.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as JsonObject };
}

async function list(state: string): Promise<readonly Shown[]> {
  const { json } = await query(`?state=${state}&seller=${seller.connection.slug}`);
  return json['events'] as unknown as readonly Shown[];
}

/** Posts and applies, and answers the status. */
async function received(body: JsonObject, address = seller.reportAddress): Promise<number> {
  inbox.clock.advance(1);
  const answer = await inbox.post(seller, body, { address });
  await applyInbox(inbox.deps, inbox.scope);
  return answer.status;
}

const spent = async (): Promise<bigint> =>
  (await inbox.deps.ledger.deliveredBy(inbox.scope, seller.mediaBuyId)).reduce(
    (sum, delivered) => sum + delivered.spendMicros,
    0n,
  );
const legStatus = async () =>
  (await inbox.deps.ports.store.leg(inbox.scope, seller.legId))?.status ?? 'no leg';

/** The one row of a report of this seller, changed. */
function withRow(change: JsonObject): JsonObject {
  const body = report(seller) as { readonly result: JsonObject } & JsonObject;
  const [delivery] = body.result['media_buy_deliveries'] as readonly JsonObject[];
  return { ...body, result: { ...body.result, media_buy_deliveries: [{ ...delivery, ...change }] } };
}

async function endInline(): Promise<void> {
  const leg = await inbox.deps.ports.store.leg(inbox.scope, seller.legId);
  if (leg === undefined) throw new Error('A buy has a leg.');
  const reply = {
    status: 'failed',
    errors: [],
    findings: [],
    payload: {},
  } as unknown as Parameters<typeof storeObservation>[3]['reply'];
  await storeObservation(inbox.deps.ports, inbox.scope, leg, {
    source: 'inline',
    at: inbox.clock.now(),
    reply,
  });
}

interface Case {
  readonly name: string;
  /** Brings the wrong event; the status that its sender is answered. */
  readonly bring: () => Promise<number>;
  readonly status?: number;
  readonly reason: string;
  readonly explained: string;
  /** What stands after a person admitted it; nothing where no decision makes it mean something. */
  readonly admitted?: string;
  /** Micros before and after it was admitted. */
  readonly micros?: readonly [bigint, bigint];
}

const cases: readonly Case[] = [
  {
    name: 'a flat report body',
    bring: () => received({ ...(report(seller)['result'] as JsonObject) }),
    status: 400,
    reason: 'missing_envelope_fields',
    explained: 'members of the envelope are missing',
    admitted: 'applied',
    micros: [0n, 10_000_000n],
  },
  {
    name: 'a report without a key',
    bring: () => received({ ...report(seller), idempotency_key: undefined } as unknown as JsonObject),
    status: 400,
    reason: 'missing_idempotency_key',
    explained: 'no idempotency key',
    admitted: 'applied',
    micros: [0n, 10_000_000n],
  },
  {
    name: 'a body that is nothing we know',
    bring: () => received({ hello: 'there' }),
    status: 400,
    reason: 'missing_envelope_fields',
    explained: 'members of the envelope are missing',
  },
  {
    name: 'aggregated_totals',
    bring: () => received(report(seller, { result: { aggregated_totals: { spend: 10 } } })),
    reason: 'aggregated_totals',
    explained: 'totals over several media buys',
    admitted: 'applied',
    micros: [0n, 10_000_000n],
  },
  {
    name: 'a task webhook after an inline terminal answer',
    bring: async () => {
      await endInline();
      return received(taskUpdate(seller, 'completed'), seller.taskAddress);
    },
    reason: 'task_ended_inline',
    explained: 'ended with its first answer',
    // The first end stands, whoever says so.
    admitted: 'stale',
  },
  {
    name: 'a missing period',
    bring: () =>
      received(report(seller, { result: { reporting_period: undefined } as unknown as JsonObject })),
    reason: 'missing_period',
    explained: 'no reporting period',
  },
  {
    name: 'an unknown buy',
    bring: () => received(withRow({ media_buy_id: 'nobodys' })),
    reason: 'unknown_buy',
    explained: 'does not exist at this seller',
  },
  {
    name: "a currency other than the buy's",
    bring: () =>
      received(
        withRow({
          by_package: [{ package_id: seller.packageRef, spend: 10, impressions: 1, currency: 'EUR' }],
        }),
      ),
    reason: 'currency_mismatch',
    explained: 'not the currency of the media buy',
  },
  {
    name: 'a report after the final one',
    bring: async () => {
      await received(report(seller, { type: 'final', timestamp: '2026-11-21T10:00:00Z' }));
      return received(report(seller, { day: '2026-11-02', spend: 3, sequence: 2 }));
    },
    reason: 'after_final',
    explained: 'already sent the final report',
    admitted: 'applied',
    micros: [10_000_000n, 13_000_000n],
  },
  {
    name: 'a sequence that goes back while time goes on',
    bring: async () => {
      await received(report(seller, { sequence: 5, timestamp: '2026-11-21T10:00:00Z' }));
      return received(report(seller, { sequence: 4, spend: 12, timestamp: '2026-11-21T11:00:00Z' }));
    },
    reason: 'sequence_behind_time',
    explained: 'lower than that of an earlier report',
    admitted: 'applied',
    micros: [10_000_000n, 12_000_000n],
  },
];

describe.each(cases)('$name', ({ bring, status = 200, reason, explained, admitted, micros }) => {
  it('is answered, listed with its reason in text, and shown with the verdict step by step', async () => {
    expect(await bring()).toBe(status);
    const [event, ...more] = await list('quarantined');
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      seller: seller.connection.slug,
      state: 'quarantined',
      sender: seller.connection.agentUrl,
      reason,
      explanation: expect.stringContaining(explained),
      received_at: expect.stringMatching(/Z$/),
      copies: 0,
    });
    const shown = await query(`/${event?.event_id ?? ''}?raw=true`);
    expect(shown).toMatchObject({ status: 200, json: { reason, raw: { method: 'POST' } } });
    const steps = shown.json['steps'] as unknown as readonly { readonly ok: boolean }[];
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.every(({ ok }) => ok)).toBe(true);
    expect(await spent()).toBe(micros?.[0] ?? 0n);
  });

  it(`is ${admitted === undefined ? 'not to be admitted, with the reason why' : `${admitted} once it is admitted`}`, async () => {
    await bring();
    const [event] = await list('quarantined');
    const answer = await query(`/${event?.event_id ?? ''}/admit`, { reason: 'confirmed on the phone' });
    if (admitted === undefined) {
      expect(answer).toMatchObject({ status: 409, json: { errors: [{ code: 'CONFLICT' }] } });
      expect(JSON.stringify(answer.json)).toContain('It cannot be admitted.');
      expect(await list('quarantined')).toHaveLength(1);
    } else {
      expect(answer).toMatchObject({
        status: 200,
        json: {
          state: admitted,
          decision: { decision: 'admitted', reason: 'confirmed on the phone', was: reason },
        },
      });
      expect(await list(admitted)).toContainEqual(expect.objectContaining({ event_id: event?.event_id }));
    }
    expect(await spent()).toBe(micros?.[1] ?? 0n);
  });

  it('says before what admitting it would book, and books nothing by that', async () => {
    await bring();
    const [event] = await list('quarantined');
    const before = [await spent(), await legStatus()];
    const { json } = await query(`/${event?.event_id ?? ''}/effect`);
    expect([await spent(), await legStatus(), (await list('quarantined')).length]).toEqual([...before, 1]);
    const [was = 0n, is = 0n] = admitted === 'applied' ? (micros ?? []) : [];
    const rows = json['books'] as unknown as readonly { readonly before: string; readonly after: string }[];
    const sum = (pick: (row: (typeof rows)[number]) => string): number =>
      rows.reduce((all, row) => all + Number(pick(row)), 0);
    expect([sum((row) => row.before), sum((row) => row.after)]).toEqual(
      was === is ? [0, 0] : [Number(was) / 1_000_000, Number(is) / 1_000_000],
    );
    if (was !== is) expect(json).toMatchObject({ outcome: 'applied', problems: [] });
  });

  it('has no effect once it is dismissed, and stays visible', async () => {
    await bring();
    const before = [await spent(), await legStatus()];
    const [event] = await list('quarantined');
    const id = event?.event_id ?? '';
    expect(await query(`/${id}/dismiss`, { reason: ' ' })).toMatchObject({ status: 422 });
    expect(await query(`/${id}/dismiss`, { reason: 'sent by mistake' })).toMatchObject({
      status: 200,
      json: { state: 'refused', reason: 'dismissed', decision: { was: reason } },
    });
    expect(await query(`/${id}/admit`, { reason: 'after all' })).toMatchObject({ status: 409 });
    expect(await list('refused')).toMatchObject([{ event_id: id }]);
    expect([await spent(), await legStatus()]).toEqual(before);
  });
});

describe('a broken envelope', () => {
  it('that is repeated is one event, for any number of attempts', async () => {
    const flat = { ...(report(seller)['result'] as JsonObject) };
    for (let tries = 0; tries < 3; tries += 1) expect(await received(flat)).toBe(400);
    expect(await list('quarantined')).toHaveLength(1);
  });
});

describe('events by state', () => {
  it('has a list of each state, of one seller, and of the caller’s organization only', async () => {
    const other = await inbox.seller();
    const first = report(seller, { key: `applied-${seller.legId}` });
    await received(first);
    await received(first);
    await received(report(seller, { key: `stale-${seller.legId}` }));
    await received(report(seller, { result: { aggregated_totals: {} }, day: '2026-11-03', sequence: 3 }));
    await received(report(seller, { result: { aggregated_totals: {} }, day: '2026-11-04', sequence: 4 }));
    const [put] = await list('quarantined');
    await query(`/${put?.event_id ?? ''}/dismiss`, { reason: 'not ours' });
    await inbox.post(other, report(other));
    await applyInbox(inbox.deps, inbox.scope);
    for (const state of ['applied', 'duplicate', 'stale', 'quarantined', 'refused'])
      expect([state, (await list(state)).map((shown) => [shown['seller'], shown.state])]).toEqual([
        state,
        [[seller.connection.slug, state]],
      ]);
    expect((await query('?state=lost')).status).toBe(422);
    expect((await query('?limit=0')).status).toBe(422);
    expect((await query('?limit=1')).json['events']).toHaveLength(1);
  });
});
