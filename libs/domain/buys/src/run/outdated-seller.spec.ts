import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import type { Connection } from '@switchyard/sellers';
import {
  crashingStore,
  openBuyingHarness,
  openSignalsHarness,
  type BuyingHarness,
  type HarnessSeller,
} from '@switchyard/testing';
import { activateSignal } from '../activate/activate-signal.js';
import { createMediaBuy } from '../create/create-media-buy.js';
import { resent } from './reencode-leg.js';
import { followLeg } from './follow-leg.js';
import type { Leg } from '../model/operation.js';
import type { OperationStore } from '../model/operation-store.js';
import type { BuysPorts } from '../model/ports.js';
import { storeObservation } from './store-observation.js';
import { updateMediaBuy } from '../update/update-media-buy.js';

const idempotent: HarnessSeller = { isIdempotent: true };
const forgetful: HarnessSeller = { isIdempotent: false };

function refusal(code: string) {
  return { says: { errors: [{ code, message: 'Not here.' }] } };
}

/** Ports of a harness at which a seller that is looked at is found to be this from then on. */
function relearning(
  harness: BuyingHarness,
  now: Partial<Connection> | undefined,
  over: Partial<BuysPorts> = {},
) {
  const learnt: string[] = [];
  const known = new Map<string, Connection>();
  const connections = {
    list: async () =>
      (await harness.ports.connections.list(harness.scope)).map(
        (connection) => known.get(connection.id) ?? connection,
      ),
    byId: async (_scope: object, id: string) =>
      known.get(id) ?? harness.ports.connections.byId(harness.scope, id),
  };
  const relearn: NonNullable<BuysPorts['relearn']> = ({ organizationId }, connection) => {
    learnt.push(`${organizationId === harness.scope.organizationId ? 'ours' : 'theirs'} ${connection.slug}`);
    if (now !== undefined) known.set(connection.id, { ...connection, ...now });
    return Promise.resolve(known.get(connection.id));
  };
  return { ports: { ...harness.ports, connections, relearn, ...over }, learnt, connections };
}

/** Buys at a seller that refuses with this code, and is found to be otherwise now. */
async function bought(code: string, now?: Partial<Connection>, wish = idempotent) {
  const harness = await openBuyingHarness({ acme: wish });
  harness.seller('acme').fate('create_media_buy', refusal(code));
  const { ports, learnt } = relearning(harness, now);
  const made = await createMediaBuy(ports, harness.request(['acme'], { buyer_ref: 'spring' }));
  const [leg] = made.ok ? made.value.state.legs : [];
  return { harness, learnt, leg, buys: harness.seller('acme').buys.length, sent: sends(harness) };
}

function sends(harness: BuyingHarness): readonly JsonObject[] {
  const { received } = harness.seller('acme');
  return received.filter(({ tool }) => tool === 'create_media_buy').map(({ args }) => args);
}

function onlyLeg(harness: BuyingHarness): Leg {
  const [leg] = [...harness.store.rowsOf(harness.scope).legs.values()];
  if (leg === undefined) throw new Error('There should be a leg.');
  return leg;
}

/** Follows what is due, as the hands do, until nothing is left to do. */
async function follow(harness: BuyingHarness, ports: BuysPorts): Promise<Leg> {
  for (let round = 0; round < 60; round += 1) {
    for (const leg of await harness.store.dueLegs(harness.scope, harness.clock.now(), 10)) {
      const connection = (await ports.connections.byId(harness.scope, leg.connectionId))!;
      await followLeg(ports, harness.scope, leg.id, { connection, signal: new AbortController().signal });
    }
    harness.clock.advance(15_000);
  }
  return onlyLeg(harness);
}

