import { describe, expect, it } from '@jest/globals';
import type { SellerAnswer, SellerCall, TransportFailure } from '@switchyard/sellers';
import { crashingStore, openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { err, must, ok, type JsonObject, type Result } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts } from '../model/ports.js';
import { runLeg } from '../run/run-leg.js';
import { storeObservation } from '../run/store-observation.js';
import { cancelOperation } from './cancel-operation.js';

const two = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };
const submitted = { says: { status: 'submitted', task_id: 'their-task' } };
const canceled = { says: { task_id: 'their-task', status: 'canceled' } };

async function bought(harness: BuyingHarness, sellers: readonly string[], more: JsonObject = {}) {
  const made = must(await createMediaBuy(harness.ports, harness.request(sellers, more)));
  return made.state;
}

const cancel = (
  harness: BuyingHarness,
  { operation }: Pick<OperationState, 'operation'>,
  ports = harness.ports,
) =>
  cancelOperation(ports, {
    scope: harness.scope,
    principalId: harness.principalId,
    taskId: operation.taskId,
    deadlineMs: 5_000,
  });

const legsOf = async (harness: BuyingHarness, { operation }: OperationState) =>
  ((await harness.store.state(harness.scope, operation.id))?.legs ?? []).map(({ seller, status }) => [
    seller,
    status,
  ]);
const cancelsAt = (harness: BuyingHarness, slug: string): number =>
  harness.seller(slug).received.filter(({ tool }) => tool === 'tasks/cancel').length;

/** A buy that was stored, and whose process died before anything was sent. */
async function neverSent(harness: BuyingHarness, sellers: readonly string[]): Promise<OperationState> {
  const dying = crashingStore(harness.store, 'takeLeg');
  void createMediaBuy({ ...harness.ports, store: dying.store }, harness.request(sellers));
  await dying.died;
  const [operation] = harness.store.rowsOf(harness.scope).operations.values();
  const state = await harness.store.state(harness.scope, operation!.id);
  return state!;
}

describe('an unsent leg', () => {
  it('ends here: its seller is never called', async () => {
    const harness = await openBuyingHarness(two);
    const state = await neverSent(harness, ['acme', 'bravo']);
    const done = await cancel(harness, state);
    expect(done.ok && done.value.refusals).toEqual([]);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
    for (const { id, seller } of state.legs) {
      const run = { connection: harness.connection(seller), signal: new AbortController().signal };
      await runLeg(harness.ports, harness.scope, id, run);
      expect(harness.seller(seller).received).toEqual([]);
    }
  });

  it('is not canceled while another process is sending it', async () => {
    const harness = await openBuyingHarness(two);
    const state = await neverSent(harness, ['acme']);
    const now = harness.clock.now();
    await harness.store.takeLeg(harness.scope, state.legs[0]!.id, now, now + 45_000);
    const done = await cancel(harness, state);
    expect(done.ok ? [] : done.error.map(({ code, details }) => [code, details?.['seller']])).toEqual([
      ['CONFLICT', 'acme'],
    ]);
    expect(await legsOf(harness, state)).toEqual([['acme', 'sent']]);
  });
});

describe('a leg in progress at its seller', () => {
  it('is canceled over MCP, by the seller’s own task id, and ends', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('acme').fate('create_media_buy', submitted);
    harness.seller('acme').fate('tasks/cancel', canceled);
    const state = await bought(harness, ['acme']);
    const done = await cancel(harness, state);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
    expect(harness.seller('acme').received.at(-1)).toMatchObject({
      tool: 'tasks/cancel',
      args: { task_id: 'their-task' },
    });
  });

  it('continues if the seller refuses, and the seller is named with its own code', async () => {
    const harness = await openBuyingHarness(two);
    for (const slug of ['acme', 'bravo']) harness.seller(slug).fate('create_media_buy', submitted);
    harness
      .seller('acme')
      .fate('tasks/cancel', { says: { errors: [{ code: 'NOT_CANCELLABLE', message: 'Too late.' }] } });
    harness.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(harness, ['acme', 'bravo']);
    const done = await cancel(harness, state);
    expect(done.ok && done.value.refusals).toMatchObject([{ seller: 'acme', code: 'NOT_CANCELLABLE' }]);
    expect(done.ok && done.value.rows.map(({ seller, status, code }) => [seller, status, code])).toEqual([
      ['acme', 'refused', 'NOT_CANCELLABLE'],
      ['bravo', 'answered', undefined],
    ]);
    expect(await legsOf(harness, state)).toEqual([
      ['acme', 'submitted'],
      ['bravo', 'canceled'],
    ]);
  });

  it('is not given up when the seller does not answer the cancellation', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('acme').fate('create_media_buy', submitted);
    harness.seller('acme').fate('tasks/cancel', 'lose');
    const state = await bought(harness, ['acme']);
    const done = await cancel(harness, state);
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(await legsOf(harness, state)).toEqual([['acme', 'submitted']]);
  });
});

