import { describe, expect, it } from '@jest/globals';
import { dyingStore, openBuyingDesk, type BuyingDesk } from '@switchyard/testing';
import { err, ok, type JsonObject } from '@switchyard/values';
import type { AccountRef } from '@switchyard/protocol';
import { createMediaBuy } from './create-media-buy.js';
import { followLeg } from '../observe/follow-leg.js';
import { replayTtlSeconds } from '../send/mutate.js';
import type { Leg } from '../model/operation.js';

const both = { acme: { isIdempotent: true }, bravo: { isIdempotent: true } };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a buy across sellers', () => {
  it('asks each seller for its own packages, under keys, addresses and contexts that are that seller’s alone', async () => {
    const desk = await openBuyingDesk(both);
    const done = await createMediaBuy(desk.ports, desk.request(['acme', 'bravo', 'acme']));
    if (!done.ok) throw new Error('It should be bought.');
    expect(done.value.state.operation.status).toBe('completed');
    const [acme, bravo] = ['acme', 'bravo'].map((slug) => desk.seller(slug).heard[0]!.args);
    expect((acme!['packages'] as JsonObject[]).map((item) => item['product_id'])).toEqual(['ctv', 'ctv']);
    expect((bravo!['packages'] as JsonObject[]).map((item) => item['product_id'])).toEqual(['ctv']);
    for (const name of ['idempotency_key', 'context', 'push_notification_config', 'reporting_webhook'])
      expect(acme![name]).not.toEqual(bravo![name]);
    const sent = JSON.stringify([acme, bravo]);
    expect(sent).not.toContain('the-buyers-own-key');
    expect(done.value.state.packages.map((item) => item.sellerPackageId)).toEqual([
      'their-1-p1',
      'their-1-p1',
      'their-1-p2',
    ]);
  });

  it('keeps what was made when another seller refuses', async () => {
    const desk = await openBuyingDesk(both);
    const refusal = { errors: [{ code: 'BUDGET_TOO_LOW', message: 'More.' }] };
    desk.seller('bravo').fate('create_media_buy', { says: refusal });
    const done = await createMediaBuy(desk.ports, desk.request(['acme', 'bravo']));
    expect(done.ok && done.value.state.operation.status).toBe('completed');
    expect(done.ok && done.value.state.legs.map((leg) => leg.status)).toEqual(['completed', 'failed']);
  });

  it('hears nothing of, and stores nothing of, a request that one package spoils', async () => {
    const desk = await openBuyingDesk(both);
    const request = desk.request(['acme', 'bravo']);
    const [good, bad] = request.request.packages;
    const packages = [good!, { ...bad!, budget: '0' }];
    const done = await createMediaBuy(desk.ports, { ...request, request: { ...request.request, packages } });
    expect(done.ok ? [] : done.error.map(({ field }) => field)).toEqual(['packages[1].budget']);
    expect(desk.seller('acme').heard).toEqual([]);
    expect(desk.store.rowsOf(desk.scope).operations.size).toBe(0);
  });

  it('refuses where the vault gives nothing out, and where a seller’s key cannot be made', async () => {
    const desk = await openBuyingDesk(both);
    const refused = { code: 'audit_unavailable', message: 'No audit row.' };
    for (const lease of [() => Promise.resolve(err(refused)), () => Promise.resolve(ok(new Map()))]) {
      const done = await createMediaBuy({ ...desk.ports, lease }, desk.request(['acme']));
      expect(done.ok ? [] : done.error.map(({ code }) => code)).toEqual(['SERVICE_UNAVAILABLE']);
    }
    expect(desk.store.rowsOf(desk.scope).operations.size).toBe(0);
  });

  it('sends nothing without the credential that the seller is to know us by', async () => {
    const desk = await openBuyingDesk(both);
    const connections = {
      ...desk.ports.connections,
      list: () => Promise.resolve([{ ...desk.connection('acme'), credentialId: 'c1' }]),
    };
    const done = await createMediaBuy({ ...desk.ports, connections }, desk.request(['acme']));
    expect(done.ok && done.value.state.legs[0]?.errors[0]?.code).toBe('CONFIGURATION_ERROR');
    expect(desk.seller('acme').heard).toEqual([]);
  });
});