describe('an update that a seller refuses because its release has changed', () => {
  it.each([
    ['3.1', '3.0'],
    ['3.0', '3.1'],
    ['2.5', '3.1'],
    ['3.1', '2.5'],
    ['3.1', 'service'],
  ] as const)('known as %s, and found as %s: is sent once more in that, and buys once', async (was, is) => {
    const { learnt, leg, buys, sent } = await bought(
      'VERSION_UNSUPPORTED',
      { form: is },
      { ...idempotent, form: was },
    );
    expect([learnt, leg?.status, buys]).toEqual([['ours acme'], 'completed', 1]);
    expect([leg?.profile.form, leg?.attempts]).toEqual([is, 1]);
    const versions = sent.map((args) => args['adcp_version'] ?? args['adcp_major_version']);
    expect(versions).toEqual([was, is].map((form) => ({ '3.1': '3.1', '3.0': 3 })[form as string]));
    expect(leg?.findings.filter(({ code }) => code === resent)).toHaveLength(1);
  });

  it('is written from the buyer’s request, and not from the first form', async () => {
    const harness = await openBuyingHarness({ acme: { ...idempotent, form: '2.5' } });
    harness.seller('acme').fate('create_media_buy', refusal('VERSION_UNSUPPORTED'));
    const { ports } = relearning(harness, { form: '3.1' });
    const request = harness.request(['acme'], { advertiser_industry: 'retail' });
    await createMediaBuy(ports, request);
    const [before, after] = sends(harness);
    expect([before?.['advertiser_industry'], after?.['advertiser_industry']]).toEqual([undefined, 'retail']);
    expect(onlyLeg(harness).findings.map(({ field }) => field)).not.toContain('advertiser_industry');
  });

  it('leaves its packages with the terms that were sent last', async () => {
    const harness = await openBuyingHarness({ acme: { ...idempotent, form: '2.5' } });
    harness.seller('acme').fate('create_media_buy', refusal('VERSION_UNSUPPORTED'));
    const { ports } = relearning(harness, { form: '3.1' });
    const startTime = '2026-05-02T00:00:00Z';
    const line = { product_id: 'acme:ctv', pricing_option_id: 'cpm', budget: 1000 };
    const packages = [{ ...line, start_time: startTime }];
    await createMediaBuy(ports, harness.request(['acme'], { packages }));
    const [item] = [...harness.store.rowsOf(harness.scope).packages.values()];
    expect(item?.terms?.sent).toMatchObject({ start_time: startTime });
  });

  it('is sent under its own key, and the first request is stored with its answer', async () => {
    const { leg, sent } = await bought('VERSION_UNSUPPORTED', { form: '3.0' });
    const [first, second] = sent;
    expect(first?.['idempotency_key']).not.toEqual(second?.['idempotency_key']);
    expect(JSON.parse(leg?.outbound ?? '')).toEqual(second);
    expect(leg?.refusedAttempts).toMatchObject([
      { profile: { form: '3.1' }, errors: [{ code: 'VERSION_UNSUPPORTED' }], unsigned: true },
    ]);
    expect(JSON.parse(leg?.refusedAttempts?.[0]?.outbound ?? '')).toEqual(first);
  });

  it('is sent without members that its tool no longer has, which are reported', async () => {
    const named = ['idempotency_key', 'account', 'packages', 'start_time', 'end_time', 'context'];
    const tools = { create_media_buy: named, get_media_buys: [] };
    const { leg, sent, buys } = await bought('UNSUPPORTED_FEATURE', { tools });
    expect([leg?.status, buys, sent.length]).toEqual(['completed', 1, 2]);
    expect(Object.keys(sent[1] ?? {}).filter((name) => !named.includes(name))).toEqual([]);
    expect(leg?.findings.map(({ field }) => field)).toContain('brand');
  });

  it('is sent at most twice: a second refusal is final', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    harness
      .seller('acme')
      .fate('create_media_buy', refusal('VERSION_UNSUPPORTED'), refusal('VERSION_UNSUPPORTED'));
    const forms = ['3.0', '2.5'] as const;
    let looks = 0;
    const relearn: NonNullable<BuysPorts['relearn']> = (_scope, connection) =>
      Promise.resolve({ ...connection, form: forms[looks++] ?? '2.5' });
    const made = await createMediaBuy({ ...harness.ports, relearn }, harness.request(['acme']));
    const [leg] = made.ok ? made.value.state.legs : [];
    expect([leg?.status, sends(harness).length, leg?.refusedAttempts?.length]).toEqual(['failed', 2, 1]);
  });

  it('is sent to a seller without idempotency as well, since nothing was done', async () => {
    const { leg, buys, sent } = await bought('VERSION_UNSUPPORTED', { form: '2.5' }, forgetful);
    expect([leg?.status, buys, sent.length]).toEqual(['completed', 1, 2]);
  });

  it('updates a buy in the same way', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    const { ports } = relearning(harness, { form: '3.0' });
    const made = await createMediaBuy(ports, harness.request(['acme']));
    const id = made.ok ? made.value.state.buy?.id : undefined;
    harness.seller('acme').fate('update_media_buy', refusal('VERSION_UNSUPPORTED'));
    const changed = await updateMediaBuy(ports, harness.change({ media_buy_id: id ?? '', paused: true }));
    const [leg] = changed.ok ? changed.value.state.legs : [];
    expect([leg?.status, leg?.profile.form, leg?.refusedAttempts?.length]).toEqual(['completed', '3.0', 1]);
    expect(harness.seller('acme').buys[0]?.['media_buy_status']).toBe('paused');
  });
});

