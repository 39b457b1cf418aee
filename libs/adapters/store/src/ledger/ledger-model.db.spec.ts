import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Checkpoint } from '@switchyard/journal';
import type { Observation } from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import { createBookedBuy, createOrganization, openTestStore, type BookedBuyRows } from '@switchyard/testing';
import { openStore } from '../core/open-store.js';
import { spendBy } from '../finance/spend-by.js';
import { ledgerStore } from './ledger-store.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);
const ledger = ledgerStore(store);

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 8, 1);
const dayTotal = 30;
const windows = ['', 'live', 'c3', 'c7'] as const;
const currencies = ['EUR', 'USD', 'JPY'] as const;
/** `npm run soak` uses a hundred thousand reports. */
const factTotal = process.env['PROPERTY_SEED'] === undefined ? 1_500 : 100_000;
const batchSize = factTotal / 30;

/** A seller's report of one package and day. Its position in the list is its time. */
const fact = fc.record({
  buy: fc.nat(5),
  packageAt: fc.nat(2),
  day: fc.nat(dayTotal - 1),
  isPulled: fc.boolean(),
  isAdjusted: fc.boolean(),
  isFinal: fc.constantFrom(true, false, null, null),
  window: fc.constantFrom(...windows),
  spend: fc.integer({ min: 1, max: 5_000_000 }),
  fault: fc.constantFrom(
    'none',
    'none',
    'none',
    'none',
    'none',
    'none',
    'currency',
    'negative',
    'package',
    'buy',
  ),
  isRepeated: fc.boolean(),
});
type Fact = typeof fact extends fc.Arbitrary<infer One> ? One : never;

interface SentReport extends Fact {
  readonly at: number;
  /** Micros; each pull has another figure, because a repeated one is a duplicate. */
  readonly micros: bigint;
}

function observationOf(buy: BookedBuyRows, sent: SentReport): Observation {
  const start = firstDay + sent.day * dayMs;
  const reportedAt = firstDay + 60 * dayMs + sent.at * 1_000;
  const sign = sent.fault === 'negative' ? '-' : '';
  return {
    connectionId: buy.connectionId,
    source: sent.isPulled ? 'pull' : 'webhook',
    stream: sent.isPulled ? 'pull' : `address of ${buy.legId}`,
    report: {
      ...(sent.isPulled
        ? {}
        : { notificationType: sent.isAdjusted ? 'adjusted' : 'scheduled', sequenceNumber: sent.at + 1 }),
      period: { start: new Date(start).toISOString(), end: new Date(start + dayMs).toISOString() },
      currency: sent.fault === 'currency' ? 'CHF' : currencyOf(sent.buy),
      partialData: false,
      deliveries: [
        {
          mediaBuyId: sent.fault === 'buy' ? 'nobody knows it' : (buy.sellerMediaBuyId ?? ''),
          status: 'active',
          isAdjusted: sent.isAdjusted,
          totals: { spend: '0', original: {} },
          byPackage: [
            {
              packageId: sent.fault === 'package' ? 'not bought' : (buy.packages[sent.packageAt] ?? ''),
              spend: `${sign}${microsToDecimal(sent.micros)}`,
              measurementWindow: sent.window,
              original: {},
              ...(sent.isFinal === null ? {} : { isFinal: sent.isFinal }),
            },
          ],
        },
      ],
    },
    reportedAt,
    receivedAt: reportedAt + 20,
    eventId: randomUUID(),
    legId: buy.legId,
    message: { sha256: 'ab'.repeat(32), sender: 'https://seller.example', proof: 'signed', keyid: 'k1' },
  };
}

const currencyOf = (buy: number): string => currencies[buy % currencies.length] ?? '';
const daysOf = { '': 0, live: 0, c3: 3, c7: 7 } as const;

/**
 * The debt, computed without the ledger's code: reports one by one, the best of each package and day by the documented
 * rules.
 */