describe('a buy that would carry a credential to its sellers', () => {
  const secret = 'sk-live-0123456789';
  const leaky = (desk: BuyingDesk) => {
    const asked = desk.request(['acme', 'bravo']);
    return { ...asked, request: { ...asked.request, ext: { vault: { client_secret: secret } } } };
  };

  it('fails at each of them before anything was sent, and says where', async () => {
    const desk = await openBuyingDesk(both);
    const done = await createMediaBuy(desk.ports, leaky(desk));
    expect(done.ok && done.value.state.operation.status).toBe('failed');
    const errors = done.ok ? done.value.state.legs.flatMap((leg) => leg.errors) : [];
    expect(errors.map(({ code }) => code)).toEqual(['CREDENTIAL_IN_ARGS', 'CREDENTIAL_IN_ARGS']);
    expect(JSON.stringify(errors)).not.toContain(secret);
    expect(desk.seller('acme').heard).toEqual([]);
    expect(desk.seller('bravo').heard).toEqual([]);
  });

  it('fails also when it is taken up again after a crash: what is held back never left', async () => {
    const desk = await openBuyingDesk(both);
    const dying = dyingStore(desk.store, 'change');
    void createMediaBuy({ ...desk.ports, store: dying.store }, leaky(desk));
    await dying.died;
    desk.clock.advance(60_000);
    const due = await desk.store.dueLegs(desk.scope, desk.clock.now(), 2);
    expect(due.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['sent', 1],
      ['sent', 1],
    ]);
    for (const leg of due) {
      const run = { connection: desk.connection(leg.seller), signal: new AbortController().signal };
      await followLeg(desk.restarted(), desk.scope, leg.id, run);
      expect((await desk.store.leg(desk.scope, leg.id))?.status).toBe('failed');
    }
    expect([...desk.seller('acme').heard, ...desk.seller('bravo').heard]).toEqual([]);
  });
});

describe('a seller that names the buy of an earlier request', () => {
  it('has answered nothing that can be used: a person looks, and the earlier buy stays whose it is', async () => {
    const desk = await openBuyingDesk(both);
    const first = await createMediaBuy(desk.ports, desk.request(['acme']));
    const says = desk.seller('acme').buys[0]!;
    desk.seller('acme').fate('create_media_buy', { says });
    const request = desk.request(['acme'], { idempotency_key: 'another-key-00000001' });
    const second = await createMediaBuy(desk.ports, request);
    expect(second.ok && second.value.state.legs[0]?.status).toBe('parked');
    expect(desk.notices).toEqual([{ code: 'LEG_PARKED', seller: 'acme' }]);
    const owner = await desk.store.sellerBuyOf(desk.scope, desk.connection('acme').id, 'their-1');
    expect(owner?.legId).toBe(first.ok && first.value.state.legs[0]?.id);
  });
});

