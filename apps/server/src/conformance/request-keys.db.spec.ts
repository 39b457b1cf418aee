import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tasks } from '@switchyard/protocol';
import { sampled, tellLeftOut } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { callAtEndpoint, coveredEndpoints, type CoveredEndpoint } from './testkit/task-endpoints.js';
import { requests, versioned, type World } from './testkit/requests.js';
import { openStage, type Stage } from './testkit/stage.js';

/**
 * What an idempotency key is worth, for every change that a buyer can ask for and at every endpoint
 * (docs/protocol/idempotency.md#keys-of-buyers).
 */
const changes = [
  'create_media_buy',
  'update_media_buy',
  'sync_creatives',
  'activate_signal',
  'provide_performance_feedback',
  'report_usage',
  'sync_accounts',
  'cancel_task',
] as const;
type Change = (typeof changes)[number];

/** Those that sellers have a part in. */
const atSellers = changes.filter((task) => task !== 'sync_accounts');
/** Those that a seller may take its time for. */
const lasting = ['create_media_buy', 'update_media_buy', 'sync_creatives', 'activate_signal'] as const;
/** Everything that a change may leave behind. */
const tables = [
  'operation',
  'leg',
  'media_buy',
  'seller_buy',
  'buy_package',
  'buy_change',
  'webhook_registration',
  'buyer_registration',
  'outbox_event',
  'webhook_attempt',
  'creative',
  'creative_placement',
  'creative_assignment',
  'signal_activation',
  'principal_account',
  'off_protocol_billing',
  'approval',
] as const;

let stage: Stage;
let other: string;

beforeAll(async () => {
  stage = await openStage('mcp');
  other = await addBuyer();
});
afterAll(tellLeftOut);
afterAll(() => stage.close());

async function addBuyer(): Promise<string> {
  const answer = await fetch(`${stage.at.url}/v1/principals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.at.token}` },
    body: JSON.stringify({
      name: 'another buyer',
      kind: 'buyer',
      transitional: true,
      // It brings creatives that somebody else has brought.
      grants: [{ role: 'trader', scope: 'organization' }],
    }),
  });
  const { token } = (await answer.json()) as { readonly token: string };
  // A principal quotes for itself: what is bought has to have been offered.
  await callAtEndpoint(
    'rest',
    { ...stage.at, token },
    'get_products',
    requests['get_products']?.['3.1'](stage.world) ?? {},
  );
  return token;
}

/**
 * A whole request of release 3.1 under a key. An update and feedback are about a buy that nobody has changed, and what is
 * called off is a buy that no seller has made yet.
 */
async function requestOf(task: Change, key: string, token = stage.at.token): Promise<JsonObject> {
  const isAboutBuy = task === 'update_media_buy' || task === 'provide_performance_feedback';
  const buy = isAboutBuy || task === 'report_usage' ? await stage.freshBuy(token) : {};
  const work = task === 'cancel_task' ? await openTask(token) : {};
  const world: World = { ...stage.world, ...buy, ...work };
  const full = requests[task]?.['3.1'](world) ?? {};
  const session = task === 'provide_performance_feedback' ? { context_id: 'a session' } : {};
  return { ...versioned('3.1', 'adcp', full), ...session, idempotency_key: key };
}

async function openTask(token: string): Promise<Pick<World, 'taskId'>> {
  const args = await requestOf('create_media_buy', randomUUID(), token);
  stage.says('create_media_buy', { status: 'submitted', task_id: `task-${randomUUID()}` });
  const { task_id: taskId } = await send('rest', 'create_media_buy', args, token);
  stage.says('create_media_buy');
  stage.received('create_media_buy');
  if (typeof taskId !== 'string') throw new Error('No buy is under way.');
  return { taskId };
}

/** What sellers say to every tool of a change from now on. */
function sellersSay(task: Change, answer?: Parameters<Stage['says']>[1]): void {
  for (const tool of task === 'cancel_task' ? ['tasks/cancel', 'cancel_task'] : [task])
    stage.says(tool, answer);
}

