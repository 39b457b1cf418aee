import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { readWebhookEnvelope, replyOfEnvelope } from './envelope.js';
import { readReply, replyOfTask } from './reply.js';

const statusOf = (task: string, payload: JsonObject, isError = false, state?: string): string =>
  readReply(task, payload, isError, state === undefined ? undefined : { state }).status;
const buy = { media_buy_id: 'm', packages: [] };

describe('a seller’s answer about the task', () => {
  it('is a submitted task in the service description’s own asynchronous shape', () => {
    const reply = readReply('create_media_buy', { ...buy, status: 'pending', task_id: 't1' }, false);
    expect(reply).toMatchObject({ status: 'submitted', taskId: 't1', errors: [] });
    expect(statusOf('create_media_buy', { ...buy, status: 'pending' })).toBe('completed');
    expect(statusOf('sync_creatives', { status: 'pending', task_id: 't1' })).toBe('submitted');
  });

  it('has succeeded when it contains the requested result, with any other members', () => {
    const errors = [{ code: 'SLOW_ACTIVATION', message: 'It takes a day.' }];
    expect(statusOf('activate_signal', { deployments: [], errors })).toBe('completed');
    expect(statusOf('get_products', { products: [], errors })).toBe('completed');
    expect(statusOf('create_media_buy', { ...buy, status: 'active' })).toBe('completed');
    expect(statusOf('create_media_buy', { ...buy, status: 'rejected' })).toBe('completed');
    expect(statusOf('create_media_buy', { ...buy, status: 'completed', media_buy_status: 'active' })).toBe(
      'completed',
    );
    expect(statusOf('create_media_buy', { ...buy, status: 'canceled', media_buy_status: 'canceled' })).toBe(
      'canceled',
    );
  });

  it('is still open while the task is, even if it already has ids', () => {
    expect(statusOf('create_media_buy', { ...buy, status: 'submitted', task_id: 't' })).toBe('submitted');
    expect(statusOf('create_media_buy', { ...buy, status: 'working' })).toBe('working');
    expect(statusOf('create_media_buy', { status: 'input_required', task_id: 't' })).toBe('input-required');
  });

  it('has failed with its errors if it contains nothing else', () => {
    const reply = readReply(
      'create_media_buy',
      { errors: [{ code: 'BUDGET_TOO_LOW', message: 'More.' }] },
      true,
    );
    expect(reply).toMatchObject({
      status: 'failed',
      errors: [{ code: 'BUDGET_TOO_LOW', recovery: 'correctable' }],
    });
    expect(readReply('create_media_buy', {}, true)).toMatchObject({
      status: 'failed',
      errors: [{ code: 'SERVICE_UNAVAILABLE', recovery: 'transient' }],
    });
    expect(statusOf('create_media_buy', { status: 'rejected', message: 'No.' })).toBe('rejected');
    expect(statusOf('create_media_buy', { adcp_error: { code: 'CONFLICT', message: 'x' } })).toBe('failed');
  });

  it('with an input request has its reason, and made nothing', () => {
    const errors = [{ code: 'IO_REQUIRED', message: 'Sign first.' }];
    const asks = readReply('create_media_buy', { status: 'input-required', errors }, false);
    expect(asks).toMatchObject({ status: 'input-required', errors: [{ code: 'IO_REQUIRED' }] });
    const silent = readReply('create_media_buy', { status: 'input-required' }, false);
    expect([silent.status, silent.errors]).toEqual(['input-required', []]);
  });

  it('has the state of the A2A task if the payload has none, in either generation', () => {
    expect(statusOf('create_media_buy', {}, false, 'TASK_STATE_INPUT_REQUIRED')).toBe('input-required');
    expect(statusOf('create_media_buy', {}, false, 'working')).toBe('working');
    expect(statusOf('create_media_buy', {}, false, 'failed')).toBe('failed');
    expect(statusOf('create_media_buy', { status: 'submitted', task_id: 't' }, false, 'completed')).toBe(
      'submitted',
    );
    expect(statusOf('create_media_buy', buy, false, 'completed')).toBe('completed');
  });

  it('limits the length of a seller’s text', () => {
    const reply = readReply('get_products', { products: [], message: 'x'.repeat(10_000) }, false);
    expect(reply.message?.length).toBeLessThan(2_010);
  });

  it('to a poll is the result of the task', () => {
    const view = {
      taskId: 't',
      taskType: 'create_media_buy',
      protocol: 'media-buy',
      createdAt: '2027-01-01T00:00:00Z',
      updatedAt: '2027-01-01T00:00:00Z',
    };
    expect(replyOfTask('create_media_buy', { ...view, status: 'working' })).toMatchObject({
      status: 'working',
    });
    const done = replyOfTask('create_media_buy', {
      ...view,
      status: 'completed',
      result: { ...buy, status: 'active' },
    });
    expect(done).toMatchObject({ status: 'completed', payload: buy });
    const error = { code: 'POLICY_VIOLATION', message: 'No.' };
    expect(replyOfTask('create_media_buy', { ...view, status: 'failed', error })).toMatchObject({
      status: 'failed',
      errors: [error],
    });
    const pending = {
      ...view,
      status: 'completed' as const,
      result: { ...buy, status: 'pending', task_id: 't' },
    };
    expect(replyOfTask('create_media_buy', pending).status).toBe('completed');
  });
});

