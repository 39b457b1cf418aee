import { describe, expect, it } from '@jest/globals';
import type { SellerAnswer, SellerCall, TransportFailure } from '@switchyard/sellers';
import { dyingStore, openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import { createMediaBuy } from '../create/create-media-buy.js';
import type { OperationState } from '../model/operation-store.js';
import type { BuysPorts } from '../model/ports.js';
import { runLeg } from '../send/run-leg.js';
import { storeObservation } from '../observe/store-observation.js';
import { cancelOperation } from './cancel-operation.js';

const two = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };
const submitted = { says: { status: 'submitted', task_id: 'their-task' } };
const canceled = { says: { task_id: 'their-task', status: 'canceled' } };

async function bought(desk: BuyingDesk, sellers: readonly string[], more: JsonObject = {}) {
  const made = await createMediaBuy(desk.ports, desk.request(sellers, more));
  if (!made.ok) throw new Error(JSON.stringify(made.error));
  return made.value.state;
}

const cancel = (desk: BuyingDesk, { operation }: Pick<OperationState, 'operation'>, ports = desk.ports) =>
  cancelOperation(ports, {
    scope: desk.scope,
    principalId: desk.principalId,
    taskId: operation.taskId,
    deadlineMs: 5_000,
  });

const legsOf = async (desk: BuyingDesk, { operation }: OperationState) =>
  ((await desk.store.state(desk.scope, operation.id))?.legs ?? []).map(({ seller, status }) => [
    seller,
    status,
  ]);
const cancelsAt = (desk: BuyingDesk, slug: string): number =>
  desk.seller(slug).heard.filter(({ tool }) => tool === 'tasks/cancel').length;

/** A buy that was stored, and whose process died before anything was sent. */
async function neverSent(desk: BuyingDesk, sellers: readonly string[]): Promise<OperationState> {
  const dying = dyingStore(desk.store, 'takeLeg');
  void createMediaBuy({ ...desk.ports, store: dying.store }, desk.request(sellers));
  await dying.died;
  const [operation] = desk.store.rowsOf(desk.scope).operations.values();
  const state = await desk.store.state(desk.scope, operation!.id);
  return state!;
}

describe('a leg that never left', () => {
  it('ends here: its seller hears of nothing, then or later', async () => {
    const desk = await openBuyingDesk(two);
    const state = await neverSent(desk, ['acme', 'bravo']);
    const done = await cancel(desk, state);
    expect(done.ok && done.value.refusals).toEqual([]);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
    for (const { id, seller } of state.legs) {
      const run = { connection: desk.connection(seller), signal: new AbortController().signal };
      await runLeg(desk.ports, desk.scope, id, run);
      expect(desk.seller(seller).heard).toEqual([]);
    }
  });

  it('is left alone while somebody else is sending it', async () => {
    const desk = await openBuyingDesk(two);
    const state = await neverSent(desk, ['acme']);
    const now = desk.clock.now();
    await desk.store.takeLeg(desk.scope, state.legs[0]!.id, now, now + 45_000);
    const done = await cancel(desk, state);
    expect(done.ok ? [] : done.error.map(({ code, details }) => [code, details?.['seller']])).toEqual([
      ['CONFLICT', 'acme'],
    ]);
    expect(await legsOf(desk, state)).toEqual([['acme', 'sent']]);
  });
});

describe('a leg that its seller is at', () => {
  it('is asked over MCP to end, by the seller’s own task id, and ends', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('acme').fate('create_media_buy', submitted);
    desk.seller('acme').fate('tasks/cancel', canceled);
    const state = await bought(desk, ['acme']);
    const done = await cancel(desk, state);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
    expect(desk.seller('acme').heard.at(-1)).toMatchObject({
      tool: 'tasks/cancel',
      args: { task_id: 'their-task' },
    });
  });

  it('goes on where the seller refuses, and the seller is named with its own code', async () => {
    const desk = await openBuyingDesk(two);
    for (const slug of ['acme', 'bravo']) desk.seller(slug).fate('create_media_buy', submitted);
    desk
      .seller('acme')
      .fate('tasks/cancel', { says: { errors: [{ code: 'NOT_CANCELLABLE', message: 'Too late.' }] } });
    desk.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(desk, ['acme', 'bravo']);
    const done = await cancel(desk, state);
    expect(done.ok && done.value.refusals).toMatchObject([{ seller: 'acme', code: 'NOT_CANCELLABLE' }]);
    expect(done.ok && done.value.rows.map(({ seller, status, code }) => [seller, status, code])).toEqual([
      ['acme', 'refused', 'NOT_CANCELLABLE'],
      ['bravo', 'answered', undefined],
    ]);
    expect(await legsOf(desk, state)).toEqual([
      ['acme', 'submitted'],
      ['bravo', 'canceled'],
    ]);
  });

  it('is not given up for lost when the seller does not answer the question', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('acme').fate('create_media_buy', submitted);
    desk.seller('acme').fate('tasks/cancel', 'lose');
    const state = await bought(desk, ['acme']);
    const done = await cancel(desk, state);
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(await legsOf(desk, state)).toEqual([['acme', 'submitted']]);
  });
});

