import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isBelowBooked } from '@switchyard/ledger';
import { createScope, openTestStore } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { limitChecks } from './limit-sums.js';
import { spendingLimits } from './spending-limits.js';
import { committedBuys, type CommittedBuy, type CommittedBuys } from './testkit/committed-buys.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const checks = limitChecks(store);
const unit = 1_000_000n;
const limit = 1_000n;
const first = Date.UTC(2026, 10, 10, 12);
const flight = [Date.UTC(2026, 10, 1), Date.UTC(2026, 11, 31)] as const;

/** What happens to one buy, before the next one is requested and after it. */
interface Round {
  /** Percent of the limit that is bought. */
  readonly share: number;
  readonly isAccepted: boolean;
  /** Percent of the budget. */
  readonly delivered: number;
  readonly before: readonly Later[];
  readonly after: readonly Later[];
}

type Later = (typeof laterActs)[number];
const laterActs = ['deliver', 'lower', 'report', 'cancel', 'complete', 'final', 'invoice'] as const;

const later = fc.array(fc.constantFrom(...laterActs, 'deliver', 'lower'), { maxLength: 3 });
const round: fc.Arbitrary<Round> = fc.record({
  share: fc.oneof(fc.integer({ min: 20, max: 100 }), fc.constantFrom(10, 15, 20, 100)),
  isAccepted: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
  delivered: fc.integer({ min: 50, max: 110 }),
  before: later,
  after: later,
});

/** The seller has delivered most of the budget when it is lowered, and no report says so yet. */
const loweredUnreported: readonly Round[] = [
  { share: 100, isAccepted: true, delivered: 90, before: ['deliver', 'lower'], after: [] },
  { share: 20, isAccepted: true, delivered: 100, before: ['deliver'], after: [] },
];

/** A buy with what only its seller knows. */
interface Life {
  readonly buy: CommittedBuy;
  /** Its budget in whole units, which its seller keeps to from when it has accepted it. */
  amount: bigint;
  state: 'asked' | 'live' | 'over' | 'final';
  delivered: bigint;
}

/** Plays one life of a limit, and checks after each act that no more is booked than counts. Returns what is booked. */
async function play(rounds: readonly Round[], overDelivery: bigint): Promise<bigint> {
  const scope = await createScope(store);
  for (const more of [{}, { per: 'month' as const }])
    await spendingLimits(store).set(
      scope,
      {
        ...{ kind: 'organization', key: '', currency: 'USD', above: 'refuse', createdAt: first },
        ...{ id: randomUUID(), amount: limit * unit },
        ...more,
      },
      randomUUID(),
    );
  const buys = await committedBuys(store, scope);
  const lives: Life[] = [];
  let booked = 0n;
  let at = first;
  const act = async (life: Life, what: Later, delivered = 0): Promise<void> => {
    at += 60_000;
    await step(buys, life, { what, at, most: (life.amount * (100n + overDelivery)) / 100n, delivered });
    const sums = await checks.sums(scope);
    expect(sums.filter(isBelowBooked)).toEqual([]);
    booked = sums.find(({ month }) => month === undefined)?.bookedMicros ?? 0n;
  };
  const waiting: (() => Promise<void>)[] = [];
  for (const each of rounds) {
    const amount = BigInt(each.share) * 10n;
    const { kind, ...buy } = await buys.request({ amount: amount * unit, flight, createdAt: at });
    if (kind === 'stored') {
      const life: Life = { buy, amount, state: each.isAccepted ? 'live' : 'final', delivered: 0n };
      lives.push(life);
      await buys.answer(buy, each.isAccepted ? 'completed' : 'rejected', at);
      for (const what of each.before) await act(life, what, each.delivered);
      for (const what of each.after) waiting.push(() => act(life, what, each.delivered));
    }
    await waiting.shift()?.();
  }
  for (const one of waiting) await one();
  for (const life of lives) {
    await act(life, 'deliver', 100);
    await act(life, 'report');
  }
  return booked / unit;
}

async function step(
  buys: CommittedBuys,
  life: Life,
  {
    what,
    at,
    most,
    delivered,
  }: { readonly what: Later; readonly at: number; readonly most: bigint; readonly delivered: number },
): Promise<void> {
  const { buy, amount, state } = life;
  if (state === 'final') return;
  if (what === 'deliver' && state === 'live') {
    const more = life.delivered + (amount * BigInt(delivered)) / 100n;
    const end = more < most ? more : most;
    life.delivered = end > life.delivered ? end : life.delivered;
  } else if (what === 'lower' && state === 'live') {
    // More than its budget times 1.5 is not booked before a person admits it.
    const [less, least] = [(amount * 2n) / 3n, (life.delivered * 3n) / 4n + 1n];
    if (least > amount) return;
    life.amount = less > least ? less : least;
    await buys.budgeted(buy, life.amount * unit, at);
  } else if ((what === 'cancel' || what === 'complete') && state === 'live') {
    await buys.becomes(buy, what === 'cancel' ? 'canceled' : 'completed', at);
    life.state = 'over';
  } else if (what === 'report' || (what === 'final' && state === 'over')) {
    const isLast = what === 'final';
    await buys.report(buy, { day: first, spend: life.delivered.toString(), isLast });
    if (isLast) life.state = 'final';
  } else if (what === 'invoice' && life.delivered > 0n) {
    await buys.invoice(buy, life.delivered * unit, at);
  }
}

describe('random lives of a limit of 1,000', () => {
  const lives = fc.array(round, { minLength: 4, maxLength: 8 });

  it('never book more than the limit, nor more than counts, where sellers keep to their budgets', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (rounds) => {
        expect(await play(rounds, 0n)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 30, examples: [[[...loweredUnreported]]] },
    );
  });

  it('book at most what sellers deliver above their budgets beyond the limit, and count it', async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (rounds) => {
        expect(await play(rounds, 8n)).toBeLessThanOrEqual((limit * 108n) / 100n);
      }),
      { numRuns: 15 },
    );
  });
});
