import { describe, expect, it } from '@jest/globals';
import { crashingStore, openBuyingHarness, type BuyingHarness } from '@switchyard/testing';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import type { AccountRef } from '@switchyard/protocol';
import { createMediaBuy } from './create-media-buy.js';
import { followLeg } from '../run/follow-leg.js';
import { replayTtlSeconds } from '../run/mutate.js';
import type { Leg } from '../model/operation.js';

const both = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a buy across sellers', () => {
  it('sends each seller its own packages, under keys, addresses and contexts of that seller only', async () => {
    const harness = await openBuyingHarness(both);
    const done = must(await createMediaBuy(harness.ports, harness.request(['acme', 'bravo', 'acme'])));
    expect(done.state.operation.status).toBe('completed');
    const [acme, bravo] = ['acme', 'bravo'].map((slug) => harness.seller(slug).received[0]!.args);
    expect((acme!['packages'] as JsonObject[]).map((item) => item['product_id'])).toEqual(['ctv', 'ctv']);
    expect((bravo!['packages'] as JsonObject[]).map((item) => item['product_id'])).toEqual(['ctv']);
    for (const name of ['idempotency_key', 'context', 'push_notification_config', 'reporting_webhook'])
      expect(acme![name]).not.toEqual(bravo![name]);
    const sent = JSON.stringify([acme, bravo]);
    expect(sent).not.toContain('the-buyers-own-key');
    expect(done.state.packages.map((item) => item.sellerPackageId)).toEqual([
      'their-1-p1',
      'their-1-p1',
      'their-1-p2',
    ]);
  });

  it('keeps the parts that were made when another seller refuses', async () => {
    const harness = await openBuyingHarness(both);
    const refusal = { errors: [{ code: 'BUDGET_TOO_LOW', message: 'More.' }] };
    harness.seller('bravo').fate('create_media_buy', { says: refusal });
    const done = await createMediaBuy(harness.ports, harness.request(['acme', 'bravo']));
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(done.ok && done.value.state.legs.map((leg) => leg.status)).toEqual(['completed', 'failed']);
  });

  it('is neither sent nor stored if one package is invalid', async () => {
    const harness = await openBuyingHarness(both);
    const request = harness.request(['acme', 'bravo']);
    const [good, bad] = request.request.packages;
    const packages = [good!, { ...bad!, budget: '0' }];
    const done = await createMediaBuy(harness.ports, {
      ...request,
      request: { ...request.request, packages },
    });
    expect(done.ok ? [] : done.error.map(({ field }) => field)).toEqual(['packages[1].budget']);
    expect(harness.seller('acme').received).toEqual([]);
    expect(harness.store.rowsOf(harness.scope).operations.size).toBe(0);
  });

  it('distinguishes a seller with unknown offers from one that does not offer the product', async () => {
    const harness = await openBuyingHarness(both);
    const request = harness.request(['acme', 'bravo']);
    const packages = request.request.packages.map((item) => ({
      ...item,
      productId: `${item.productId}-unknown`,
    }));
    harness.seller('acme').fate('get_products', { says: { products: [] } });
    harness.seller('bravo').fate('get_products', 'drop');
    const done = await createMediaBuy(harness.ports, {
      ...request,
      request: { ...request.request, packages },
    });
    expect(done.ok ? [] : done.error.map(({ code, field }) => [code, field])).toEqual([
      ['PRODUCT_NOT_FOUND', 'packages[0].product_id'],
      ['SERVICE_UNAVAILABLE', 'packages[1].product_id'],
    ]);
  });

  it('is refused if the vault is unavailable, and if a seller’s key cannot be derived', async () => {
    const harness = await openBuyingHarness(both);
    const refused = { code: 'audit_unavailable', message: 'No audit row.' };
    for (const lease of [() => Promise.resolve(err(refused)), () => Promise.resolve(ok(new Map()))]) {
      const done = await createMediaBuy({ ...harness.ports, lease }, harness.request(['acme']));
      expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['SERVICE_UNAVAILABLE']);
    }
    expect(harness.store.rowsOf(harness.scope).operations.size).toBe(0);
  });

  it('sends nothing without the seller’s credential', async () => {
    const harness = await openBuyingHarness(both);
    const connections = {
      ...harness.ports.connections,
      list: () => Promise.resolve([{ ...harness.connection('acme'), credentialId: 'c1' }]),
    };
    const done = await createMediaBuy({ ...harness.ports, connections }, harness.request(['acme']));
    expect(done.ok && done.value.state.legs[0]?.errors[0]?.code).toBe('CONFIGURATION_ERROR');
    expect(harness.seller('acme').received).toEqual([]);
  });
});

