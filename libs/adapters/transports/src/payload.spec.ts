import { describe, expect, it } from '@jest/globals';
import { Task, TaskState, type SendMessageResult } from '@a2a-js/sdk';
import { atOnce } from '@switchyard/values';
import { a2aAnswer } from './payload.js';

/** A completed task of a seller whose one artifact holds these data. */
const completed = (data: unknown): SendMessageResult =>
  Task.fromJSON({
    id: 't1',
    contextId: 'c1',
    status: { state: TaskState.TASK_STATE_COMPLETED },
    artifacts: [{ artifactId: 'a', parts: [{ data }] }],
  });

describe('the data of a seller over A2A', () => {
  it('are read as they stand', () => {
    const data = { products: [], response: { note: 'a member of the answer' } };
    expect(atOnce(a2aAnswer(completed(data)))).toMatchObject({ payload: data, isError: false });
  });

  it('are no answer where they are only a wrapper around one', () => {
    expect(atOnce(a2aAnswer(completed({ response: { products: [] } })))).toBeUndefined();
  });
});
