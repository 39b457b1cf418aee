import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import {
  getProducts,
  taskError,
  type GetProductsAnswer,
  type GetProductsRequest,
} from '@switchyard/protocol';
import {
  BreakerBoard,
  Bulkhead,
  defaultBreakerPolicy,
  type Connection,
  type SellerAnswer,
  type SellerCall,
  type SellerTarget,
  type SellerTransport,
  type TransportFailure,
  type TransportFailureCode,
} from '@switchyard/sellers';
import { testClock } from '@switchyard/testing';
import { err, ok, Secret, type JsonObject, type Result } from '@switchyard/values';
import { queryMarket } from './query-market.js';
import type { LeasedCredential, MarketQuestion } from '../market-question.js';
import { connectionOf } from '../testkit/market-objects.js';

type Behaviour = (call: SellerCall, signal: AbortSignal) => Promise<Result<SellerAnswer, TransportFailure>>;

const productOf = (id: string): JsonObject => ({
  product_id: id,
  name: id,
  description: 'A product.',
  pricing_options: [{ pricing_option_id: 'p', pricing_model: 'cpm', price: 5 }],
  format_ids: [{ agent_url: 'https://formats.example', id: 'display' }],
});
const answers =
  (...ids: string[]): Behaviour =>
  () =>
    Promise.resolve(ok({ payload: { products: ids.map(productOf) }, isError: false }));
const says =
  (payload: JsonObject, isError = false): Behaviour =>
  () =>
    Promise.resolve(ok({ payload, isError }));
const fails =
  (code: TransportFailureCode): Behaviour =>
  () =>
    Promise.resolve(err({ code, message: code, delivered: 'maybe' }));
const hangs: Behaviour = (_call, signal) =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(err({ code: 'aborted', message: 'aborted', delivered: 'maybe' }));
    });
  });

