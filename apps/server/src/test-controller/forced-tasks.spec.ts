import { describe, expect, it } from '@jest/globals';
import type { Caller, TaskReply } from '../platform/tasks/call/task-call.js';
import { ForcedTasks } from './forced-tasks.js';

const caller = (principalId: string) =>
  ({ kind: 'principal', organizationId: 'org', principalId }) as unknown as Caller;
const given = (name: string, arm = 'submitted') => ({
  scenario: 'force_create_media_buy_arm',
  params: { arm, task_id: name },
});
const reply = (taskId: string | undefined, status = 'submitted') =>
  ({
    status,
    body: { task_id: taskId ?? '' },
    ...(taskId === undefined ? {} : { taskId }),
  }) as unknown as TaskReply;

describe('a task with a given name', () => {
  it('is answered and read under it, only by the caller who gave it', () => {
    const tasks = new ForcedTasks();
    tasks.note(caller('a'), given('io_1'));
    expect(tasks.answered(caller('b'), 'create_media_buy', reply('task_b')).body).toEqual({
      task_id: 'task_b',
    });
    expect(tasks.answered(caller('a'), 'create_media_buy', reply('task_a')).body).toEqual({
      task_id: 'io_1',
    });
    expect(tasks.meant(caller('a'), { task_id: 'io_1' })).toEqual({ task_id: 'task_a' });
    expect(tasks.meant(caller('b'), { task_id: 'io_1' })).toEqual({ task_id: 'io_1' });
    expect([tasks.isOf(caller('a'), 'io_1'), tasks.isOf(caller('b'), 'io_1')]).toEqual([true, false]);
  });

  it('keeps its name when the answer is replayed, and the next one has its own', () => {
    const tasks = new ForcedTasks();
    tasks.note(caller('a'), given('io_1'));
    tasks.note(caller('a'), given('io_2'));
    const name = (taskId: string) =>
      tasks.answered(caller('a'), 'create_media_buy', reply(taskId)).body['task_id'];
    expect(['task_1', 'task_1', 'task_2', 'task_3'].map(name)).toEqual(['io_1', 'io_1', 'io_2', 'task_3']);
  });

  it('waits for a buy that is only accepted, and is not given to another task', () => {
    const tasks = new ForcedTasks();
    tasks.note(caller('a'), given('io_1'));
    tasks.note(caller('a'), given('ignored', 'input-required'));
    const reported = [
      tasks.answered(caller('a'), 'create_media_buy', reply(undefined, 'completed')),
      tasks.answered(caller('a'), 'activate_signal', reply('task_s')),
      tasks.answered(caller('a'), 'create_media_buy', reply('task_1')),
      tasks.answered(caller('a'), 'create_media_buy', reply('task_2')),
    ];
    expect(reported.map(({ body }) => body['task_id'])).toEqual(['', 'task_s', 'io_1', 'task_2']);
  });
});