const send = (endpoint: CoveredEndpoint, task: Change, args: JsonObject, token = stage.at.token) =>
  callAtEndpoint(endpoint, { ...stage.at, token }, task, args);

/** What the envelope does not make anew for each answer. */
function payloadOf({ replayed: _anew, context: _echo, ext, ...payload }: JsonObject): string {
  const { switchyard: _rows, ...kept } = isJsonObject(ext) ? ext : {};
  return JSON.stringify({ ...payload, ext: kept });
}

const errorsOf = (answer: JsonObject): readonly JsonObject[] =>
  Array.isArray(answer['errors']) ? answer['errors'].filter(isJsonObject) : [];
const codesOf = (answer: JsonObject) => errorsOf(answer).map(({ code }) => code);

async function counted(): Promise<Readonly<Record<string, unknown>>> {
  const columns = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  const [row] = await stage.sql(`select ${columns.join(', ')}`);
  return row ?? {};
}

/** In the gate each task at one endpoint, all of them in turn. */
const cells = changes.flatMap((task) =>
  sampled(coveredEndpoints, task, coveredEndpoints.length).map((endpoint) => [task, endpoint] as const),
);

describe('an idempotency key', () => {
  it('is required for every task that changes something', () => {
    const all = tasks.filter(({ kind }) => kind === 'mutation').map(({ name }) => name);
    expect(all.toSorted()).toEqual([...changes].toSorted());
  });
});

describe('a key that is used again', () => {
  it.each(cells)(
    'for the same %s at the %s endpoint returns the same answer, marked, and does nothing',
    async (task, endpoint) => {
      const args = await requestOf(task, randomUUID());
      const first = await send(endpoint, task, args);
      expect([codesOf(first), first['replayed'] ?? false]).toEqual([[], false]);
      expect(stage.received(task).length > 0).toBe(task !== 'sync_accounts');
      const before = await counted();
      const again = await send(endpoint, task, { ...args, context: { trace: 'another turn' } });
      expect([again['replayed'], again['context']]).toEqual([true, { trace: 'another turn' }]);
      expect(payloadOf(again)).toBe(payloadOf(first));
      expect(again['context_id']).toBe(args['context_id']);
      for (const elsewhere of coveredEndpoints)
        expect((await send(elsewhere, task, args))['replayed']).toBe(true);
      expect(stage.received(task)).toEqual([]);
      expect(await counted()).toEqual(before);
    },
  );

  it.each(cells)(
    'for another %s at the %s endpoint is a conflict that reveals nothing of the first',
    async (task, endpoint) => {
      const args = await requestOf(task, randomUUID());
      await send(endpoint, task, args);
      stage.received(task);
      const before = await counted();
      const refused = await send(endpoint, task, { ...args, ext: { changed: true } });
      expect(errorsOf(refused)).toEqual([
        { code: 'IDEMPOTENCY_CONFLICT', message: expect.any(String), recovery: 'correctable' },
      ]);
      expect(stage.received(task)).toEqual([]);
      expect(await counted()).toEqual(before);
      expect((await send(endpoint, task, args))['replayed']).toBe(true);
    },
  );

  it.each(cells.filter(([task]) => (lasting as readonly Change[]).includes(task)))(
    'for a %s at the %s endpoint that is in progress at its sellers names the same task, and calls no seller twice',
    async (task, endpoint) => {
      const requested = await requestOf(task, randomUUID());
      stage.says(task, underWay(requested));
      const push = { url: `${stage.at.url}/healthz`, operation_id: randomUUID() };
      const args = { ...requested, push_notification_config: push };
      const first = await send(endpoint, task, args);
      expect([codesOf(first), first['status']]).toEqual([[], 'submitted']);
      stage.received(task);
      const before = await counted();
      const again = await send(endpoint, task, args);
      expect([again['replayed'], again['task_id']]).toEqual([true, first['task_id']]);
      expect(stage.received(task)).toEqual([]);
      expect(await counted()).toEqual(before);
      stage.says(task);
    },
  );

  /** Who activates something says for how long; nobody waits for it then. */
  function underWay({ destinations }: JsonObject): JsonObject {
    const later = { is_live: false, estimated_activation_duration_minutes: 30 };
    const places = Array.isArray(destinations) ? destinations.filter(isJsonObject) : [];
    return {
      status: 'submitted',
      task_id: `task-${randomUUID()}`,
      ...(places.length === 0 ? {} : { deployments: places.map((place) => ({ ...place, ...later })) }),
    };
  }
});