describe('a buy that contains a credential', () => {
  const secret = 'sk-live-0123456789';
  const leaky = (harness: BuyingHarness) => {
    const requested = harness.request(['acme', 'bravo']);
    return { ...requested, request: { ...requested.request, ext: { vault: { client_secret: secret } } } };
  };

  it('fails at each seller before anything is sent, and names the place', async () => {
    const harness = await openBuyingHarness(both);
    const done = await createMediaBuy(harness.ports, leaky(harness));
    expect(done.ok && done.value.state.operation.status).toBe('failed');
    const errors = done.ok ? done.value.state.legs.flatMap((leg) => leg.errors) : [];
    expect(errors.map(({ code }) => code)).toEqual(['CREDENTIAL_IN_ARGS', 'CREDENTIAL_IN_ARGS']);
    expect(JSON.stringify(errors)).not.toContain(secret);
    expect(harness.seller('acme').received).toEqual([]);
    expect(harness.seller('bravo').received).toEqual([]);
  });

  it('also fails when it is resumed after a crash: nothing was ever sent', async () => {
    const harness = await openBuyingHarness(both);
    const dying = crashingStore(harness.store, 'change');
    void createMediaBuy({ ...harness.ports, store: dying.store }, leaky(harness));
    await dying.died;
    harness.clock.advance(60_000);
    const due = await harness.store.dueLegs(harness.scope, harness.clock.now(), 2);
    expect(due.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['sent', 1],
      ['sent', 1],
    ]);
    for (const leg of due) {
      const run = { connection: harness.connection(leg.seller), signal: new AbortController().signal };
      await followLeg(harness.restarted(), harness.scope, leg.id, run);
      expect((await harness.store.leg(harness.scope, leg.id))?.status).toBe('failed');
    }
    expect([...harness.seller('acme').received, ...harness.seller('bravo').received]).toEqual([]);
  });
});

describe('a seller that answers with the buy of an earlier request', () => {
  it('gave an unusable answer: a person decides, and the earlier buy keeps its owner', async () => {
    const harness = await openBuyingHarness(both);
    const first = await createMediaBuy(harness.ports, harness.request(['acme']));
    const says = harness.seller('acme').buys[0]!;
    harness.seller('acme').fate('create_media_buy', { says });
    const request = harness.request(['acme'], { idempotency_key: 'another-key-00000001' });
    const second = await createMediaBuy(harness.ports, request);
    expect(second.ok && second.value.state.legs[0]?.status).toBe('parked');
    expect(harness.notices).toEqual([{ code: 'LEG_PARKED', seller: 'acme' }]);
    const owner = await harness.store.sellerBuyOf(harness.scope, harness.connection('acme').id, 'their-1');
    expect(owner?.legId).toBe(first.ok && first.value.state.legs[0]?.id);
  });
});

