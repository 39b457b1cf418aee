import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isExplained, openStage, type Stage } from './runner/stage-storyboards.js';
import { overA2a, storyboards } from './runner/storyboard-table.js';

/** The runner's A2A reader throws for every failed task, so it cannot read a refusal. */
const unreadable = 'Task failed';
const timeoutMs = 180_000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('the storyboard runner of @adcp/sdk, at Switchyard’s A2A endpoint', () => {
  it.each(overA2a.map((name) => [name, storyboards[name] ?? { passed: 0 }] as const))(
    'finds in %s only refusals that it cannot read',
    async (storyboard, expected) => {
      const { passed, failures, skips } = await stage.graded(storyboard, 'a2a');
      const known = { ...expected.failures, ...expected.failuresOverA2a };
      expect({
        failures: failures.filter(({ step, reason }) => !(step in known) && !reason.includes(unreadable)),
        skips: skips.filter((skip) => !isExplained(skip, expected) && !skip.reason.includes(unreadable)),
      }).toEqual({ failures: [], skips: [] });
      expect(passed).toBe(expected.passedOverA2a ?? expected.passed);
    },
    timeoutMs,
  );
});