describe('an update that its seller accepts, and later refuses for its form', () => {
  const errors = [{ code: 'VERSION_UNSUPPORTED', message: 'Not here.', suggestion: 'Speak 3.0.' }];

  async function takenIn(wish: Partial<Connection> = { form: '3.0' }) {
    const harness = await openBuyingHarness({ acme: idempotent });
    harness.seller('acme').fate('create_media_buy', { says: { status: 'submitted', task_id: 'their-task' } });
    const { ports, learnt } = relearning(harness, wish);
    await createMediaBuy(ports, harness.request(['acme']));
    return { harness, ports, learnt };
  }

  /** Takes the refusal in as it came, and buys the same again under another key. */
  async function refused(by: 'poll' | 'webhook', codes = errors) {
    const { harness, ports, learnt } = await takenIn();
    if (by === 'webhook') {
      const reply = { status: 'failed' as const, replayed: false, payload: {}, errors: codes };
      const seen = { source: by, at: harness.clock.now() + 1_000, reply };
      await storeObservation(ports, harness.scope, onlyLeg(harness), seen);
    } else {
      const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
      const task = { task_id: 'their-task', task_type: 'create_media_buy', protocol: 'media-buy', ...times };
      harness
        .seller('acme')
        .fate('tasks/get', { says: { ...task, status: 'failed', result: { errors: codes } } });
      harness.clock.advance(3_600_000);
      await follow(harness, ports);
    }
    return { harness, ports, learnt, leg: onlyLeg(harness) };
  }

  it.each(['poll', 'webhook'] as const)(
    'by %s, suggests a new request, which is sent in the learned form',
    async (by) => {
      const { harness, ports, learnt, leg } = await refused(by);
      // Behind a webhook nobody waits for the poll: it is waited for here.
      while (learnt.length === 0) await new Promise(setImmediate);
      expect([leg.status, learnt]).toEqual(['failed', ['ours acme']]);
      const [told] = leg.errors;
      expect(told).toMatchObject({ code: 'VERSION_UNSUPPORTED', message: 'Not here.' });
      expect(told?.suggestion).toMatch(/^Speak 3\.0\. .*under another idempotency_key/);
      const again = await createMediaBuy(
        ports,
        harness.request(['acme'], { idempotency_key: 'another-key-0123' }),
      );
      expect(again.ok && again.value.state.legs.map(({ status, profile }) => [status, profile.form])).toEqual(
        [['completed', '3.0']],
      );
      expect(harness.seller('acme').buys).toHaveLength(1);
    },
  );

  it('with another reason beside it, is reported as the seller wrote it, without reading its capabilities again', async () => {
    const more = [...errors, { code: 'BUDGET_TOO_LOW', message: 'No.', suggestion: 'More.' }];
    const { learnt, leg } = await refused('webhook', more);
    expect([learnt, leg.errors.map(({ suggestion }) => suggestion)]).toEqual([[], ['Speak 3.0.', 'More.']]);
  });
});