describe('a leg over A2A', () => {
  /** The desk's seller behind the protocol: a buy is a task there, and a cancellation the protocol's own call. */
  function overA2a(
    desk: BuyingDesk,
    onCancel: () => Result<SellerAnswer, TransportFailure>,
    calls: SellerCall[],
  ): BuysPorts {
    const native = { taskId: 'a2a-1', contextId: 'c', state: 'submitted' } as NonNullable<
      SellerAnswer['a2a']
    >;
    return {
      ...desk.ports,
      transport: {
        ...desk.ports.transport,
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
    const desk = await openBuyingDesk(two);
    const calls: SellerCall[] = [];
    const failure = { code: 'protocol_error' as const, message: 'x', delivered: 'maybe' as const };
    const ports = overA2a(desk, () => err(refusal === undefined ? failure : { ...failure, refusal }), calls);
    const made = await createMediaBuy(ports, desk.request(['acme']));
    if (!made.ok) throw new Error(JSON.stringify(made.error));
    const done = await cancel(desk, made.value.state, ports);
    expect(done.ok ? [] : done.error.map((error) => [error.code, error.details?.['seller']])).toEqual([
      [code, 'acme'],
    ]);
    expect(calls.at(-1)).toMatchObject({ tool: 'tasks/cancel', a2aTaskId: 'a2a-1' });
    expect(await legsOf(desk, made.value.state)).toEqual([['acme', 'submitted']]);
  });

  it('ends where the seller’s task is canceled', async () => {
    const desk = await openBuyingDesk(two);
    const native = { taskId: 'a2a-1', contextId: 'c', state: 'canceled' } as NonNullable<SellerAnswer['a2a']>;
    const ports = overA2a(desk, () => ok({ payload: {}, isError: false, a2a: native }), []);
    const made = await createMediaBuy(ports, desk.request(['acme']));
    if (!made.ok) throw new Error(JSON.stringify(made.error));
    const done = await cancel(desk, made.value.state, ports);
    expect(done.ok && done.value.state.operation.status).toBe('canceled');
  });
});

describe('a leg that has made a buy', () => {
  it('stays, and the refusal names what to cancel instead', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('bravo').fate('create_media_buy', submitted);
    desk.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(desk, ['acme', 'bravo']);
    const done = await cancel(desk, state);
    expect(done.ok && done.value.refusals).toMatchObject([
      { seller: 'acme', code: 'NOT_CANCELLABLE', mediaBuyId: state.buy?.id },
    ]);
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(desk.seller('acme').heard.map(({ tool }) => tool)).toEqual(['create_media_buy']);
  });

  it('is taken back under all or nothing, because a part that is called off took no part', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('bravo').fate('create_media_buy', submitted);
    desk.seller('bravo').fate('tasks/cancel', canceled);
    const state = await bought(desk, ['acme', 'bravo'], { ext: { switchyard: { all_or_nothing: true } } });
    await cancel(desk, state);
    for (let turn = 0; turn < 3; turn += 1) {
      desk.clock.advance(60_000);
      for (const leg of await desk.store.dueLegs(desk.scope, desk.clock.now(), 10)) {
        const run = { connection: desk.connection(leg.seller), signal: new AbortController().signal };
        await runLeg(desk.ports, desk.scope, leg.id, run);
      }
    }
    expect(desk.seller('acme').buys.map((buy) => buy['media_buy_status'])).toEqual(['canceled']);
    expect((await desk.store.state(desk.scope, state.operation.id))?.operation.status).toBe('failed');
  });
});

describe('calling a task off that something else happens to', () => {
  it('twice at once ends it once, and both are told the same', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('acme').fate('create_media_buy', submitted);
    desk.seller('acme').fate('tasks/cancel', canceled, canceled);
    const state = await bought(desk, ['acme']);
    const both = await Promise.all([cancel(desk, state), cancel(desk, state)]);
    expect(both.map((done) => done.ok && done.value.state.operation.status)).toEqual([
      'canceled',
      'canceled',
    ]);
    expect(both.map((done) => done.ok && done.value.refusals)).toEqual([[], []]);
    expect(desk.notices).toEqual([]);
    const asked = cancelsAt(desk, 'acme');
    const again = await cancel(desk, state);
    expect(again.ok && again.value.state.operation.status).toBe('canceled');
    expect(cancelsAt(desk, 'acme')).toBe(asked);
  });

  it('keeps the completion that came first, and says that it was done meanwhile', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('acme').fate('create_media_buy', submitted);
    desk.seller('acme').fate('tasks/cancel', canceled);
    const state = await bought(desk, ['acme']);
    const [leg] = state.legs;
    const transport: BuysPorts['transport'] = {
      ...desk.ports.transport,
      call: async (target, call, signal) => {
        const answer = await desk.ports.transport.call(target, call, signal);
        // The seller's completion is stored while its answer to the cancellation is still on its way.
        const payload = {
          media_buy_id: 'their-9',
          status: 'completed',
          media_buy_status: 'active',
          packages: [],
        };
        const reply = { status: 'completed' as const, replayed: false, payload, errors: [] };
        await storeObservation(desk.ports, desk.scope, leg!, {
          source: 'webhook',
          at: desk.clock.now(),
          reply,
        });
        return answer;
      },
    };
    const done = await cancel(desk, state, { ...desk.ports, transport });
    expect(done.ok ? [] : done.error.map(({ code, details }) => [code, details?.['media_buy_id']])).toEqual([
      ['NOT_CANCELLABLE', state.buy?.id],
    ]);
    expect(await legsOf(desk, state)).toEqual([['acme', 'completed']]);
    expect(desk.notices.map(({ code }) => code)).toEqual(['TERMINAL_CONFLICT']);
  });

  it('is nobody else’s right: another principal does not find it', async () => {
    const desk = await openBuyingDesk(two);
    desk.seller('acme').fate('create_media_buy', submitted);
    const state = await bought(desk, ['acme']);
    const done = await cancelOperation(desk.ports, {
      scope: desk.scope,
      principalId: 'somebody-else',
      taskId: state.operation.taskId,
      deadlineMs: 5_000,
    });
    expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['REFERENCE_NOT_FOUND']);
    expect(cancelsAt(desk, 'acme')).toBe(0);
  });
});