function owed(received: readonly SentReport[]): Readonly<Record<string, bigint>> {
  const places = new Map<string, SentReport[]>();
  for (const sent of received) {
    if (sent.fault !== 'none') continue;
    const key = `${sent.buy} ${sent.packageAt} ${sent.day}`;
    places.set(key, [...(places.get(key) ?? []), sent]);
  }
  const sums: Record<string, bigint> = {};
  for (const all of places.values()) {
    const final = all.filter(({ isFinal }) => isFinal === true);
    const eligible = final.length > 0 ? final : all;
    const widest = Math.max(...eligible.map(({ window }) => daysOf[window]));
    const inWindow = eligible.filter(({ window }) => daysOf[window] === widest);
    const newest = (isPulled: boolean): SentReport | undefined =>
      inWindow
        .filter((one) => one.isPulled === isPulled)
        .sort((left, right) => left.at - right.at)
        .at(-1);
    const [pull, push] = [newest(true), newest(false)];
    const isPushed = pull === undefined || (push !== undefined && push.isAdjusted && push.at > pull.at);
    const chosen = isPushed ? push : pull;
    if (chosen === undefined) continue;
    const currency = currencyOf(chosen.buy);
    sums[currency] = (sums[currency] ?? 0n) + chosen.micros;
  }
  return sums;
}

describe('the ledger beside a model of it', () => {
  it(
    'has the same balances and verifies after every batch of repeated, reordered, restated and wrong reports',
    async () => {
      const { id: organizationId } = await createOrganization(store);
      const scope = { organizationId };
      const buys: BookedBuyRows[] = [];
      for (let at = 0; at < 6; at += 1)
        buys.push(
          await createBookedBuy(store, organizationId, {
            currency: currencyOf(at),
            budgetMicros: 100_000_000_000_000_000n,
          }),
        );
      const [facts = []] = fc.sample(
        fc.array(fact, { minLength: factTotal, maxLength: factTotal, size: 'max' }),
        { numRuns: 1, seed: Number(process.env['PROPERTY_SEED'] ?? 20_261_123) },
      );
      const sent = facts.map((one, at): SentReport => ({
        ...one,
        at,
        micros: BigInt(one.spend) * 1_000_000n + (one.isPulled ? BigInt(at) : 0n),
      }));
      const mixed = [...sent, ...sent.filter(({ isRepeated }) => isRepeated)].sort(
        // A random number near the time.
        (left, right) => left.at + ((left.spend * 7) % 97) - (right.at + ((right.spend * 7) % 97)),
      );
      const received: SentReport[] = [];
      let since: Checkpoint | undefined;
      for (let from = 0; from < mixed.length; from += batchSize) {
        const batch = mixed.slice(from, from + batchSize);
        const outcomes = await ledger.applyReports(
          scope,
          batch.map((one) => observationOf(buys[one.buy] ?? buys[0]!, one)),
          { now: firstDay + 200 * dayMs },
        );
        outcomes.forEach(({ kind }, at) => {
          const isWrong = batch[at]?.fault !== 'none';
          expect(isWrong ? ['quarantined'] : ['applied', 'duplicate', 'quarantined']).toContain(kind);
          // The ledger may quarantine a number that contradicts its time; the model gets the accepted reports.
          if (kind === 'applied' || kind === 'duplicate') received.push(batch[at]!);
        });
        const read = await ledger.verify(scope, since === undefined ? {} : { since });
        expect(read).toMatchObject({ ok: true, problems: [] });
        const at = firstDay + from;
        since = { head: read.head, sums: read.sums, verifiedAt: at, fullyVerifiedAt: at };
        const spent: Record<string, bigint> = {};
        const everything = { by: ['seller'], reach: { kind: 'everything' } } as const;
        for (const { currency, amount } of await spendBy(store, scope, everything))
          spent[currency] = (spent[currency] ?? 0n) + BigInt(amount);
        expect(spent).toEqual(owed(received));
      }
      expect(received.length).toBeGreaterThan(factTotal / 2);
      expect(await ledger.verify(scope)).toMatchObject({ ok: true, problems: [] });
    },
    factTotal > 10_000 ? 3_600_000 : 120_000,
  );
});