/** A market in memory with a behavior for each seller. Records the requests. */
function market(behaviours: Readonly<Record<string, Behaviour>>, more: Partial<Connection> = {}) {
  const clock = testClock();
  const breakers = new BreakerBoard({ ...defaultBreakerPolicy, failuresToOpen: 2 });
  const bulkhead = new Bulkhead(2);
  const requested: { readonly slug: string; readonly target: SellerTarget; readonly call: SellerCall }[] = [];
  const transport: SellerTransport = {
    call: (target, call, signal) => {
      const slug = target.connectionId.replace('id-', '');
      requested.push({ slug, target, call });
      return behaviours[slug]!(call, signal);
    },
    listTools: () => Promise.resolve(ok({})),
    forget: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const leases: string[][] = [];
  const leaseCredentials = (connections: readonly Connection[]) => {
    leases.push(connections.map(({ slug }) => slug));
    return Promise.resolve(
      new Map(
        connections.map(({ id }): [string, LeasedCredential] => [
          id,
          { id: `credential-${id}`, version: 1, scheme: 'bearer', secret: new Secret(Buffer.from('s')) },
        ]),
      ),
    );
  };
  const query = (change: Partial<MarketQuestion<GetProductsRequest, GetProductsAnswer>> = {}) =>
    queryMarket<GetProductsRequest, GetProductsAnswer>({
      spec: getProducts,
      request: { brief: 'shoes', buyingMode: 'brief' },
      connections: Object.keys(behaviours).map((slug) => connectionOf(slug, more)),
      transport,
      leaseCredentials,
      breakers,
      bulkhead,
      clock,
      deadlineMs: 10_000,
      count: ({ products }) => products.length,
      ...change,
    });
  return { query, requested, clock, leases, breakers, bulkhead };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const rowsOf = ({ rows }: { readonly rows: readonly { seller: string; status: string; code?: string }[] }) =>
  rows.map(({ seller, status, code }) =>
    code === undefined ? `${seller} ${status}` : `${seller} ${status} ${code}`,
  );

describe('a request that contains a credential', () => {
  it('reaches no seller: each leg fails before anything is sent, and no breaker counts it', async () => {
    const { query, requested } = market(
      { acme: answers('p1'), bravo: answers('p2') },
      { dialect: 'adcp', form: '3.1' },
    );
    const secret = 'sk-live-0123456789';
    for (let round = 0; round < 3; round += 1) {
      const request = { brief: 'shoes', buyingMode: 'brief' as const, ext: { vault: { api_key: secret } } };
      const received = await query({ request });
      expect(rowsOf(received)).toEqual(['acme failed CREDENTIAL_IN_ARGS', 'bravo failed CREDENTIAL_IN_ARGS']);
      expect(received.rows[0]?.reason).toContain('ext.vault.api_key');
      expect(JSON.stringify(received)).not.toContain(secret);
    }
    expect(requested).toEqual([]);
    expect(rowsOf(await query())).toEqual(['acme answered', 'bravo answered']);
  });
});

describe('a market query', () => {
  it('gives every seller a row; a dead, hanging or invalid one does not affect the others', async () => {
    const { query, clock } = market({
      good: answers('p1', 'p2'),
      dead: fails('unreachable'),
      hung: hangs,
      lying: says({ products: 'plenty' }),
      refusing: says({ errors: [{ code: 'RATE_LIMITED', message: 'later' }] }, true),
      also: answers('p3'),
    });
    const running = query();
    await settle();
    clock.advance(10_000);
    const answer = await running;
    expect(rowsOf(answer)).toEqual([
      'good answered',
      'dead failed UNREACHABLE',
      'hung slow DEADLINE',
      'lying failed NOT_CONFORMANT',
      'refusing refused RATE_LIMITED',
      'also answered',
    ]);
    expect(answer.rows.map(({ items }) => items)).toEqual([2, 0, 0, 0, 0, 1]);
    const found = answer.legs.flatMap((leg) => leg.answer?.products.map(({ productId }) => productId) ?? []);
    expect(found).toEqual(['p1', 'p2', 'p3']);
  });

  it('sets aside items that do not conform, keeps the others, and reports how many', async () => {
    const { query } = market({ mixed: says({ products: [productOf('fine'), { name: 'no id' }, 7] }) });
    const answer = await query();
    expect(answer.rows[0]).toMatchObject({ status: 'answered', items: 1 });
    expect(answer.rows[0]?.reason).toBe('1 item; left out as invalid: 2.');
    expect(answer.legs[0]?.setAside).toHaveLength(2);
  });

  it('repeats no text of a seller in its row', async () => {
    const secretive = says(
      { errors: [{ code: 'Bearer s', message: 'your token is Bearer s', recovery: 'terminal' }] },
      true,
    );
    const { query } = market({ secretive });
    expect(JSON.stringify((await query()).rows)).not.toContain('Bearer');
  });

  it('reads long answers of all sellers up to a common limit, and counts no failure beyond it', async () => {
    const long: Behaviour = ({ mayRead }, signal) =>
      mayRead?.(150_000) === true
        ? answers('p')({} as SellerCall, signal)
        : fails('too_large')({} as SellerCall, signal);
    const slugs = Array.from({ length: 14 }, (_, at) => `s${at}`);
    const { query } = market(Object.fromEntries(slugs.map((slug) => [slug, long])));
    for (let round = 0; round < 3; round += 1) {
      const { rows } = await query();
      expect(rows.filter(({ status }) => status === 'answered')).toHaveLength(13);
      expect(rows.filter(({ code }) => code === 'TOO_LARGE')).toHaveLength(1);
    }
  });

  it('reports a seller that answers later, with the task to poll', async () => {
    const { query } = market({ human: says({ status: 'submitted', task_id: 'task-9' }) });
    const answer = await query();
    expect(answer.rows[0]).toMatchObject({ status: 'answered', items: 0, code: 'SUBMITTED' });
    expect(answer.pending).toMatchObject([
      { connection: { slug: 'human' }, task: { status: 'submitted', taskId: 'task-9' } },
    ]);
  });

  it('leases all needed credentials at once', async () => {
    const { query, leases, requested } = market({ a: answers(), b: answers(), open: answers() });
    const { credentialId: _none, ...bare } = connectionOf('open');
    await query({ connections: [connectionOf('a'), connectionOf('b'), bare] });
    expect(leases).toEqual([['a', 'b']]);
    expect(requested.find(({ slug }) => slug === 'open')?.target.credential).toBeUndefined();
  });

  it('continues with sellers that need no credential when the vault is unavailable', async () => {
    const { query, requested } = market({ a: answers('p'), open: answers('p') });
    const { credentialId: _none, ...bare } = connectionOf('open');
    const answer = await query({
      connections: [connectionOf('a'), bare],
      leaseCredentials: () => Promise.reject(new Error('no audit row')),
    });
    expect(rowsOf(answer)).toEqual(['a failed CREDENTIAL_UNAVAILABLE', 'open answered']);
    expect(requested.map(({ slug }) => slug)).toEqual(['open']);
  });

  it('skips a seller that keeps failing, and queries it again after the pause', async () => {
    const { query, requested, clock } = market({ dead: overloaded(404) });
    await query();
    await query();
    expect(rowsOf(await query())).toEqual(['dead skipped BREAKER_OPEN']);
    expect(requested).toHaveLength(2);
    clock.advance(defaultBreakerPolicy.openForMs);
    expect(rowsOf(await query())).toEqual(['dead failed HTTP_ERROR']);
    expect(requested).toHaveLength(3);
  });

  it('keeps querying a seller that answers at once, even if its answers are invalid', async () => {
    const { query, requested } = market({ lying: says({ products: 1 }), prose: fails('malformed') });
    for (let round = 0; round < 5; round += 1) await query();
    expect(requested).toHaveLength(10);
  });

  it('keeps querying a seller that refuses a request for what is in it, so that no caller takes it from the others', async () => {
    const { query, requested } = market({
      parser: overloaded(400),
      schema: fails('protocol_error'),
      firewall: overloaded(403),
      gone: overloaded(404),
    });
    for (let round = 0; round < 5; round += 1) await query();
    const asked = (slug: string) => requested.filter((call) => call.slug === slug).length;
    expect(['parser', 'schema', 'firewall', 'gone'].map(asked)).toEqual([5, 5, 5, 2]);
  });

  it('pauses a refused credential without opening the breaker', async () => {
    const { query, requested, breakers, clock } = market({ strict: fails('unauthorized') });
    expect(rowsOf(await query())).toEqual(['strict refused UNAUTHORIZED']);
    expect(rowsOf(await query())).toEqual(['strict skipped CREDENTIAL_PAUSED']);
    expect(breakers.phaseOf({ organizationId: 'acme', connectionId: 'id-strict' })).toBe('closed');
    clock.advance(defaultBreakerPolicy.credentialPauseMs);
    await query();
    expect(requested).toHaveLength(2);
  });

  it('waits for a busy seller, and skips it after half of the deadline', async () => {
    const { query, requested, clock } = market({ hung: hangs });
    const held = [query(), query()];
    await settle();
    const late = query();
    await settle();
    expect(requested).toHaveLength(2);
    clock.advance(5_000);
    expect(rowsOf(await late)).toEqual(['hung skipped BULKHEAD_FULL']);
    clock.advance(5_000);
    await Promise.all(held);
  });

  it('answers every caller of a crowd that its sellers can serve in time', async () => {
    const answering: (() => void)[] = [];
    const busy: Behaviour = async (...call) => {
      await new Promise<void>((resolve) => answering.push(resolve));
      return answers('p1')(...call);
    };
    const { query, requested } = market({ busy });
    const crowd = Promise.all(Array.from({ length: 8 }, (_, at) => query({ caller: `buyer-${at}` })));
    for (let served = 2; served <= 8; served += 2) {
      await settle();
      expect(requested).toHaveLength(served);
      for (const answer of answering.splice(0)) answer();
    }
    expect((await crowd).flatMap(rowsOf)).toEqual(Array(8).fill('busy answered'));
  });

  it('does not call a seller whose breaker opened while the call waited', async () => {
    const { query, requested, clock } = market({ hung: hangs });
    const held = [query({ deadlineMs: 6_000 }), query({ deadlineMs: 6_000 })];
    await settle();
    const late = query({ deadlineMs: 20_000 });
    await settle();
    clock.advance(6_000);
    await Promise.all(held);
    expect(rowsOf(await late)).toEqual(['hung skipped BREAKER_OPEN']);
    expect(requested).toHaveLength(2);
  });

  it('has a row for each seller that was skipped, and none for one that could never be queried', async () => {
    const { query } = market({ a: answers() });
    const answer = await query({
      connections: [
        connectionOf('a'),
        connectionOf('new', { state: 'onboarding', kinds: [] }),
        connectionOf('off', { state: 'disabled' }),
        connectionOf('signals', { kinds: ['signals'] }),
        connectionOf('other', { tools: { get_signals: [] } }),
      ],
    });
    expect(rowsOf(answer)).toEqual([
      'a answered',
      'new skipped NOT_LIVE',
      'off skipped NOT_LIVE',
      'other skipped NOT_OFFERED',
    ]);
  });

  it('sends each seller its own version, without arguments that its tool does not list', async () => {
    const { query, requested } = market({ service: answers(), modern: answers(), narrow: answers() });
    await query({
      request: { brief: 'shoes', buyingMode: 'brief', brand: { domain: 'nova.example' } },
      connections: [
        connectionOf('service'),
        connectionOf('modern', { dialect: 'adcp', form: '3.1' }),
        connectionOf('narrow', { tools: { get_products: ['brief'] } }),
      ],
    });
    const argsOf = (slug: string) => requested.find((one) => one.slug === slug)?.call.args ?? {};
    expect(argsOf('service')).toMatchObject({
      brief: 'shoes',
      brand_manifest: { url: 'https://nova.example' },
    });
    expect(argsOf('modern')).toMatchObject({ brief: 'shoes', brand: { domain: 'nova.example' } });
    expect(argsOf('narrow')).toEqual({ brief: 'shoes' });
  });

  it('skips a seller whose version cannot express the request, with a code, and queries the others', async () => {
    const { query, requested } = market({ acme: answers('a1'), bravo: answers('b1') });
    const refusal = taskError('UNSUPPORTED_FEATURE', 'That form has no words for it.', { field: 'brief' });
    const spec: typeof getProducts = {
      ...getProducts,
      projectRequest: (request, to) => ({
        ...getProducts.projectRequest(request, to),
        ...(to.form === '2.5' ? { notExpressible: refusal } : {}),
      }),
    };
    const connections = [connectionOf('acme', { form: '2.5' }), connectionOf('bravo')];
    const { rows, legs } = await query({ spec, connections });
    expect(rows.map(({ seller, status, code, reason }) => [seller, status, code, reason])).toEqual([
      ['acme', 'skipped', 'UNSUPPORTED_FEATURE', 'That form has no words for it.'],
      ['bravo', 'answered', undefined, expect.any(String)],
    ]);
    expect(legs.map(({ seller }) => seller)).toEqual(['bravo']);
    expect(requested.map(({ slug }) => slug)).toEqual(['bravo']);
  });

  it('queries again for every request: nothing is cached', async () => {
    const { query, requested } = market({ a: answers('p') });
    await query();
    await query();
    expect(requested).toHaveLength(2);
  });

  it('reports every row once as it settles, the skipped ones first', async () => {
    const { query } = market({ a: answers('p') });
    const received: string[] = [];
    await query({
      connections: [connectionOf('a'), connectionOf('off', { state: 'disabled' })],
      onSeller: ({ seller }, settled, total) => void received.push(`${seller} ${settled}/${total}`),
    });
    expect(received).toEqual(['off 1/2', 'a 2/2']);
  });

  it('releases the trial call of a breaker when the caller disconnects', async () => {
    const behaviours: Record<string, Behaviour> = { one: overloaded(404) };
    const { query, clock } = market(behaviours);
    await query();
    await query();
    clock.advance(defaultBreakerPolicy.openForMs);
    behaviours['one'] = hangs;
    const caller = new AbortController();
    const running = query({ signal: caller.signal });
    await settle();
    expect(rowsOf(await query())).toEqual(['one skipped BREAKER_OPEN']);
    caller.abort();
    expect(rowsOf(await running)).toEqual(['one slow CALLER_GONE']);
    behaviours['one'] = answers('p');
    expect(rowsOf(await query())).toEqual(['one answered']);
  });

  it('wipes every secret after its call and not before, also for late calls and callers that disconnected', async () => {
    let release = (): void => undefined;
    const stubborn: Behaviour = () =>
      new Promise((resolve) => {
        release = () => resolve(err({ code: 'aborted', message: 'aborted', delivered: 'maybe' }));
      });
    const { query, requested, clock } = market({
      good: answers('p1'),
      dead: fails('protocol_error'),
      stubborn,
    });
    const running = query();
    await settle();
    const secretsOf = () =>
      Object.fromEntries(
        requested.map(({ slug, target }) => [slug, target.credential?.secret.useText((text) => text)]),
      );
    expect(secretsOf()).toEqual({ good: '\0', dead: '\0', stubborn: 's' });
    clock.advance(10_000);
    await running;
    expect(secretsOf()['stubborn']).toBe('s');
    release();
    await settle();
    expect(secretsOf()['stubborn']).toBe('\0');
  });

  it('wipes the secrets of sellers that were not called because the caller had disconnected', async () => {
    const { query, requested } = market({ one: answers('p1'), two: answers('p2') });
    const gone = new AbortController();
    const leased: Secret[] = [];
    const leaseCredentials = (connections: readonly Connection[]) => {
      gone.abort();
      const given = connections.map(({ id }): [string, LeasedCredential] => {
        const secret = new Secret(Buffer.from('s'));
        leased.push(secret);
        return [id, { id: `credential-${id}`, version: 1, scheme: 'bearer', secret }];
      });
      return Promise.resolve(new Map(given));
    };
    await query({ leaseCredentials, signal: gone.signal });
    expect(requested).toEqual([]);
    expect(leased.map((secret) => secret.useText((text) => text))).toEqual(['\0', '\0']);
  });
});

/** Uses each behavior once, and the last one from then on. */
const inTurn = (...behaviours: readonly Behaviour[]): Behaviour => {
  let at = -1;
  return (call, signal) => {
    at = Math.min(at + 1, behaviours.length - 1);
    return behaviours[at]!(call, signal);
  };
};
const refuses = (code: string, more: JsonObject = {}): Behaviour =>
  says({ errors: [{ code, message: 'no', ...more }] }, true);
const overloaded = (httpStatus: number): Behaviour => {
  const failure = { code: 'http_error', message: 'no', httpStatus, delivered: 'maybe' } as const;
  return () => Promise.resolve(err(failure));
};

describe('a read that failed with a transient error', () => {
  it.each<[string, Behaviour]>([
    ['a server that is busy', overloaded(503)],
    ['one that has too much to do', overloaded(429)],
    ['a broken connection', fails('unreachable')],
    ['a refusal that its seller calls passing', refuses('SERVICE_UNAVAILABLE')],
  ])('is retried once, with the same request and after a pause: %s', async (_what, failing) => {
    const { query, requested, clock } = market({
      shaky: inTurn(failing, answers('p1')),
      good: answers('p2'),
    });
    const running = query();
    await settle();
    expect(requested).toHaveLength(2);
    clock.advance(374);
    await settle();
    expect(requested).toHaveLength(2);
    clock.advance(251);
    const { rows, legs } = await running;
    expect(rows).toMatchObject([
      { seller: 'shaky', status: 'answered', items: 1, reason: '1 item. It was queried twice.' },
      { seller: 'good', reason: '1 item.' },
    ]);
    expect(legs).toHaveLength(2);
    const [first, second] = requested.filter(({ slug }) => slug === 'shaky');
    expect(second?.call).toEqual(first?.call);
  });

  it('is retried once, and reports the last error', async () => {
    const { query, requested, clock } = market({ dead: inTurn(fails('unreachable'), overloaded(502)) });
    const running = query();
    await settle();
    clock.advance(1_000);
    expect(rowsOf(await running)).toEqual(['dead failed HTTP_ERROR']);
    expect(requested).toHaveLength(2);
  });

  it('waits as long as its seller requests, and is not retried if that is too long', async () => {
    const limited = (seconds: number) => refuses('RATE_LIMITED', { retry_after: seconds });
    const behaviours = { soon: inTurn(limited(4), answers('p')), late: inTurn(limited(10), answers('p')) };
    const { query, requested, clock } = market(behaviours);
    const running = query();
    await settle();
    clock.advance(3_999);
    await settle();
    expect(requested).toHaveLength(2);
    clock.advance(1);
    expect(rowsOf(await running)).toEqual(['soon answered', 'late refused RATE_LIMITED']);
    expect(requested.map(({ slug }) => slug)).toEqual(['soon', 'late', 'soon']);
  });

  it.each<[string, Behaviour]>([
    ['what the caller must change', refuses('INVALID_REQUEST')],
    ['what is over', refuses('ACCOUNT_SUSPENDED', { recovery: 'terminal' })],
    ['one error of two', says({ errors: [{ code: 'RATE_LIMITED' }, { code: 'INVALID_REQUEST' }] }, true)],
    ['an address that has nothing', overloaded(404)],
    ['a credential', fails('unauthorized')],
    ['nonsense', fails('malformed')],
    ['an answer without products', says({ products: 1 })],
  ])('is not retried if the reason is permanent: %s', async (_what, failing) => {
    const { query, requested } = market({ no: failing });
    await query();
    expect(requested).toHaveLength(1);
  });

  it("is not retried once its seller's breaker has opened, and keeps its error", async () => {
    const { query, requested, clock, breakers } = market({ dead: fails('unreachable') });
    const running = query();
    await settle();
    const key = { organizationId: 'acme', connectionId: 'id-dead' };
    for (let failed = 0; failed < 2; failed += 1) {
      const admission = breakers.admit(key, clock.now());
      if (admission.admitted) breakers.settle(admission.ticket, 'failed', clock.now());
    }
    clock.advance(1_000);
    expect(rowsOf(await running)).toEqual(['dead failed UNREACHABLE']);
    expect(requested).toHaveLength(1);
  });

  it('counts as one failure of its seller, even after retries', async () => {
    const { query, clock, breakers } = market({ dead: fails('unreachable') });
    const running = query();
    await settle();
    clock.advance(1_000);
    await running;
    expect(breakers.phaseOf({ organizationId: 'acme', connectionId: 'id-dead' })).toBe('closed');
  });

  it('reports the first error if the retry does not end before the deadline', async () => {
    const { query, requested, clock } = market({ dead: inTurn(overloaded(503), hangs) });
    const running = query();
    await settle();
    clock.advance(1_000);
    await settle();
    expect(requested).toHaveLength(2);
    clock.advance(9_000);
    expect(rowsOf(await running)).toEqual(['dead failed HTTP_ERROR']);
  });

  it('ends when the caller disconnects', async () => {
    const { query, requested, clock } = market({ dead: fails('unreachable') });
    const caller = new AbortController();
    const running = query({ signal: caller.signal });
    await settle();
    caller.abort();
    expect(rowsOf(await running)).toEqual(['dead failed UNREACHABLE']);
    clock.advance(10_000);
    await settle();
    expect(requested).toHaveLength(1);
  });
});

describe('a seller that no longer supports our version', () => {
  const old = { dialect: 'adcp', form: '3.1' } as const;
  const modern = { ...productOf('p'), pricing_options: [] };
  const moved = inTurn(refuses('VERSION_UNSUPPORTED'), says({ products: [modern] }));

  it('is queried for its capabilities, and then retried once in a supported version', async () => {
    const { query, requested } = market({ moved, good: answers('q') }, old);
    const relearned: string[] = [];
    const { rows, legs } = await query({
      request: { brief: 'shoes', buyingMode: 'brief', filters: { formatTypes: ['video'] } },
      relearn: (connection) => {
        relearned.push(connection.slug);
        return Promise.resolve({ ...connection, form: '2.5' });
      },
    });
    expect(relearned).toEqual(['moved']);
    expect(rows).toMatchObject([{ seller: 'moved', status: 'answered', items: 1 }, { seller: 'good' }]);
    expect(legs[0]?.connection.form).toBe('2.5');
    const calls = requested.filter(({ slug }) => slug === 'moved').map(({ call }) => call.args);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toHaveProperty('buying_mode');
    expect(calls[1]).toMatchObject({ filters: { format_types: ['video'] } });
    expect(calls[1]).not.toHaveProperty('buying_mode');
  });

  it.each<[string, Partial<MarketQuestion<GetProductsRequest, GetProductsAnswer>>]>([
    ['speaks what it always spoke', { relearn: (connection) => Promise.resolve({ ...connection }) }],
    ['does not say', { relearn: () => Promise.resolve(undefined) }],
    ['cannot be asked', { relearn: () => Promise.reject(new Error('gone')) }],
    ['is not to be asked', {}],
  ])('is refused by name if it %s', async (_what, change) => {
    const { query, requested } = market({ moved: refuses('VERSION_UNSUPPORTED') }, old);
    const { rows, legs } = await query(change);
    expect(rows).toMatchObject([{ seller: 'moved', status: 'refused', code: 'VERSION_UNSUPPORTED' }]);
    expect(legs[0]?.errors).toMatchObject([{ code: 'VERSION_UNSUPPORTED' }]);
    expect(requested).toHaveLength(1);
  });

  it('is queried for its capabilities if it lacks a feature, and the request is not retried', async () => {
    const { query, requested } = market({ moved: refuses('UNSUPPORTED_FEATURE') }, old);
    const relearned: string[] = [];
    const { rows } = await query({
      relearn: (connection) => {
        relearned.push(connection.slug);
        return Promise.resolve({ ...connection, form: '2.5' });
      },
    });
    expect(relearned).toEqual(['moved']);
    expect(rows).toMatchObject([{ status: 'refused', code: 'UNSUPPORTED_FEATURE' }]);
    expect(requested).toHaveLength(1);
  });
});

describe('a read whose caller asks for an early answer', () => {
  it('waits for sellers whose pace is not known, and later not for one that usually answers late', async () => {
    const { query, clock, breakers } = market({ acme: answers('p1'), hung: hangs });
    const first = query({ isEarly: true });
    await settle();
    clock.advance(10_000);
    expect(rowsOf(await first)).toEqual(['acme answered', 'hung slow DEADLINE']);
    expect([breakers.isUsuallyLate('id-acme'), breakers.isUsuallyLate('id-hung')]).toEqual([false, true]);
    const again = await query({ isEarly: true });
    expect(rowsOf(again)).toEqual(['acme answered', 'hung slow LATER']);
    expect(again.pending.map(({ connection, task }) => [connection.slug, task.status])).toEqual([
      ['hung', 'pending'],
    ]);
    expect(again.pending[0]?.task.args).toMatchObject({ brief: 'shoes' });
    const patient = query();
    await settle();
    clock.advance(10_000);
    expect(rowsOf(await patient)).toEqual(['acme answered', 'hung slow DEADLINE']);
  });
});
