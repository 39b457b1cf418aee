import { describe, expect, it } from '@jest/globals';
import type { BuyerRegistration } from './buyer-registration.js';
import { completeBody, writeTaskEvent, type TaskUpdate } from './write-task-event.js';

const registration: BuyerRegistration = {
  id: 'r1',
  organizationId: 'o1',
  principalId: 'p1',
  operationId: 'ours',
  channel: 'task',
  envelope: 'mcp',
  mode: 'signed',
  url: 'https://buyer.example/hooks/not-the-id',
  buyerOperationId: 'theirs:1',
  profile: { dialect: 'adcp', form: '3.1' },
  createdAt: 0,
};
const update: TaskUpdate = {
  status: 'completed',
  taskId: 'task_1',
  taskType: 'create_media_buy',
  protocol: 'media-buy',
  at: Date.UTC(2026, 0, 2),
  result: { media_buy_id: 'mb_1' },
  context: { nested: { deep: [1, 'two'] } },
};
const ids = { id: 'e1', idempotencyKey: '3f0c9a1e-0000-4000-8000-000000000001' };
const write = (of: Partial<BuyerRegistration> = {}, received: Partial<TaskUpdate> = {}) =>
  JSON.parse(
    writeTaskEvent({ ...registration, ...of }, { ...update, ...received }, ids).body.toString(),
  ) as Record<string, unknown>;

describe('a task webhook', () => {
  it("echoes the buyer's values, names our task, and has its own key", () => {
    expect(write()).toEqual({
      idempotency_key: ids.idempotencyKey,
      operation_id: 'theirs:1',
      task_id: 'task_1',
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      status: 'completed',
      timestamp: '2026-01-02T00:00:00.000Z',
      context: { nested: { deep: [1, 'two'] } },
      result: { media_buy_id: 'mb_1' },
    });
  });

  it('names the domain in the service form and 2.5, and the protocol in 3.x', () => {
    expect(write({ profile: { dialect: 'ads', form: 'service' } })).toMatchObject({ domain: 'media-buy' });
    expect(write({ profile: { dialect: 'adcp', form: '2.5' } })).not.toHaveProperty('protocol');
    expect(write({ profile: { dialect: 'adcp', form: '3.0' } })).toMatchObject({ protocol: 'media-buy' });
  });

  it('names our operation if an older buyer gave none', () => {
    const { buyerOperationId: _none, ...older } = registration;
    const body = writeTaskEvent(older, update, ids).body.toString();
    expect(JSON.parse(body)).toMatchObject({ operation_id: 'ours' });
  });

  it('is compact JSON, so that receivers of the older mode hash the same bytes', () => {
    const { body } = writeTaskEvent(registration, update, ids);
    expect(body.toString()).toBe(JSON.stringify(JSON.parse(body.toString())));
  });

  it('has the token as its last member, and is otherwise unchanged', () => {
    const { body } = writeTaskEvent(registration, update, ids);
    const sent = completeBody(body, 'to"ken');
    expect(JSON.parse(sent.toString())).toEqual({ ...write(), token: 'to"ken' });
    expect(body.includes('token')).toBe(false);
    expect(completeBody(body, undefined)).toBe(body);
  });
});

describe('the native webhook of A2A', () => {
  it('has final data in the last data part of the first artifact', () => {
    expect(write({ envelope: 'a2a-0.3', contextId: 'c1' })).toEqual({
      kind: 'task',
      id: 'task_1',
      contextId: 'c1',
      status: { state: 'completed', timestamp: '2026-01-02T00:00:00.000Z' },
      artifacts: [
        {
          artifactId: 'result',
          name: 'create_media_buy',
          parts: [{ kind: 'data', data: { media_buy_id: 'mb_1', context: update.context } }],
        },
      ],
      metadata: { idempotency_key: ids.idempotencyKey, operation_id: 'theirs:1' },
    });
  });

  it('has interim data in the first data part of the status message', () => {
    const body = write(
      { envelope: 'a2a-1.0', contextId: 'c1' },
      { status: 'input-required', result: { reason: 'why' } },
    );
    expect(body).not.toHaveProperty('artifacts');
    expect(body).toMatchObject({
      status: {
        state: 'TASK_STATE_INPUT_REQUIRED',
        message: { role: 'ROLE_AGENT', parts: [{ data: { reason: 'why' } }] },
      },
    });
  });
});