describe('a seller that does not answer in time', () => {
  it('does not delay the answer beyond the deadline; the call continues, and its answer counts', async () => {
    const harness = await openBuyingHarness(both);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { transport } = harness.ports;
    const slow: typeof transport = {
      ...transport,
      call: async (target, call, signal) => {
        if (target.connectionId === harness.connection('bravo').id) await held;
        return transport.call(target, call, signal);
      },
    };
    const answered: Leg[] = [];
    const buying = createMediaBuy(
      { ...harness.ports, transport: slow },
      { ...harness.request(['acme', 'bravo']), onAnswered: (leg) => answered.push(leg) },
    );
    await until(() => answered.length === 1);
    harness.clock.advance(15_000);
    const done = must(await buying);
    expect(done.state.legs.map((leg) => leg.status)).toEqual(['completed', 'sent']);
    expect(done.state.operation.status).toBe('submitted');
    answer();
    await until(() => answered.length === 2);
    const state = await harness.store.state(harness.scope, done.state.operation.id);
    expect(state?.operation.status).toBe('completed');
    expect(harness.seller('bravo').received).toHaveLength(1);
  });

  it('times out after 30 seconds, and its leg is polled', async () => {
    const harness = await openBuyingHarness(both);
    harness.seller('acme').fate('create_media_buy', 'hang');
    const buying = createMediaBuy(harness.ports, harness.request(['acme']));
    await until(() => harness.seller('acme').received.length === 1);
    harness.clock.advance(15_000);
    const done = await buying;
    const legId = done.ok ? (done.value.state.legs[0]?.id ?? '') : '';
    expect(await harness.store.dueLegs(harness.scope, harness.clock.now() + 20_000, 1)).toEqual([]);
    harness.clock.advance(15_000);
    await until(() => [...harness.store.rowsOf(harness.scope).legs.values()].every((leg) => !leg.leaseUntil));
    const due = await harness.store.dueLegs(harness.scope, harness.clock.now() + 2_000, 1);
    expect(due.map(({ id }) => id)).toEqual([legId]);
  });
});