describe('the payload of a webhook', () => {
  const envelope = (status: string, result?: JsonObject): JsonObject => ({
    idempotency_key: 'k'.repeat(20),
    operation_id: 'op',
    task_id: 't',
    task_type: 'create_media_buy',
    domain: 'media-buy',
    status,
    timestamp: '2027-01-01T00:00:00Z',
    ...(result === undefined ? {} : { result }),
  });
  const replyFor = (body: JsonObject): unknown => {
    const reading = readWebhookEnvelope(body, new Map());
    return reading.ok ? replyOfEnvelope(reading.value.envelope) : reading.error;
  };

  it('is read as the answer it contains', () => {
    expect(replyFor(envelope('completed', { ...buy, status: 'active' }))).toMatchObject({
      status: 'completed',
      taskId: 't',
      payload: { media_buy_id: 'm' },
      errors: [],
    });
    expect(replyFor(envelope('completed', { ...buy, status: 'pending', task_id: 't' }))).toMatchObject({
      status: 'completed',
    });
    expect(replyFor(envelope('working', { percentage: 10 }))).toMatchObject({
      status: 'working',
      errors: [],
    });
    expect(
      replyFor(envelope('failed', { errors: [{ code: 'TERMS_REJECTED', message: 'x' }] })),
    ).toMatchObject({
      status: 'failed',
      errors: [{ code: 'TERMS_REJECTED' }],
    });
    expect(replyFor(envelope('rejected'))).toMatchObject({
      status: 'rejected',
      errors: [{ recovery: 'correctable' }],
    });
  });

  it('is refused with the names of missing members of its envelope', () => {
    const report = { notification_type: 'scheduled', media_buy_deliveries: [] };
    expect(readWebhookEnvelope(report, new Map())).toMatchObject({
      ok: false,
      error: {
        code: 'missing_envelope_fields',
        fields: ['status', 'timestamp', 'task_type', 'task_id', 'idempotency_key'],
      },
    });
    const { idempotency_key: _key, ...keyless } = envelope('working');
    expect(readWebhookEnvelope(keyless, new Map()).ok).toBe(false);
    expect(readWebhookEnvelope(keyless, new Map(), '2.5').ok).toBe(true);
    expect(readWebhookEnvelope({ ...envelope('working'), status: { state: 'working' } }, new Map()).ok).toBe(
      false,
    );
    expect(readWebhookEnvelope({ ...envelope('working'), timestamp: 'now' }, new Map()).ok).toBe(false);
    expect(readWebhookEnvelope([], new Map()).ok).toBe(false);
  });

  it('may lack an operation or, for reports, a task, with a finding', () => {
    const {
      operation_id: _op,
      task_id: _task,
      ...rest
    } = envelope('completed', { media_buy_deliveries: [] });
    const reading = readWebhookEnvelope(
      { ...rest, task_type: 'media_buy_delivery' },
      new Map([
        ['/result/x', '1'],
        ['/y', '2'],
      ]),
    );
    expect(reading).toMatchObject({
      ok: true,
      value: { findings: [{ code: 'OPERATION_ID_MISSING' }, { code: 'TASK_ID_MISSING' }] },
    });
    expect(reading.ok && [...reading.value.resultExact]).toEqual([['/x', '1']]);
  });
});