describe('a key', () => {
  it.each(changes)('of another principal is another key: %s', async (task) => {
    const key = randomUUID();
    const [ours, theirs] = [await requestOf(task, key), await requestOf(task, key, other)];
    expect(codesOf(await send('mcp', task, ours))).toEqual([]);
    const another = await send('mcp', task, { ...theirs, ext: { changed: true } }, other);
    expect([codesOf(another), another['replayed'] ?? false]).toEqual([[], false]);
    expect((await send('mcp', task, ours))['replayed']).toBe(true);
  });

  it.each(['create_media_buy', 'sync_creatives', 'activate_signal'] as const)(
    'of another account is another key: %s',
    async (task) => {
      const args = await requestOf(task, randomUUID());
      const brand = { domain: 'second.example' };
      const second = {
        ...args,
        account: { brand, operator: 'agency.example' },
        ...('brand' in args ? { brand } : {}),
      };
      expect(codesOf(await send('a2a', task, args))).toEqual([]);
      const another = await send('a2a', task, second);
      expect([codesOf(another), another['replayed'] ?? false]).toEqual([[], false]);
      for (const item of [args, second]) expect((await send('a2a', task, item))['replayed']).toBe(true);
    },
  );

  it.each(changes)('expires after a day, with a minute for clock differences: %s', async (task) => {
    const args = await requestOf(task, randomUUID());
    await send('rest', task, args);
    const age = (seconds: number) =>
      stage.sql(
        `update operation set created_at = created_at - make_interval(secs => $2) where idempotency_key like '%:' || $1`,
        [args['idempotency_key'], seconds],
      );
    await age(86_400 + 30);
    expect((await send('rest', task, args))['replayed']).toBe(true);
    await age(60);
    stage.received(task);
    for (const endpoint of coveredEndpoints) {
      const refused = await send(endpoint, task, args);
      expect(errorsOf(refused)).toMatchObject([{ code: 'IDEMPOTENCY_EXPIRED', recovery: 'correctable' }]);
    }
    expect(stage.received(task)).toEqual([]);
  });

  it.each(atSellers)('of a %s that every seller refused is free for a corrected request', async (task) => {
    const args = await requestOf(task, randomUUID());
    sellersSay(task, { errors: [{ code: 'POLICY_VIOLATION', message: 'No.', recovery: 'correctable' }] });
    const refused = await send('rest', task, args);
    expect(codesOf(refused)).toContain('POLICY_VIOLATION');
    sellersSay(task);
    const mended = await send('rest', task, { ...args, ext: { mended: true } });
    expect([codesOf(mended), mended['replayed'] ?? false]).toEqual([[], false]);
  });

  it.each(['sync_accounts', 'cancel_task'] as const)(
    'of a %s whose process died before the answer is answered in the end, once',
    async (task) => {
      const args = await requestOf(task, randomUUID());
      const first = await send('rest', task, args);
      await stage.sql(
        `update operation set answer = null, created_at = created_at - interval '5 minutes'
         where idempotency_key like '%:' || $1`,
        [args['idempotency_key']],
      );
      stage.received(task);
      const again = await send('rest', task, args);
      expect([codesOf(again), again['replayed'], again['status']]).toEqual([[], true, first['status']]);
      expect(payloadOf(await send('rest', task, args))).toBe(payloadOf(again));
      expect(stage.received(task)).toEqual([]);
    },
  );

  it('of a canceled task that is used for another task is a conflict, and the other continues', async () => {
    const args = await requestOf('cancel_task', randomUUID());
    const { task_id: another } = await requestOf('cancel_task', randomUUID());
    await send('rest', 'cancel_task', args);
    const refused = await send('rest', 'cancel_task', { ...args, task_id: another ?? null });
    expect(codesOf(refused)).toEqual(['IDEMPOTENCY_CONFLICT']);
    const [row] = await stage.sql('select status from operation where task_id = $1', [another]);
    expect(row?.['status']).toBe('submitted');
  });

  it('may be omitted for a cancellation: a canceled task stays canceled after every repetition', async () => {
    const { idempotency_key: _none, ...args } = await requestOf('cancel_task', randomUUID());
    for (const endpoint of coveredEndpoints) {
      const received = await send(endpoint, 'cancel_task', args);
      expect([codesOf(received), received['status'], received['replayed'] ?? false]).toEqual([
        [],
        'canceled',
        false,
      ]);
    }
  });

  it.each(changes)('of a %s that was refused here is also free', async (task) => {
    const args = await requestOf(task, randomUUID());
    const wrong = { ...args, ads_major_version: 9 };
    const withSecret = { ...args, ext: { api_key: 'not-a-real-one' } };
    expect(codesOf(await send('mcp', task, wrong))).toEqual(['VERSION_UNSUPPORTED']);
    expect(codesOf(await send('mcp', task, withSecret))).toEqual(['CREDENTIAL_IN_ARGS']);
    const mended = await send('mcp', task, args);
    expect([codesOf(mended), mended['replayed'] ?? false]).toEqual([[], false]);
  });

  it.each(changes)('that is guessable or missing is refused with %s', async (task) => {
    const args = await requestOf(task, randomUUID());
    const { idempotency_key: _none, ...without } = args;
    const bad = [
      // What is called off stays so: there a key may be left out.
      ...(task === 'cancel_task' ? [] : [without]),
      ...['short', 'x'.repeat(256), 'sixteen and blanks', '0000000000000000'].map((key) => ({
        ...args,
        idempotency_key: key,
      })),
    ];
    for (const endpoint of coveredEndpoints)
      for (const item of bad) {
        const [error, more] = errorsOf(await send(endpoint, task, item));
        expect([error?.['code'], error?.['field'], more]).toEqual([
          'INVALID_REQUEST',
          'idempotency_key',
          undefined,
        ]);
      }
  });
});