describe('a refusal that is final', () => {
  it.each(['VERSION_UNSUPPORTED', 'UNSUPPORTED_FEATURE'])(
    'is %s of a seller whose declared capabilities have not changed, which was queried for them',
    async (code) => {
      const { learnt, leg, buys, sent } = await bought(code, {});
      expect([learnt, sent.length]).toEqual([['ours acme'], 1]);
      expect([leg?.status, leg?.errors.map((error) => error.code), buys]).toEqual(['failed', [code], 0]);
    },
  );

  it('is that of a seller that cannot be queried', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    harness.seller('acme').fate('create_media_buy', refusal('VERSION_UNSUPPORTED'));
    const relearn = () => Promise.reject(new Error('gone'));
    const made = await createMediaBuy({ ...harness.ports, relearn }, harness.request(['acme']));
    expect(made.ok && made.value.state.legs[0]?.status).toBe('failed');
  });

  it('is one with another reason: the capabilities are not read again, also if this reason is beside it', async () => {
    expect((await bought('BUDGET_TOO_LOW', { form: '3.0' })).learnt).toEqual([]);
    const harness = await openBuyingHarness({ acme: idempotent });
    const errors = ['VERSION_UNSUPPORTED', 'BUDGET_TOO_LOW'].map((code) => ({ code, message: 'No.' }));
    harness.seller('acme').fate('create_media_buy', { says: { errors } });
    const made = await createMediaBuy(relearning(harness, { form: '3.0' }).ports, harness.request(['acme']));
    expect([made.ok && made.value.state.legs[0]?.status, sends(harness).length]).toEqual(['failed', 1]);
  });

  it('is that of a seller that no longer offers the task', async () => {
    const { leg, sent } = await bought('VERSION_UNSUPPORTED', { form: '3.0', tools: { get_products: [] } });
    expect([leg?.status, sent.length]).toEqual(['failed', 1]);
  });

  it('is one with a task or a buy: something may have been started', async () => {
    for (const more of [{ task_id: 'theirs' }, { media_buy_id: 'their-9' }]) {
      const harness = await openBuyingHarness({ acme: idempotent });
      const errors = [{ code: 'VERSION_UNSUPPORTED', message: 'No.' }];
      harness.seller('acme').fate('create_media_buy', { says: { status: 'failed', errors, ...more } });
      await createMediaBuy(relearning(harness, { form: '3.0' }).ports, harness.request(['acme']));
      expect(sends(harness)).toHaveLength(1);
    }
  });
});

describe('deactivating a signal at an agent that refuses the form', () => {
  it.each([
    ['3.0', 2],
    ['2.5', 1],
  ] as const)(
    'that now speaks %s is sent %i times: never as a request to activate it',
    async (form, times) => {
      const signals = await openSignalsHarness();
      const { harness, ports } = signals;
      harness.seller('data').fate('activate_signal', refusal('VERSION_UNSUPPORTED'));
      const relearn: NonNullable<BuysPorts['relearn']> = (_scope, connection) =>
        Promise.resolve({ ...connection, form });
      await activateSignal({ ...ports, relearn }, signals.request({ action: 'deactivate' }));
      const received = harness.seller('data').received.filter(({ tool }) => tool === 'activate_signal');
      expect(received.map(({ args }) => args['action'])).toEqual(
        Array.from({ length: times }, () => 'deactivate'),
      );
    },
  );
});