describe('a seller that does not answer in time', () => {
  it('holds nobody up: the answer leaves at the deadline, the call goes on, and its answer counts', async () => {
    const desk = await openBuyingDesk(both);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { transport } = desk.ports;
    const slow: typeof transport = {
      ...transport,
      call: async (target, call, signal) => {
        if (target.connectionId === desk.connection('bravo').id) await held;
        return transport.call(target, call, signal);
      },
    };
    const answered: Leg[] = [];
    const buying = createMediaBuy(
      { ...desk.ports, transport: slow },
      { ...desk.request(['acme', 'bravo']), onAnswered: (leg) => answered.push(leg) },
    );
    await until(() => answered.length === 1);
    desk.clock.advance(15_000);
    const done = await buying;
    if (!done.ok) throw new Error('It should be under way.');
    expect(done.value.state.legs.map((leg) => leg.status)).toEqual(['completed', 'sent']);
    expect(done.value.state.operation.status).toBe('submitted');
    answer();
    await until(() => answered.length === 2);
    const state = await desk.store.state(desk.scope, done.value.state.operation.id);
    expect(state?.operation.status).toBe('completed');
    expect(desk.seller('bravo').heard).toHaveLength(1);
  });

  it('is given up on after 30 seconds, and left to the follower', async () => {
    const desk = await openBuyingDesk(both);
    desk.seller('acme').fate('create_media_buy', 'hang');
    const buying = createMediaBuy(desk.ports, desk.request(['acme']));
    await until(() => desk.seller('acme').heard.length === 1);
    desk.clock.advance(15_000);
    const done = await buying;
    const legId = done.ok ? (done.value.state.legs[0]?.id ?? '') : '';
    expect(await desk.store.dueLegs(desk.scope, desk.clock.now() + 20_000, 1)).toEqual([]);
    desk.clock.advance(15_000);
    await until(() => [...desk.store.rowsOf(desk.scope).legs.values()].every((leg) => !leg.leaseUntil));
    const due = await desk.store.dueLegs(desk.scope, desk.clock.now() + 2_000, 1);
    expect(due.map(({ id }) => id)).toEqual([legId]);
  });
});