const sentLegs = `select 1 from leg where operation_id = o.id and status = 'sent'`;

describe('a key whose first request is in progress', () => {
  it('is refused as in progress at every endpoint, for every change, and sellers are called once', async () => {
    const requested: { readonly task: Change; readonly args: JsonObject }[] = [];
    for (const task of atSellers) requested.push({ task, args: await requestOf(task, randomUUID()) });
    for (const { task } of requested) sellersSay(task, 'never');
    const firsts: Promise<JsonObject>[] = [];
    // One after another: each first request is only under way until its own deadline.
    for (const { task, args } of requested) {
      firsts.push(send('rest', task, args));
      const isTaken = task === 'cancel_task' ? 'true' : `exists (${sentLegs})`;
      for (let isSent = false; !isSent;) {
        const [row] = await stage.sql(
          `select count(*)::int as n from operation o where idempotency_key like '%:' || $1 and ${isTaken}`,
          [args['idempotency_key']],
        );
        isSent = Number(row?.['n']) > 0;
      }
      const received = await Promise.all(
        coveredEndpoints.map(async (endpoint) => {
          const [error] = errorsOf(await send(endpoint, task, args));
          const wait = Number(error?.['retry_after']);
          return [task, endpoint, error?.['code'], error?.['recovery'], wait >= 1 && wait <= 120];
        }),
      );
      expect(received).toEqual(
        coveredEndpoints.map((endpoint) => [task, endpoint, 'IDEMPOTENCY_IN_FLIGHT', 'transient', true]),
      );
    }
    for (const { task } of requested) sellersSay(task);
    await Promise.allSettled(firsts);
  });
});
