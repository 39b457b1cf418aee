import { expect } from '@jest/globals';
import { isExplained } from './stage-storyboards.js';
import type { Graded } from './start-runner.js';
import type { Expected } from './storyboard-table.js';

/** Expects only failures that a storyboard's row explains, and at least the result of the SDK's example agents. */
export function holdToTable({ passed, failed, failures, skips }: Graded, expected: Expected): void {
  const known = expected.failures ?? {};
  expect({
    failures: failures.filter(({ step }) => !(step in known)),
    skips: skips.filter((skip) => !isExplained(skip, expected)),
  }).toEqual({ failures: [], skips: [] });
  expect(failures.map(({ step }) => step).sort()).toEqual(Object.keys(known).sort());
  expect({ passed, failed }).toEqual({ passed: expected.passed, failed: Object.keys(known).length });
  const [examplesPassed, examplesFailed] = expected.examples ?? [0, failed];
  expect(passed).toBeGreaterThanOrEqual(examplesPassed);
  expect(failed).toBeLessThanOrEqual(examplesFailed);
}