describe('a leg over A2A', () => {
  /** The harness's seller behind the protocol: a buy is a task there, and a cancellation the protocol's own call. */
  function overA2a(
    harness: BuyingHarness,
    onCancel: () => Result<SellerAnswer, TransportFailure>,
    calls: SellerCall[],
  ): BuysPorts {
    const native = { taskId: 'a2a-1', contextId: 'c', state: 'submitted' } as NonNullable<
      SellerAnswer['a2a']
    >;
    return {
      ...harness.ports,
      transport: {
        ...harness.ports.transport,
        call: (_target, call) => {
          calls.push(call);
          const payload = { status: 'submitted' };
          return Promise.resolve(
            call.tool === 'tasks/cancel' ? onCancel() : ok({ payload, isError: false, a2a: native }),
          );
        },
      },
    };
  }

  it.each([
    ['task_not_cancelable', 'NOT_CANCELLABLE'],
    ['task_not_found', 'NOT_CANCELLABLE'],
    ['unsupported_operation', 'NOT_CANCELLABLE'],
    [undefined, 'SERVICE_UNAVAILABLE'],
  ] as const)('that is refused with %s is %s, and the seller is named', async (refusal, code) => {
    const harness = await openBuyingHarness(two);
    const calls: SellerCall[] = [];
    const failure = { code: 'protocol_error' as const, message: 'x', delivered: 'maybe' as const };
    const ports = overA2a(
      harness,
      () => err(refusal === undefined ? failure : { ...failure, refusal }),
      calls,
    );
    const made = must(await createMediaBuy(ports, harness.request(['acme'])));
    const done = await cancel(harness, made.state, ports);
    expect(done.ok ? [] : done.error.map((error) => [error.code, error.details?.['seller']])).toEqual([
      [code, 'acme'],
    ]);
    expect(calls.at(-1)).toMatchObject({ tool: 'tasks/cancel', a2aTaskId: 'a2a-1' });
    expect(await legsOf(harness, made.state)).toEqual([['acme', 'submitted']]);
  });

  it('ends if the seller’s task is canceled', async () => {
    const harness = await openBuyingHarness(two);
    const native = { taskId: 'a2a-1', contextId: 'c', state: 'canceled' } as NonNullable<SellerAnswer['a2a']>;
    const ports = overA2a(harness, () => ok({ payload: {}, isError: false, a2a: native }), []);
    const made = must(await createMediaBuy(ports, harness.request(['acme'])));
    const done = await cancel(harness, made.state, ports);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
  });
});

describe('a leg that has made a buy', () => {
  it('stays, and the refusal names what to cancel instead', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('bravo').fate('create_media_buy', submitted);
    harness.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(harness, ['acme', 'bravo']);
    const done = await cancel(harness, state);
    expect(done.ok && done.value.refusals).toMatchObject([
      { seller: 'acme', code: 'NOT_CANCELLABLE', mediaBuyId: state.buy?.id },
    ]);
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(harness.seller('acme').received.map(({ tool }) => tool)).toEqual(['create_media_buy']);
  });

  it('is undone under all or nothing, because a canceled part took no part', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('bravo').fate('create_media_buy', submitted);
    harness.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(harness, ['acme', 'bravo'], { ext: { switchyard: { all_or_nothing: true } } });
    await cancel(harness, state);
    for (let turn = 0; turn < 3; turn += 1) {
      harness.clock.advance(60_000);
      for (const leg of await harness.store.dueLegs(harness.scope, harness.clock.now(), 10)) {
        const run = { connection: harness.connection(leg.seller), signal: new AbortController().signal };
        await runLeg(harness.ports, harness.scope, leg.id, run);
      }
    }
    expect(harness.seller('acme').buys.map((buy) => buy['media_buy_status'])).toEqual(['canceled']);
    expect((await harness.store.state(harness.scope, state.operation.id))?.operation.status).toBe('failed');
  });
});

describe('canceling a task during another change', () => {
  it('twice at once ends it once, and both get the same answer', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('acme').fate('create_media_buy', submitted);
    harness.seller('acme').fate('tasks/cancel', canceled, canceled);
    const state = await bought(harness, ['acme']);
    const both = await Promise.all([cancel(harness, state), cancel(harness, state)]);
    expect(both.map((done) => done.ok && done.value.state.operation.status)).toEqual([
      'canceled',
      'canceled',
    ]);
    expect(both.map((done) => done.ok && done.value.refusals)).toEqual([[], []]);
    expect(harness.notices).toEqual([]);
    const requested = cancelsAt(harness, 'acme');
    const again = await cancel(harness, state);
    expect(again.ok && again.value.state.operation.status).toBe('canceled');
    expect(cancelsAt(harness, 'acme')).toBe(requested);
  });

  it('keeps an earlier completion, and reports that it was completed meanwhile', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('acme').fate('create_media_buy', submitted);
    harness.seller('acme').fate('tasks/cancel', canceled);
    const state = await bought(harness, ['acme']);
    const [leg] = state.legs;
    const transport: BuysPorts['transport'] = {
      ...harness.ports.transport,
      call: async (target, call, signal) => {
        const answer = await harness.ports.transport.call(target, call, signal);
        // The seller's completion is stored while its answer to the cancellation is still on its way.
        const payload = {
          media_buy_id: 'their-9',
          status: 'completed',
          media_buy_status: 'active',
          packages: [],
        };
        const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
        await storeObservation(harness.ports, harness.scope, leg!, {
          source: 'webhook',
          at: harness.clock.now(),
          reply,
        });
        return answer;
      },
    };
    const done = await cancel(harness, state, { ...harness.ports, transport });
    expect(done.ok ? [] : done.error.map(({ code, details }) => [code, details?.['media_buy_id']])).toEqual([
      ['NOT_CANCELLABLE', state.buy?.id],
    ]);
    expect(await legsOf(harness, state)).toEqual([['acme', 'completed']]);
    expect(harness.notices.map(({ code }) => code)).toEqual(['TERMINAL_CONFLICT']);
  });

  it('is possible only for its principal: another one does not find it', async () => {
    const harness = await openBuyingHarness(two);
    harness.seller('acme').fate('create_media_buy', submitted);
    const state = await bought(harness, ['acme']);
    const done = await cancelOperation(harness.ports, {
      scope: harness.scope,
      principalId: 'somebody-else',
      taskId: state.operation.taskId,
      deadlineMs: 5_000,
    });
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['REFERENCE_NOT_FOUND']);
    expect(cancelsAt(harness, 'acme')).toBe(0);
  });
});
