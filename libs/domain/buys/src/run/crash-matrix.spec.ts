import { describe, expect, it } from '@jest/globals';
import {
  crashingStore,
  openBuyingHarness,
  type BuyingHarness,
  type HarnessSeller,
} from '@switchyard/testing';
import { createMediaBuy } from '../create/create-media-buy.js';
import { followLeg } from './follow-leg.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';

const idempotent: HarnessSeller = { isIdempotent: true };
const forgetful: HarnessSeller = { isIdempotent: false };

/** What the process was doing when it died: the store call that never came back, and what became of the send. */
const points = [
  { name: 'stored and not sent', dies: 'takeLeg', fate: 'answer' },
  { name: 'sent, and the answer still out', dies: 'releaseLeg', fate: 'hang' },
  { name: 'sent, the answer lost, nothing noted', dies: 'releaseLeg', fate: 'lose' },
  { name: 'answered, and the answer not stored', dies: 'change', fate: 'answer' },
] as const;

async function crash(harness: BuyingHarness, point: (typeof points)[number]): Promise<void> {
  if (point.fate !== 'answer') harness.seller('acme').fate('create_media_buy', point.fate);
  const { store, died } = crashingStore(harness.store, point.dies);
  // Nobody reads the outcome: its process is dead.
  void createMediaBuy({ ...harness.ports, store }, harness.request(['acme'])).catch(() => undefined);
  await (point.fate === 'hang' ? until(() => harness.seller('acme').received.length === 1) : died);
}

/** Follows what is due, as the hands do, until nothing is left to do for a day. */
async function follow(harness: BuyingHarness, ports: BuysPorts): Promise<Leg> {
  for (let round = 0; round < 200; round += 1) {
    for (const leg of await harness.store.dueLegs(harness.scope, harness.clock.now(), 10)) {
      const stop = new AbortController();
      const cancel = harness.clock.after(30_000, () => stop.abort());
      const run = { connection: harness.connection('acme'), signal: stop.signal };
      await followLeg(ports, harness.scope, leg.id, run).finally(cancel);
    }
    harness.clock.advance(15_000);
  }
  return onlyLeg(harness);
}

function onlyLeg(harness: BuyingHarness): Leg {
  const [leg, another] = [...harness.store.rowsOf(harness.scope).legs.values()];
  if (leg === undefined || another !== undefined) throw new Error('There should be one leg.');
  return leg;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const sends = (harness: BuyingHarness): readonly unknown[] =>
  harness
    .seller('acme')
    .received.filter(({ tool }) => tool === 'create_media_buy')
    .map(({ args }) => args);

describe('a process that dies', () => {
  for (const point of points) {
    it(`${point.name}: a seller with idempotency has made exactly one buy, and it is known here`, async () => {
      const harness = await openBuyingHarness({ acme: idempotent });
      await crash(harness, point);
      const leg = await follow(harness, harness.restarted());
      expect(harness.seller('acme').buys).toHaveLength(1);
      expect(leg.status).toBe('completed');
      for (const args of sends(harness)) expect(args).toEqual(JSON.parse(leg.outbound));
      const [sellerBuy] = harness.store.rowsOf(harness.scope).sellerBuys.values();
      expect(sellerBuy?.sellerMediaBuyId).toBe('their-1');
    });

    it(`${point.name}: a seller without idempotency gets no second request, and its buy is found`, async () => {
      const harness = await openBuyingHarness({ acme: forgetful });
      await crash(harness, point);
      const leg = await follow(harness, harness.restarted());
      expect(sends(harness)).toHaveLength(1);
      expect(harness.seller('acme').buys).toHaveLength(1);
      expect(leg.status).toBe('completed');
    });

    it(`${point.name}: without evidence the leg waits for a person and nothing is sent again`, async () => {
      const harness = await openBuyingHarness({ acme: { ...forgetful, echoesContext: false } });
      await crash(harness, point);
      const leg = await follow(harness, harness.restarted());
      expect(sends(harness)).toHaveLength(1);
      expect(leg.status).toBe(point.dies === 'takeLeg' ? 'completed' : 'parked');
      if (leg.status === 'parked') expect(harness.notices).toEqual([{ code: 'LEG_PARKED', seller: 'acme' }]);
    });
  }

  it('and a request that never arrived: the same key and bytes are sent until they do', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    await crash(harness, points[0]);
    harness.seller('acme').fate('create_media_buy', 'lose', 'drop', 'drop', 'lose');
    const leg = await follow(harness, harness.restarted());
    expect(leg.status).toBe('completed');
    expect(leg.attempts).toBe(5);
    expect(harness.seller('acme').buys).toHaveLength(1);
  });
});

