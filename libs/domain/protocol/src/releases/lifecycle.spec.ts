import { expect, it } from '@jest/globals';
import { findTask, servingTask } from '../task-table.js';
import { lifecycleTask, releasesWith } from './lifecycle.js';
import { knownLifecycle } from './known-lifecycle.js';

it('serves each task of a later release by an older one, and takes its name for no task in what others seal or are granted', () => {
  const names = knownLifecycle.flatMap(({ tasks }) => tasks).map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    expect([name, findTask(name)]).toEqual([name, undefined]);
    expect([name, servingTask(name)?.name]).toEqual([name, lifecycleTask(name)?.servedBy]);
    expect(releasesWith(name)).toHaveLength(1);
  }
});
