import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer');

/** The duration of the longest spec files with two at a time, by file name: half the seconds of a run on two cores. */
const seconds = JSON.parse(readFileSync(new URL('./durations.json', import.meta.url), 'utf8'));

/** A file that is not in the table is assumed to be short, the longer the larger it is. */
const costOf = ({ path, context }) => seconds[basename(path)] ?? 1 + context.hasteFS.getSize(path) / 10_000;

const longestFirst = (tests) =>
  tests
    .map((test) => ({ test, cost: costOf(test) }))
    .toSorted((left, right) => right.cost - left.cost || (left.test.path < right.test.path ? -1 : 1));

/**
 * Runs the longest spec files first, and divides a package (`--shard`) so that its parts take equally long. Jest's own
 * records of earlier runs are ignored: a part must be the same on every machine, or files would be left out.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return longestFirst(tests).map(({ test }) => test);
  }

  shard(tests, { shardIndex, shardCount }) {
    const shards = Array.from({ length: shardCount }, () => ({ total: 0, tests: [] }));
    for (const { test, cost } of longestFirst(tests)) {
      const lightest = shards.reduce((left, right) => (right.total < left.total ? right : left));
      lightest.tests.push(test);
      lightest.total += cost;
    }
    return shards[shardIndex - 1].tests;
  }
}
