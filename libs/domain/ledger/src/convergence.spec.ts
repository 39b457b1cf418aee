import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DeliveryReport } from '@switchyard/protocol';
import { countFigures } from './report/count-facts.js';
import type { Observation } from './report/observation.js';
import {
  buy,
  days,
  dayStart,
  delivery,
  ledgerAfter as ledgerOf,
  pulled,
  pushed,
  report,
  row,
} from './testkit/report-maker.js';

/** Enough is bought that no report exceeds the limit: there the order of reports would matter. */
const bought = {
  buys: [{ ...buy, packages: buy.packages.map((item) => ({ ...item, budgetMicros: 1_000_000_000_000n })) }],
};
const ledgerAfter = (observations: readonly Observation[]) => ledgerOf(observations, bought);

/** A report of an honest sender: its numbers and its times agree, and nothing follows its final report. */
interface Draft {
  readonly stream: 's1' | 's2' | 'pull';
  readonly type: 'scheduled' | 'adjusted';
  readonly from: number;
  readonly length: number;
  readonly packages: readonly string[];
  readonly spend: number;
  readonly isFinal: boolean;
  readonly window: string;
  readonly ties: boolean;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  stream: fc.constantFrom('s1', 's2', 'pull'),
  type: fc.constantFrom('scheduled', 'adjusted'),
  from: fc.constantFrom(0, 1, 2, 3, 20),
  length: fc.constantFrom(1, 1, 1, 2, 4),
  packages: fc.constantFrom(['p1'], ['p2'], ['p1', 'p2'], []),
  spend: fc.nat(500),
  isFinal: fc.boolean(),
  window: fc.constantFrom('', '', 'c3', 'c7'),
  ties: fc.boolean(),
});

function observationsOf(drafts: readonly Draft[]): readonly Observation[] {
  const numbers = { s1: 0, s2: 0, pull: 0 };
  return drafts.map((each, index) => {
    const sequenceNumber = (numbers[each.stream] += 1);
    // A pull finds a new figure each time; the same figure again is a repeat by definition.
    const spend = String(each.stream === 'pull' ? 1_000 + index : each.spend);
    const extras = { isFinal: each.isFinal, measurementWindow: each.window };
    const content: DeliveryReport = report(
      [
        delivery(
          each.packages.map((id) => row(id, spend, extras)),
          spend,
          { isFinal: each.isFinal },
        ),
      ],
      { notificationType: each.type, sequenceNumber, period: days(each.from, each.from + each.length) },
    );
    const at = dayStart + index * 20_000_000 + (each.ties ? 0 : index);
    if (each.stream === 'pull') return pulled(content, at);
    return pushed(content, { stream: each.stream, reportedAt: at, receivedAt: at + 7 });
  });
}

const story = fc.array(draft, { minLength: 1, maxLength: 12 }).chain((drafts) => {
  const sent = observationsOf(drafts);
  const withRepeats = fc.subarray([...sent]).map((again) => [...sent, ...again]);
  return fc.tuple(
    fc.constant(sent),
    withRepeats.chain((all) => fc.shuffledSubarray(all, { minLength: all.length })),
  );
});

describe('a ledger of reports', () => {
  it('reaches the same figures for any order and number of deliveries', () => {
    fc.assert(
      fc.property(story, ([inOrder, shuffled]) => {
        const one = ledgerAfter(inOrder);
        const other = ledgerAfter(shuffled);
        expect(other.counting).toEqual(one.counting);
        expect(other.posted).toBe(one.posted);
      }),
      { seed: 20_261_121, numRuns: 400 },
    );
  });

  it('has postings that sum to zero, and exactly the counted figures', () => {
    fc.assert(
      fc.property(story, ([, shuffled]) => {
        const { decisions, posted, counting } = ledgerAfter(shuffled);
        for (const { entries } of decisions) {
          for (const { postings } of entries) {
            expect(postings.reduce((sum, { amountMicros }) => sum + amountMicros, 0n)).toBe(0n);
          }
        }
        const counted = counting.reduce((sum, text) => sum + BigInt(text.split(' ').at(-1) ?? ''), 0n);
        expect(posted).toBe(counted);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('counts after each report what a count of all figures at once counts', () => {
    fc.assert(
      fc.property(story, ([, shuffled]) => {
        const { book } = ledgerAfter(shuffled);
        const all = book.versionsOf(buy.sellerBuyId);
        const counted = countFigures(all);
        expect(all.map((version) => book.figureOf(version))).toEqual(
          all.map((version) => counted.get(version)),
        );
      }),
      { seed: 30_261_201, numRuns: 200 },
    );
  });

  it('R8: never counts two figures for one package and moment', () => {
    fc.assert(
      fc.property(story, ([, shuffled]) => {
        const periods = ledgerAfter(shuffled).counting.map((text) => {
          const [packageRef = '', period = ''] = text.split(' ');
          const [from = 0, to = 0] = period.split('-').map(Number);
          return { packageRef, from, to };
        });
        for (const [index, left] of periods.entries()) {
          for (const right of periods.slice(index + 1)) {
            const related =
              left.packageRef === right.packageRef || left.packageRef === '' || right.packageRef === '';
            expect(related && left.from < right.to && right.from < left.to).toBe(false);
          }
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });
});
