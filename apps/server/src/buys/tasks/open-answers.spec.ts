import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, type OperationState } from '@switchyard/buys';
import { taskTable, type Form, type TaskStatus } from '@switchyard/protocol';
import { openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { cancelTask } from './cancel-task.js';
import type { HandledCall } from '../../platform/tasks/call/handler.js';
import { outcomeOf } from './task-outcome.js';
import { harnessCall, harnessDeps } from '../../platform/tasks/testkit/harness-call.js';
import { taskService } from '../../main/testkit/task-service.js';

const submitted = { says: { status: 'submitted', task_id: 'theirs' } } as const;

const call = (harness: BuyingHarness, args: JsonObject) =>
  taskService(harnessDeps(harness, [], { creatives: undefined })).call(
    harnessCall(harness, 'create_media_buy', args),
  );

describe('a buy that its seller has accepted and not made yet', () => {
  it('has its id and its task in the service form, and only its task in 3.1, which forbids the id', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const { args } = harness.request(['acme']);
    harness.seller('acme').fate('create_media_buy', submitted, submitted);
    const modern = await call(harness, {
      ...args,
      adcp_version: '3.1',
      idempotency_key: 'a-key-for-3-1-buys-1',
    });
    expect(modern.body).toMatchObject({ status: 'submitted', task_id: modern.taskId });
    expect(modern.body).not.toHaveProperty('media_buy_id');
    const creatives = [
      {
        creative_id: 'c',
        name: 'C',
        format_id: { agent_url: 'https://formats.example', id: 'f' },
        assets: {},
      },
    ];
    const service = await call(harness, {
      buyer_ref: 'campaign-1',
      brand_manifest: { url: 'https://brand.example' },
      start_time: { type: 'asap' },
      end_time: args['end_time'] ?? '',
      packages: [
        { buyer_ref: 'p1', product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 1_000, creatives },
      ],
    });
    expect(service.errors).toEqual([]);
    expect(service.body).toMatchObject({
      status: 'submitted',
      task_id: service.taskId,
      media_buy_id: expect.any(String),
    });
  });

  it('with a seller that refuses our own credential is answered with 502, not with 401', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    const refused = { errors: [{ code: 'AUTH_INVALID', message: 'Who is this?' }] };
    harness.seller('acme').fate('create_media_buy', { says: refused });
    const { args } = harness.request(['acme']);
    const received = await call(harness, {
      ...args,
      adcp_version: '3.1',
      idempotency_key: 'a-key-for-3-1-buys-2',
    });
    expect(received.errors).toMatchObject([{ code: 'AUTH_INVALID', details: { seller: 'acme' } }]);
    expect(received.httpStatus).toBe(502);
  });
});

describe('unsettled creatives', () => {
  const payloadOf = (status: TaskStatus, form: Form) => {
    const operation = { id: 'op', taskId: 'task', task: 'sync_creatives', status, request: {} };
    const state = { operation, legs: [], sellerBuys: [] } as unknown as OperationState;
    const outcome = outcomeOf(state, { dialect: 'ads', form });
    return outcome.kind === 'done' ? [outcome.taskId, outcome.payload] : undefined;
  };

  it('are pending in the service form while their seller reviews them, and wait for input if it asks', () => {
    expect(payloadOf('submitted', 'service')).toEqual(['task', { status: 'pending' }]);
    expect(payloadOf('working', 'service')).toEqual(['task', { status: 'pending' }]);
    expect(payloadOf('input-required', 'service')).toEqual(['task', {}]);
    expect(payloadOf('submitted', '3.1')).toEqual(['task', {}]);
  });
});

describe('a cancellation of a task', () => {
  it('needs the permission that its work was begun with, and calls no seller without', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: true } });
    harness.seller('acme').fate('create_media_buy', submitted);
    const made = must(await createMediaBuy(harness.ports, harness.request(['acme'])));
    const { operation } = made.state;
    const activation = { ...made.state, operation: { ...operation, task: 'activate_signal' } };
    const parts = harnessDeps(harness);
    const ports = {
      ...parts.ports,
      store: { ...harness.store, byTaskId: () => Promise.resolve(activation) },
    };
    const deskCaller = harnessCall(harness, 'cancel_task', {}).caller;
    const handled = {
      ...{ scope: harness.scope, spec: taskTable.cancelTask, request: { taskId: operation.taskId } },
      version: { profile: { dialect: 'adcp', form: '3.1' } },
      principal: { ...deskCaller, permissions: { media_buys: ['write'] } },
    } as unknown as HandledCall<{ readonly taskId: string }>;
    const arrived = harness.seller('acme').received.length;
    const received = await cancelTask({ ...parts, ports }, handled);
    expect(received).toMatchObject({ kind: 'failed', errors: [{ code: 'PERMISSION_DENIED' }] });
    expect(harness.seller('acme').received).toHaveLength(arrived);
  });
});