describe('a repeated key', () => {
  it('with the same request returns the same operation, and calls no seller', async () => {
    const harness = await openBuyingHarness(both);
    const first = await createMediaBuy(harness.ports, harness.request(['acme']));
    const again = await createMediaBuy(
      harness.ports,
      harness.request(['acme'], { context: { other: 'words' } }),
    );
    expect(again.ok && again.value.replayed).toBe(true);
    expect(again.ok && again.value.state.operation.id).toBe(first.ok && first.value.state.operation.id);
    expect(harness.seller('acme').received).toHaveLength(1);
  });

  it('after its lifetime of a day is refused, with any request, and calls no seller', async () => {
    const harness = await openBuyingHarness(both);
    await createMediaBuy(harness.ports, harness.request(['acme']));
    harness.clock.advance((replayTtlSeconds + 60) * 1_000);
    expect(await createMediaBuy(harness.ports, harness.request(['acme']))).toMatchObject({ ok: true });
    harness.clock.advance(1);
    for (const request of [harness.request(['acme']), harness.request(['bravo'])]) {
      expect(await createMediaBuy(harness.ports, request)).toMatchObject({
        ok: false,
        error: [{ code: 'IDEMPOTENCY_EXPIRED', recovery: 'correctable' }],
      });
    }
    expect(harness.seller('acme').received).toHaveLength(1);
    expect(harness.seller('bravo').received).toEqual([]);
  });

  it('is another key for another account, and the same one if the account is named by id or by its pair', async () => {
    const harness = await openBuyingHarness(both);
    const key = 'one-key-two-accounts-1';
    const requested = (brandDomain: string, account: AccountRef | undefined, hash: string) => {
      const { request, ...rest } = harness.request(['acme']);
      const named = { idempotencyKey: key, ...(account === undefined ? {} : { account }) };
      return createMediaBuy(harness.ports, {
        ...rest,
        request: { ...request, ...named },
        account: { brandDomain, brandId: '', operator: 'agency.example' },
        requestHash: hash,
      });
    };
    const pair = { brand: { domain: 'one.example' }, operator: 'agency.example' };
    const first = await requested('one.example', pair, 'h1');
    const again = await requested('one.example', { accountId: 'a1' }, 'h1');
    const other = await requested('two.example', { accountId: 'a2' }, 'h2');
    expect([first, again, other].map((made) => made.ok && made.value.replayed)).toEqual([false, true, false]);
    expect(harness.seller('acme').buys).toHaveLength(2);
    const wrong = await requested('two.example', { accountId: 'a2' }, 'h3');
    expect(wrong.ok ? [] : wrong.error.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
  });

  it('of a brand alone stays the same, even if the brand’s account changes', async () => {
    const harness = await openBuyingHarness(both);
    const requested = (operator: string) => {
      const { request, ...rest } = harness.request(['acme']);
      const { account: _none, ...unnamed } = request;
      return createMediaBuy(harness.ports, {
        ...rest,
        request: { ...unnamed, idempotencyKey: 'a-key-of-a-brand-0001' },
        account: { brandDomain: 'one.example', brandId: '', operator },
      });
    };
    const made = [await requested('agency.example'), await requested('other.example')];
    expect(made.map((one) => one.ok && one.value.replayed)).toEqual([false, true]);
    expect(harness.seller('acme').buys).toHaveLength(1);
  });

  it('with another request is a conflict that reveals nothing of the first', async () => {
    const harness = await openBuyingHarness(both);
    await createMediaBuy(harness.ports, harness.request(['acme']));
    const other = await createMediaBuy(harness.ports, harness.request(['bravo']));
    expect(other).toEqual(
      err([
        {
          code: 'IDEMPOTENCY_CONFLICT',
          message: 'This idempotency key was used for a different request.',
          recovery: 'correctable',
        },
      ]),
    );
    expect(harness.seller('bravo').received).toEqual([]);
  });

  it('sent ten times at once buys once', async () => {
    const harness = await openBuyingHarness(both);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => createMediaBuy(harness.ports, harness.request(['acme', 'bravo']))),
    );
    expect(all.filter((one) => one.ok && !one.value.replayed)).toHaveLength(1);
    expect(new Set(all.map((one) => (one.ok ? one.value.state.buy?.id : 'none'))).size).toBe(1);
    expect(harness.seller('acme').buys).toHaveLength(1);
    expect(harness.seller('bravo').buys).toHaveLength(1);
  });

  it('after a failure is executed again, and the seller gets another key', async () => {
    const harness = await openBuyingHarness(both);
    harness
      .seller('acme')
      .fate('create_media_buy', { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } });
    const first = await createMediaBuy(harness.ports, harness.request(['acme']));
    expect(first.ok && first.value.state.operation.status).toBe('failed');
    const again = await createMediaBuy(harness.ports, harness.request(['acme']));
    expect(again.ok && again.value).toMatchObject({
      replayed: false,
      state: { operation: { status: 'completed' } },
    });
    const keys = harness.seller('acme').received.map(({ args }) => args['idempotency_key']);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('a buyer without a key', () => {
  it('is identified by its reference', async () => {
    const harness = await openBuyingHarness(both);
    const keyless = (slug: string) => {
      const request = harness.request([slug], { buyer_ref: 'spring' });
      const { idempotencyKey: _none, ...rest } = request.request;
      const { idempotency_key: _neither, ...args } = request.args;
      return { ...request, request: { ...rest, buyerRef: 'spring' }, args };
    };
    await createMediaBuy(harness.ports, keyless('acme'));
    const again = await createMediaBuy(harness.ports, keyless('acme'));
    expect(again.ok && again.value.replayed).toBe(true);
    const other = await createMediaBuy(harness.ports, keyless('bravo'));
    expect(other.ok ? [] : other.error.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
    // No key of a day: the reference stands for its buy as long as that is known.
    harness.clock.advance(30 * 86_400_000);
    const late = await createMediaBuy(harness.ports, keyless('acme'));
    expect(late.ok && late.value.replayed).toBe(true);
  });
});