describe('a process that dies between a refusal and the second request', () => {
  /** Where it dies: the n-th call of this function of the store never comes back. */
  const points = [
    ['the refusal not stored', 'change', 1],
    ['written anew and not sent', 'takeLeg', 2],
    ['sent anew, and the answer not stored', 'change', 2],
  ] as const;

  it.each(
    points.flatMap(([name, call, nth]) =>
      [idempotent, forgetful].map(
        (wish) => [name, wish.isIdempotent ? 'with' : 'without', call, nth, wish] as const,
      ),
    ),
  )(
    '%s, at a seller %s idempotency: it is bought from at most once, and the outcome is known',
    async (...row) => {
      const [, , call, nth, wish] = row;
      const harness = await openBuyingHarness({ acme: wish });
      harness.seller('acme').fate('create_media_buy', refusal('VERSION_UNSUPPORTED'));
      const { store, died } = dyingAt(harness.store, call, nth);
      const { ports, connections } = relearning(harness, { form: '3.0' }, { store });
      void createMediaBuy(ports, harness.request(['acme'])).catch(() => undefined);
      await died;
      // The clock of the dead process's lease runs out.
      harness.clock.advance(60_000);
      const leg = await follow(harness, harness.restarted({ connections }));
      const { buys } = harness.seller('acme');
      expect(buys.length).toBeLessThanOrEqual(1);
      expect(leg.status).toBe(buys.length === 1 ? 'completed' : leg.status);
      expect(['completed', 'failed', 'parked']).toContain(leg.status);
      if (leg.refusedAttempts !== undefined) expect([leg.status, buys.length]).toEqual(['completed', 1]);
      expect(leg.refusedAttempts === undefined).toBe(nth === 1 && call === 'change');
    },
  );
});

/** A store that dies at the n-th call of one of its functions. */
function dyingAt(store: OperationStore, name: 'change' | 'takeLeg', nth: number) {
  let left = nth;
  const { store: dying, died } = crashingStore(store, name);
  const proxy = new Proxy(store, {
    get: (_target, requested) => {
      if (requested === name) left -= 1;
      const method: unknown = Reflect.get(left <= 0 ? dying : store, requested);
      return method;
    },
  });
  return { store: proxy, died };
}

describe('under all or nothing', () => {
  it('the update that undoes a part is sent in the current form of its seller, and undoes it', async () => {
    const harness = await openBuyingHarness({ acme: idempotent, bravo: idempotent });
    harness.seller('acme').fate('create_media_buy', refusal('VERSION_UNSUPPORTED'));
    harness.seller('bravo').fate('create_media_buy', refusal('BUDGET_TOO_LOW'));
    const { ports } = relearning(harness, { form: '3.0' });
    const wish = { ext: { switchyard: { all_or_nothing: true } } };
    const made = await createMediaBuy(ports, harness.request(['acme', 'bravo'], wish));
    const undo = made.ok
      ? made.value.state.legs.find(({ task, seller }) => task === 'update_media_buy' && seller === 'acme')
      : undefined;
    expect([undo?.profile.form, undo?.status, undo?.attempts]).toEqual(['3.0', 'completed', 1]);
    expect(harness.seller('acme').buys[0]?.['media_buy_status']).toBe('canceled');
  });

  it('a cancellation that is itself refused for its form is sent once more, about the same buy', async () => {
    const harness = await openBuyingHarness({ acme: idempotent, bravo: idempotent });
    harness.seller('acme').fate('update_media_buy', refusal('VERSION_UNSUPPORTED'));
    harness.seller('bravo').fate('create_media_buy', refusal('BUDGET_TOO_LOW'));
    const { ports } = relearning(harness, { form: '3.0' });
    const wish = { ext: { switchyard: { all_or_nothing: true } } };
    await createMediaBuy(ports, harness.request(['acme', 'bravo'], wish));
    const named = harness.seller('acme').received.filter(({ tool }) => tool === 'update_media_buy');
    expect(named.map(({ args }) => args['media_buy_id'])).toEqual(['their-1', 'their-1']);
    expect(harness.seller('acme').buys[0]?.['media_buy_status']).toBe('canceled');
  });
});