describe('a repeated send', () => {
  it('that cannot be delivered fails nothing: the first one may have bought', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    await crash(harness, points[2]);
    harness.seller('acme').fate('create_media_buy', 'drop');
    const [leg] = await harness.store.dueLegs(harness.scope, harness.clock.now() + 60_000, 1);
    harness.clock.advance(60_000);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, leg?.id ?? '', run);
    expect(onlyLeg(harness).status).toBe('sent');
    expect((await follow(harness, harness.restarted())).status).toBe('completed');
  });

  it.each(['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'IDEMPOTENCY_IN_FLIGHT', 'IDEMPOTENCY_EXPIRED'])(
    'that is answered %s proves nothing about the first one',
    async (code) => {
      const harness = await openBuyingHarness({ acme: idempotent });
      await crash(harness, points[2]);
      harness.seller('acme').fate('create_media_buy', { says: { errors: [{ code, message: 'Not now.' }] } });
      expect((await follow(harness, harness.restarted())).status).toBe('completed');
      expect(harness.seller('acme').buys).toHaveLength(1);
    },
  );

  it('is not made once the seller may have forgotten the key: its list is read instead', async () => {
    const harness = await openBuyingHarness({ acme: { ...idempotent, replayTtlSeconds: 3_600 } });
    await crash(harness, points[2]);
    harness.clock.advance(3_600_000);
    const leg = await follow(harness, harness.restarted());
    expect(sends(harness)).toHaveLength(1);
    expect(leg).toMatchObject({ status: 'completed', observedBy: 'read_back' });
  });

  it('stops after six: then the list is read, and in the end a person decides', async () => {
    const harness = await openBuyingHarness({ acme: { ...idempotent, echoesContext: false } });
    await crash(harness, points[0]);
    harness.seller('acme').fate('create_media_buy', ...Array.from({ length: 20 }, () => 'lose' as const));
    const leg = await follow(harness, harness.restarted());
    expect(leg.attempts).toBe(6);
    expect(isSettled(leg)).toBe(false);
    expect(leg.status).toBe('parked');
    expect(harness.seller('acme').buys).toHaveLength(1);
  });
});

describe('a seller at which another tenant also buys', () => {
  const wish = { ...forgetful, form: '2.5' as const, echoesContext: false };

  it.each([
    ['own', 'completed'],
    ['shared', 'parked'],
    ['taken', 'parked'],
  ] as const)('whose list shows a buy by the reference only: %s, so it is %s', async (elsewhere, status) => {
    const harness = await openBuyingHarness({ acme: wish });
    harness.store.nowElsewhere(elsewhere);
    harness.seller('acme').fate('create_media_buy', 'lose');
    const lost = crashingStore(harness.store, 'change');
    void createMediaBuy(
      { ...harness.ports, store: lost.store },
      harness.request(['acme'], { buyer_ref: 'spring' }),
    );
    await until(() => harness.seller('acme').received.length === 1);
    const leg = await follow(harness, harness.restarted());
    expect([leg.status, sends(harness).length]).toEqual([status, 1]);
  });

  it('is trusted if it returns our own mark, even if the account is shared', async () => {
    const harness = await openBuyingHarness({ acme: forgetful });
    harness.store.nowElsewhere('shared');
    await crash(harness, points[2]);
    expect(await follow(harness, harness.restarted())).toMatchObject({
      status: 'completed',
      observedBy: 'read_back',
    });
  });

  it('and that answers with the buy of the other tenant: it is not shown as ours, and a person decides', async () => {
    const harness = await openBuyingHarness({ acme: idempotent });
    harness.store.nowElsewhere('taken');
    await createMediaBuy(harness.ports, harness.request(['acme']));
    const [leg] = [...harness.store.rowsOf(harness.scope).legs.values()];
    const [sellerBuy] = [...harness.store.rowsOf(harness.scope).sellerBuys.values()];
    expect([leg?.status, sellerBuy?.sellerMediaBuyId]).toEqual(['parked', undefined]);
  });
});

describe('reading a seller’s buys', () => {
  it('waits for an unreachable seller for more than ten minutes', async () => {
    const harness = await openBuyingHarness({ acme: forgetful });
    await crash(harness, points[2]);
    harness.seller('acme').fate('get_media_buys', ...Array.from({ length: 8 }, () => 'drop' as const));
    const leg = await follow(harness, harness.restarted());
    expect(leg).toMatchObject({ status: 'completed', observedBy: 'read_back' });
    expect(sends(harness)).toHaveLength(1);
  });

  it('never matches by reference a buy that another leg has, or one of two', async () => {
    const wish = { ...forgetful, form: '2.5' as const, echoesContext: false };
    const harness = await openBuyingHarness({ acme: wish });
    const twice = { buyer_ref: 'spring' };
    await createMediaBuy(
      harness.ports,
      harness.request(['acme'], { ...twice, idempotency_key: 'another-key-000001' }),
    );
    harness.seller('acme').fate('create_media_buy', 'drop');
    const lost = crashingStore(harness.store, 'change');
    void createMediaBuy({ ...harness.ports, store: lost.store }, harness.request(['acme'], twice));
    await lost.died;
    harness.clock.advance(120_000);
    const [leg] = await harness.store.dueLegs(harness.scope, harness.clock.now(), 1);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, leg?.id ?? '', run);
    const parked = await harness.store.leg(harness.scope, leg?.id ?? '');
    expect(parked?.status).toBe('parked');
    expect(parked?.findings.map(({ code }) => code)).toContain('LEG_PARKED');
    expect(harness.seller('acme').buys).toHaveLength(1);
  });
});

describe('a request that another process is sending', () => {
  it('is not looked up meanwhile: its answer may still arrive, even at a seller without a list', async () => {
    const harness = await openBuyingHarness({ acme: { isIdempotent: false, form: '2.5' } });
    harness.seller('acme').fate('create_media_buy', 'hang');
    void createMediaBuy(harness.ports, harness.request(['acme'])).catch(() => undefined);
    await until(() => harness.seller('acme').received.length === 1);
    const run = { connection: harness.connection('acme'), signal: new AbortController().signal };
    await followLeg(harness.restarted(), harness.scope, onlyLeg(harness).id, run);
    expect(onlyLeg(harness)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(harness.seller('acme').received).toHaveLength(1);
    harness.clock.advance(60_000);
    await followLeg(harness.restarted(), harness.scope, onlyLeg(harness).id, run);
    expect(onlyLeg(harness)).toMatchObject({ status: 'completed', observedBy: 'read_back' });
    expect(sends(harness)).toHaveLength(1);
  });
});
