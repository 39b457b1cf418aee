import { describe, expect, it } from '@jest/globals';
import { createMediaBuy, type OperationState } from '@switchyard/buys';
import { taskTable, type Form, type TaskStatus } from '@switchyard/protocol';
import type { PrincipalDirectory } from '@switchyard/tenancy';
import { openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { cancelTask } from '../cancel-task.js';
import type { HandledCall, HandlerParts } from '../handler.js';
import { outcomeOf } from '../operation/operation-outcome.js';
import { deskCall, marketPorts } from '../testkit/desk-call.js';
import { createTaskService } from '../task-service.js';

const submitted = { says: { status: 'submitted', task_id: 'theirs' } } as const;

const partsOf = (desk: BuyingDesk): HandlerParts =>
  ({
    ports: marketPorts(desk),
    principals: {
      accountsOf: () => Promise.resolve([]),
      declareAccount: () => Promise.resolve(undefined),
    } as unknown as PrincipalDirectory,
    domainOf: () => Promise.resolve('agency.example'),
    declareOnFirstUse: true,
    refuseCallback: () => Promise.resolve(undefined),
  }) as unknown as HandlerParts;

const call = (desk: BuyingDesk, args: JsonObject) =>
  createTaskService(partsOf(desk)).call(deskCall(desk, 'create_media_buy', args));

describe('a buy that its seller has taken in and not made yet', () => {
  it('has its id and its task in the service form, and its task alone in 3.1, which forbids the id', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    const { args } = desk.request(['acme']);
    desk.seller('acme').fate('create_media_buy', submitted, submitted);
    const modern = await call(desk, {
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
    const service = await call(desk, {
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

  it('and that refuses our own credential is trouble further on, and no 401 to the caller', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    const refused = { errors: [{ code: 'AUTH_INVALID', message: 'Who is this?' }] };
    desk.seller('acme').fate('create_media_buy', { says: refused });
    const { args } = desk.request(['acme']);
    const told = await call(desk, { ...args, adcp_version: '3.1', idempotency_key: 'a-key-for-3-1-buys-2' });
    expect(told.errors).toMatchObject([{ code: 'AUTH_INVALID', details: { seller: 'acme' } }]);
    expect(told.httpStatus).toBe(502);
  });
});

describe('creatives that are not settled yet', () => {
  const payloadOf = (status: TaskStatus, form: Form) => {
    const operation = { id: 'op', taskId: 'task', task: 'sync_creatives', status, request: {} };
    const state = { operation, legs: [], sellerBuys: [] } as unknown as OperationState;
    const outcome = outcomeOf(state, { dialect: 'ads', form });
    return outcome.kind === 'done' ? [outcome.taskId, outcome.payload] : undefined;
  };

  it('are pending in the service form while their seller looks at them, and wait for input where it asks', () => {
    expect(payloadOf('submitted', 'service')).toEqual(['task', { status: 'pending' }]);
    expect(payloadOf('working', 'service')).toEqual(['task', { status: 'pending' }]);
    expect(payloadOf('input-required', 'service')).toEqual(['task', {}]);
    expect(payloadOf('submitted', '3.1')).toEqual(['task', {}]);
  });
});

describe('a task that is called off', () => {
  it('needs the permission that its work was begun with, and no seller hears of it without', async () => {
    const desk = await openBuyingDesk({ acme: { isIdempotent: true } });
    desk.seller('acme').fate('create_media_buy', submitted);
    const made = await createMediaBuy(desk.ports, desk.request(['acme']));
    if (!made.ok) throw new Error('The buy of a test was refused.');
    const { operation } = made.value.state;
    const activation = { ...made.value.state, operation: { ...operation, task: 'activate_signal' } };
    const parts = partsOf(desk);
    const ports = {
      ...parts.ports,
      store: { ...desk.store, byTaskId: () => Promise.resolve(activation) },
    };
    const deskCaller = deskCall(desk, 'cancel_task', {}).caller;
    const handled = {
      ...{ scope: desk.scope, spec: taskTable.cancelTask, request: { taskId: operation.taskId } },
      version: { voice: { dialect: 'adcp', form: '3.1' } },
      principal: { ...deskCaller, permissions: { media_buys: ['write'] } },
    } as unknown as HandledCall<{ readonly taskId: string }>;
    const heard = desk.seller('acme').heard.length;
    const told = await cancelTask({ ...parts, ports }, handled);
    expect(told).toMatchObject({ kind: 'failed', errors: [{ code: 'PERMISSION_DENIED' }] });
    expect(desk.seller('acme').heard).toHaveLength(heard);
  });
});
