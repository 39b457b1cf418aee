import { expect, it } from '@jest/globals';
import type { WireProfile } from '../versions/wire-profile.js';
import { findTask, servingTask, taskTable } from '../task-table.js';
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

it("shows a lifecycle task's type to callers of its release, and the type of the older task to others", () => {
  const at = '2026-01-01T00:00:00Z';
  const read = taskTable.getTask.readAnswer(
    { task_id: 't', task_type: 'request_proposals', status: 'working', created_at: at, updated_at: at },
    { dialect: 'adcp', form: '3.1' },
    new Map(),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  const { answer } = read.value;
  const typeFor = (profile: Pick<WireProfile, 'form' | 'release'>) =>
    taskTable.getTask.projectAnswer(answer, { dialect: 'adcp', ...profile })['task_type'];
  expect(typeFor({ form: '3.1', release: '3.2-beta.5' })).toBe('request_proposals');
  for (const form of ['2.5', '3.0', '3.1'] as const)
    expect([form, typeFor({ form })]).toEqual([form, 'get_products']);
});