describe('the same key again', () => {
  it('with the same request gives the same operation, and asks nobody', async () => {
    const desk = await openBuyingDesk(both);
    const first = await createMediaBuy(desk.ports, desk.request(['acme']));
    const again = await createMediaBuy(desk.ports, desk.request(['acme'], { context: { other: 'words' } }));
    expect(again.ok && again.value.replayed).toBe(true);
    expect(again.ok && again.value.state.operation.id).toBe(first.ok && first.value.state.operation.id);
    expect(desk.seller('acme').heard).toHaveLength(1);
  });

  it('after the day that was promised is over is refused, whatever the request, and asks nobody', async () => {
    const desk = await openBuyingDesk(both);
    await createMediaBuy(desk.ports, desk.request(['acme']));
    desk.clock.advance((replayTtlSeconds + 60) * 1_000);
    expect(await createMediaBuy(desk.ports, desk.request(['acme']))).toMatchObject({ ok: true });
    desk.clock.advance(1);
    for (const request of [desk.request(['acme']), desk.request(['bravo'])]) {
      expect(await createMediaBuy(desk.ports, request)).toMatchObject({
        ok: false,
        error: [{ code: 'IDEMPOTENCY_EXPIRED', recovery: 'correctable' }],
      });
    }
    expect(desk.seller('acme').heard).toHaveLength(1);
    expect(desk.seller('bravo').heard).toEqual([]);
  });

  it('is another key for another account, and the same one whether the account is named by id or by its pair', async () => {
    const desk = await openBuyingDesk(both);
    const key = 'one-key-two-accounts-1';
    const asked = (brandDomain: string, account: AccountRef | undefined, hash: string) => {
      const { request, ...rest } = desk.request(['acme']);
      const named = { idempotencyKey: key, ...(account === undefined ? {} : { account }) };
      return createMediaBuy(desk.ports, {
        ...rest,
        request: { ...request, ...named },
        account: { brandDomain, brandId: '', operator: 'agency.example' },
        requestHash: hash,
      });
    };
    const pair = { brand: { domain: 'one.example' }, operator: 'agency.example' };
    const first = await asked('one.example', pair, 'h1');
    const again = await asked('one.example', { accountId: 'a1' }, 'h1');
    const other = await asked('two.example', { accountId: 'a2' }, 'h2');
    expect([first, again, other].map((made) => made.ok && made.value.replayed)).toEqual([false, true, false]);
    expect(desk.seller('acme').buys).toHaveLength(2);
    const wrong = await asked('two.example', { accountId: 'a2' }, 'h3');
    expect(wrong.ok ? [] : wrong.error.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
  });

  it('of a brand alone stays what it was, whichever account the brand means by then', async () => {
    const desk = await openBuyingDesk(both);
    const asked = (operator: string) => {
      const { request, ...rest } = desk.request(['acme']);
      const { account: _none, ...unnamed } = request;
      return createMediaBuy(desk.ports, {
        ...rest,
        request: { ...unnamed, idempotencyKey: 'a-key-of-a-brand-0001' },
        account: { brandDomain: 'one.example', brandId: '', operator },
      });
    };
    const made = [await asked('agency.example'), await asked('other.example')];
    expect(made.map((one) => one.ok && one.value.replayed)).toEqual([false, true]);
    expect(desk.seller('acme').buys).toHaveLength(1);
  });

  it('with another request is a conflict that says nothing of the first', async () => {
    const desk = await openBuyingDesk(both);
    await createMediaBuy(desk.ports, desk.request(['acme']));
    const other = await createMediaBuy(desk.ports, desk.request(['bravo']));
    expect(other).toEqual(
      err([
        {
          code: 'IDEMPOTENCY_CONFLICT',
          message: 'This idempotency key was used for a different request.',
          recovery: 'correctable',
        },
      ]),
    );
    expect(desk.seller('bravo').heard).toEqual([]);
  });

  it('ten times at once buys once', async () => {
    const desk = await openBuyingDesk(both);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => createMediaBuy(desk.ports, desk.request(['acme', 'bravo']))),
    );
    expect(all.filter((one) => one.ok && !one.value.replayed)).toHaveLength(1);
    expect(new Set(all.map((one) => (one.ok ? one.value.state.buy?.id : 'none'))).size).toBe(1);
    expect(desk.seller('acme').buys).toHaveLength(1);
    expect(desk.seller('bravo').buys).toHaveLength(1);
  });

  it('after a failure runs anew, and the seller is shown another key', async () => {
    const desk = await openBuyingDesk(both);
    desk
      .seller('acme')
      .fate('create_media_buy', { says: { errors: [{ code: 'BUDGET_TOO_LOW', message: 'x' }] } });
    const first = await createMediaBuy(desk.ports, desk.request(['acme']));
    expect(first.ok && first.value.state.operation.status).toBe('failed');
    const again = await createMediaBuy(desk.ports, desk.request(['acme']));
    expect(again.ok && again.value).toMatchObject({
      replayed: false,
      state: { operation: { status: 'completed' } },
    });
    const keys = desk.seller('acme').heard.map(({ args }) => args['idempotency_key']);
    expect(new Set(keys).size).toBe(2);
  });
});

describe('a buyer without a key', () => {
  it('is known by its reference', async () => {
    const desk = await openBuyingDesk(both);
    const keyless = (slug: string) => {
      const request = desk.request([slug], { buyer_ref: 'spring' });
      const { idempotencyKey: _none, ...rest } = request.request;
      const { idempotency_key: _neither, ...args } = request.args;
      return { ...request, request: { ...rest, buyerRef: 'spring' }, args };
    };
    await createMediaBuy(desk.ports, keyless('acme'));
    const again = await createMediaBuy(desk.ports, keyless('acme'));
    expect(again.ok && again.value.replayed).toBe(true);
    const other = await createMediaBuy(desk.ports, keyless('bravo'));
    expect(other.ok ? [] : other.error.map(({ code }) => code)).toEqual(['IDEMPOTENCY_CONFLICT']);
    // No key of a day: the reference stands for its buy as long as that is known.
    desk.clock.advance(30 * 86_400_000);
    const late = await createMediaBuy(desk.ports, keyless('acme'));
    expect(late.ok && late.value.replayed).toBe(true);
  });
});
