import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { readA2aEvent } from './a2a-event.js';

const timestamp = '2026-11-21T12:00:00Z';
const legacyData = (data: JsonObject) => ({ kind: 'data', data });
const data = (value: JsonObject) => ({ data: value });

describe('readA2aEvent', () => {
  it('reads the end of a task of release 0.3: the last data part of its first artifact', () => {
    const body = {
      kind: 'task',
      id: 't1',
      contextId: 'c1',
      status: { state: 'completed', timestamp, message: { parts: [legacyData({ interim: true })] } },
      artifacts: [
        { parts: [{ kind: 'text', text: 'done' }, legacyData({ n: 1 }), legacyData({ n: 2 })] },
        { parts: [legacyData({ n: 3 })] },
      ],
      metadata: { operation_id: 'o1', idempotency_key: 'k1' },
    };
    expect(readA2aEvent(body)).toEqual({
      shape: 'task',
      a2aTaskId: 't1',
      contextId: 'c1',
      state: 'completed',
      status: 'completed',
      timestamp,
      data: { n: 2 },
      operationId: 'o1',
      idempotencyKey: 'k1',
    });
  });

  it.each([
    ['0.3', { kind: 'status-update', taskId: 't1' }, 'input-required', legacyData],
    ['1.0', { taskId: 't1' }, 'TASK_STATE_INPUT_REQUIRED', data],
  ] as const)(
    'reads an interim status of release %s: the first data part of its message',
    (release, head, state, part) => {
      const parts = [part({ n: 1 }), part({ n: 2 })];
      const update = { ...head, status: { state, timestamp, message: { parts } } };
      const body = release === '1.0' ? { statusUpdate: update } : update;
      expect(readA2aEvent(body)).toEqual({
        shape: 'status-update',
        a2aTaskId: 't1',
        state,
        status: 'input-required',
        timestamp,
        data: { n: 1 },
      });
    },
  );

  it('reads a task of release 1.0 in its member', () => {
    const task = {
      id: 't1',
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [data({ n: 1 })] }],
    };
    expect(readA2aEvent({ task })).toMatchObject({ shape: 'task', status: 'completed', data: { n: 1 } });
  });

  it('keeps an unknown state', () => {
    expect(readA2aEvent({ id: 't1', status: { state: 'paused' } })).toMatchObject({
      state: 'paused',
      status: 'unknown',
    });
  });

  it.each([
    ['an envelope', { task_id: 't', status: 'completed' }],
    ['no id', { status: { state: 'working' } }],
    ['an empty id', { id: '', status: { state: 'working' } }],
    ['a state that is no text', { id: 't', status: { state: 7 } }],
    ['an artifact update', { artifactUpdate: { taskId: 't' } }],
    ['a list', []],
    ['null', null],
  ])('reads %s as nothing', (_what, body) => {
    expect(readA2aEvent(body)).toBeUndefined();
  });
});
