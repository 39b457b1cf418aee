import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateSigningKey } from '@switchyard/signing';
import type { Json } from './harness/buy-request.js';
import { dataFolder } from './harness/data-folder.js';
import { runSwitchyard } from './harness/run-switchyard.js';
import { waitUntil } from './harness/wait-until.js';
import type { Addresses, RelayReply } from './relay/brand-agent.js';
import { sharedRelayStage, type Brand, type RelayStage } from './relay/relay-stage.js';
import { madeBuy, sealedBuy } from './relay/seller-answer.js';
import { postUpdate, reportUpdate, taskUpdate } from './relay/seller-webhook.js';

interface EventRow {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly idempotency_key: string;
}

let stage: RelayStage;
let brand: Brand;
let other: Brand;
let to: Addresses;

beforeAll(async () => {
  stage = await sharedRelayStage({
    paper: { protocol: 'mcp' },
    radio: { protocol: 'a2a' },
    quiet: { protocol: 'a2a', signsWebhooks: false },
  });
  brand = await stage.brand('bikes', ['paper', 'radio', 'quiet']);
  other = await stage.brand('cars', ['paper']);
  to = await stage.address('paper', brand);
  // In these tests no poll reports a task's status, and no read the delivery.
  const deaf = (): Json => ({ errors: [{ code: 'SERVICE_UNAVAILABLE', message: 'Not now.' }] });
  for (const tool of ['get_media_buys', 'get_media_buy_delivery', 'tasks_get'])
    stage.seller('paper').says(tool, deaf);
});

afterAll(() => stage.close());

/** A sealed buy that the seller accepts as a task, with the brand's callback URL in the signed body. */
async function buyAsTask(operationId: string, as: Brand = brand, more: Json = {}): Promise<RelayReply> {
  const { callback_url: url } = await stage.address('paper', as);
  const taskId = `task of ${operationId}`;
  stage.seller('paper').says('create_media_buy', () => ({ status: 'submitted', task_id: taskId }));
  const push = { push_notification_config: { url, operation_id: operationId } };
  const reply = await stage.relay(as, 'paper', 'create_media_buy', sealedBuy({ ...push, ...more }));
  expect(reply).toMatchObject({ status: 200 });
  await waitUntil('the seller’s task is known', async () =>
    (await stage.legs(reply.record))[0]?.status === 'submitted' ? true : undefined,
  );
  return reply;
}

const made = (operationId: string, mediaBuyId: string): Json =>
  taskUpdate(operationId, {
    task_id: `task of ${operationId}`,
    status: 'completed',
    result: madeBuy(mediaBuyId, { packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 1000 }] }),
  });

const eventsOf = async (keys: readonly unknown[]): Promise<readonly EventRow[]> =>
  stage.database.rows<EventRow>(
    `select id, kind, state, idempotency_key from inbox_event where idempotency_key = any ($1::text[])`,
    [keys],
  );

const post = (payload: Json, url = to.callback_url): Promise<number> =>
  postUpdate(url, stage.seller('paper').key, payload);

describe('a webhook to the address that a brand signed in its body', () => {
  it('ends the operation of the buy, once, and without a poll', async () => {
    const { record } = await buyAsTask('brand-op-1');
    const update = made('brand-op-1', 'sb_task_1');
    expect([await post(update), await post(update)]).toEqual([200, 200]);
    const [leg] = await waitUntil('the leg is over', async () => {
      const legs = await stage.legs(record);
      return legs[0]?.status === 'completed' ? legs : undefined;
    });
    expect(leg).toMatchObject({ observed_by: 'webhook', sealed: true });
    const shown = await buyOf('sb_task_1');
    expect(shown.legs).toMatchObject([{ seller_media_buy_id: 'sb_task_1', task_status: 'completed' }]);
    // Stored once; the second copy is recorded as a duplicate.
    expect(await eventsOf([update['idempotency_key']])).toMatchObject([
      { kind: 'task_status', state: 'applied' },
    ]);
    const listed = await stage.cli<readonly Json[]>('events', 'list', '--seller', 'paper');
    expect(listed.map(({ kind, state }) => `${String(kind)} ${String(state)}`)).toEqual([
      'task_status duplicate',
      'task_status applied',
    ]);
  });

  it('brings a report into the ledger, once, under the operation that the custody record names', async () => {
    const { callback_url: url } = to;
    stage.seller('paper').says('create_media_buy', (args) => madeBuy('sb_report_1', args));
    const reply = await stage.relay(
      brand,
      'paper',
      'create_media_buy',
      sealedBuy({ reporting_webhook: { url, reporting_frequency: 'daily' } }),
    );
    const [leg] = await waitUntil('the buy is in our books', async () => {
      const legs = await stage.legs(reply.record);
      return legs[0]?.status === 'completed' ? legs : undefined;
    });
    const day = new Date().toISOString().slice(0, 10);
    const first = reportUpdate({ mediaBuyId: 'sb_report_1', day, spend: 12.345678, sequence: 1 });
    // The same event again, and the same figures with another key.
    const again = { ...first, idempotency_key: `report-${randomUUID()}` };
    expect([await post(first), await post(first), await post(again)]).toEqual([200, 200, 200]);
    const entries = await waitUntil('the report is booked', async () => {
      const rows = await entriesOf(leg?.operation_id ?? '');
      const events = await eventsOf([first['idempotency_key'], again['idempotency_key']]);
      return rows.length > 0 && events.length === 2 && events.every(({ state }) => state !== 'received')
        ? rows
        : undefined;
    });
    expect(entries.map(({ spend }) => spend)).toEqual(['12345678']);
    expect(await eventsOf([first['idempotency_key']])).toMatchObject([
      { kind: 'delivery_report', state: 'applied' },
    ]);
    expect(await stage.cli('ledger', 'spend')).toMatchObject([{ seller: 'paper', spend: '12.345678' }]);
  });

  it('is in the export of the brand’s own chain with the key of its seller, and verifies offline', async () => {
    const own = ['--url', stage.instance().url, '--token', brand.token];
    const { stdout: exported } = await runSwitchyard(['custody', 'export', ...own]);
    const elsewhere = dataFolder();
    try {
      const file = join(elsewhere.path, 'chain.json');
      const verify = async (text: string) => {
        writeFileSync(file, text);
        const keys = ['--jwks', `${stage.instance().url}/.well-known/jwks.json`];
        const done = await runSwitchyard(['verify', file, '--json', '--data', elsewhere.path, ...keys]);
        const said: Json = { ...(JSON.parse(done.stdout) as Json), code: done.code };
        return said;
      };
      const { sent } = (await verify(exported))['messages'] as { sent: number };
      expect(sent).toBeGreaterThan(2);
      const messages = { sent, named: sent, signed: sent, changed: [], forged: [] };
      expect(await verify(exported)).toMatchObject({ code: 0, verdict: 'valid', messages });
      const bodies = exported
        .split('"body_base64":"')
        .slice(1)
        .map((rest) => Buffer.from(rest, 'base64'));
      expect(bodies.some((body) => body.includes('12.345678'))).toBe(true);
      const changed = exported.replace('"body_base64":"ey', '"body_base64":"eyA');
      expect(await verify(changed)).toMatchObject({ code: 1, verdict: 'invalid' });
    } finally {
      await elsewhere.remove();
    }
  });

  it('is in no export of another brand’s chain', async () => {
    const { stdout } = await runSwitchyard([
      ...['custody', 'export', '--url', stage.instance().url, '--token', other.token],
    ]);
    expect([stdout.includes('"blocks":['), stdout.includes('"messages"')]).toEqual([true, false]);
  });

  it('applies to the operation that it names, of several under one address', async () => {
    const reply = await buyAsTask('brand-op-2');
    const two = await buyAsTask('brand-op-3');
    expect(await post(made('brand-op-3', 'sb_task_3'))).toBe(200);
    await waitUntil('the second is over', async () =>
      (await stage.legs(two.record))[0]?.status === 'completed' ? true : undefined,
    );
    expect(await stage.legs(reply.record)).toMatchObject([{ status: 'submitted' }]);
  });

  it('has no effect at the address of another brand, or signed by another seller', async () => {
    const { record } = await buyAsTask('brand-op-4');
    const theirs = await stage.address('paper', other);
    expect(theirs.callback_url).not.toBe(to.callback_url);
    expect(await post(made('brand-op-4', 'sb_forged'), theirs.callback_url)).toBe(404);
    const stranger = generateSigningKey('seller-webhooks-1');
    expect(await postUpdate(to.callback_url, stranger, made('brand-op-4', 'sb_forged'))).toBe(401);
    expect(await post(made('brand-op-nobody', 'sb_forged'))).toBe(404);
    expect(await stage.legs(record)).toMatchObject([{ status: 'submitted' }]);
  });

  it('is refused if the brand requests a secret of its own, which is not stored', async () => {
    const credentials = 'a-secret-between-brand-and-seller-1';
    const authentication = { schemes: ['HMAC-SHA256'], credentials };
    const { record } = await buyAsTask('brand-op-5', brand, {
      push_notification_config: { url: to.callback_url, operation_id: 'brand-op-5', authentication },
      reporting_webhook: { url: to.callback_url, reporting_frequency: 'daily', authentication },
    });
    const [leg] = await stage.legs(record);
    const codes = leg?.findings?.map(({ code }) => code) ?? [];
    expect(codes.filter((code) => code === 'CALLBACK_NOT_BOUND')).toHaveLength(2);
    expect(await post(made('brand-op-5', 'sb_unbound'))).toBe(404);
    const texts = await stage.database.texts();
    expect(texts.filter(({ text }) => text.includes(credentials)).map(({ place }) => place)).toEqual([]);
    expect(stage.seller('paper').received.at(-1)?.body.toString()).toContain(credentials);
  });

  it('with an operation_id that two brands use ends the operation at its own address', async () => {
    const own = await buyAsTask('brand-op-shared');
    const theirs = await buyAsTask('brand-op-shared', other);
    const { callback_url: url } = await stage.address('paper', other);
    expect(await post(made('brand-op-shared', 'sb_theirs'), url)).toBe(200);
    await waitUntil('theirs is over', async () =>
      (await stage.legs(theirs.record))[0]?.status === 'completed' ? true : undefined,
    );
    expect(await stage.legs(own.record)).toMatchObject([{ status: 'submitted' }]);
  });
});

describe('a native A2A push to the address that a brand signed in its message', () => {
  const token = 'a-token-that-the-brand-has-chosen';

  /** A sealed buy over A2A that its seller accepts as a task, with the callback URL beside the message. */
  async function buyNatively(slug: string, task: string): Promise<{ record: string; url: string }> {
    const { callback_url: url } = await stage.address(slug, brand);
    stage.seller(slug).says('create_media_buy', () => ({ status: 'submitted', task_id: task }));
    stage.seller(slug).says('tasks/get', () => ({ status: 'working', task_id: task }));
    const reply = await stage.relay(brand, slug, 'create_media_buy', sealedBuy(), { push: { url, token } });
    expect(reply).toMatchObject({ status: 200 });
    await waitUntil('the task is known', async () => {
      const rows = await stage.database.rows(`select id from leg where a2a_task_id = $1`, [task]);
      return rows[0];
    });
    return { record: reply.record, url };
  }

  const ended = (task: string, mediaBuyId: string): Json => ({
    kind: 'task',
    id: task,
    contextId: 'context-1',
    status: { state: 'completed', timestamp: new Date().toISOString() },
    artifacts: [
      {
        artifactId: 'a',
        parts: [
          {
            kind: 'data',
            data: madeBuy(mediaBuyId, {
              packages: [{ product_id: 'p1', pricing_option_id: 'cpm', budget: 1000 }],
            }),
          },
        ],
      },
    ],
  });
  const withToken = (given: string) => ({ 'X-A2A-Notification-Token': given });
  const legOver = (record: string) =>
    waitUntil('the leg is over', async () => {
      const [leg] = await stage.legs(record);
      return leg?.status === 'completed' ? leg : undefined;
    });

  it('ends the buy of its task if the seller signs, and without a poll', async () => {
    const { record, url } = await buyNatively('radio', 'native-1');
    const other = await buyNatively('radio', 'native-2');
    const update = ended('native-1', 'sb_native_1');
    const { key } = stage.seller('radio');
    expect(await postUpdate(url, key, update, withToken('another-token-than-was-given'))).toBe(401);
    expect(await postUpdate(url, key, update, withToken(token))).toBe(200);
    expect(await postUpdate(url, key, update, withToken(token))).toBe(200);
    expect(await legOver(record)).toMatchObject({ observed_by: 'webhook', sealed: true });
    expect((await buyOf('sb_native_1')).legs).toMatchObject([{ seller_media_buy_id: 'sb_native_1' }]);
    expect((await stage.legs(other.record))[0]?.status).toBe('submitted');
  });

  it('triggers a poll if it has only the token: its body is not trusted', async () => {
    const { record, url } = await buyNatively('quiet', 'native-3');
    stage
      .seller('quiet')
      .says('tasks/get', () => ({ ...madeBuy('sb_true', sealedBuy()), task_id: 'native-3' }));
    const sent = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...withToken(token) },
      body: JSON.stringify(ended('native-3', 'sb_told_by_a_stranger')),
    });
    expect(sent.status).toBe(200);
    expect(await legOver(record)).toMatchObject({ observed_by: 'poll' });
    expect((await buyOf('sb_true')).legs).toMatchObject([{ seller_media_buy_id: 'sb_true' }]);
  });

  it('has its task polled to its end if the brand requests a secret of its own', async () => {
    const { callback_url: url } = await stage.address('radio', brand);
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'a-secret-between-brand-and-seller-2' };
    stage.seller('radio').says('create_media_buy', () => ({ status: 'submitted', task_id: 'legacy-1' }));
    stage
      .seller('radio')
      .says('tasks/get', ({ id }) =>
        id === 'legacy-1'
          ? { ...madeBuy('sb_polled', sealedBuy()), task_id: id }
          : { status: 'working', task_id: id },
      );
    const { record } = await stage.relay(
      brand,
      'radio',
      'create_media_buy',
      sealedBuy({ push_notification_config: { url, operation_id: 'legacy-op-1', authentication } }),
    );
    const leg = await waitUntil('the task is over', async () =>
      (await stage.legs(record)).find(({ status }) => status === 'completed'),
    );
    expect(leg).toMatchObject({ observed_by: 'poll', sealed: true });
    expect(leg.findings?.map(({ code }) => code)).toContain('CALLBACK_NOT_BOUND');
    expect((await buyOf('sb_polled')).legs).toMatchObject([{ seller_media_buy_id: 'sb_polled' }]);
  });

  it('is stored without the brand’s token, and is refused for an unknown task', async () => {
    const { callback_url: url } = await stage.address('radio', brand);
    const { key } = stage.seller('radio');
    expect(await postUpdate(url, key, ended('native-nobody', 'sb_x'), withToken(token))).toBe(404);
    const texts = await stage.database.texts();
    expect(texts.filter(({ text }) => text.includes(token)).map(({ place }) => place)).toEqual([]);
  });
});

interface Shown {
  readonly media_buy_id: string;
  readonly legs: readonly Json[];
}

/** Returns our buy for the seller's buy id. */
async function buyOf(sellerBuyId: string): Promise<Shown> {
  const [row] = await stage.database.rows<{ media_buy_id: string }>(
    `select media_buy_id from seller_buy where seller_media_buy_id = $1`,
    [sellerBuyId],
  );
  return stage.cli<Shown>('buys', 'show', row?.media_buy_id ?? 'none');
}

/** Returns the spend of each entry of one operation, in micros. */
function entriesOf(operationId: string): Promise<{ spend: string }[]> {
  return stage.database.rows<{ spend: string }>(
    `select sum(p.amount_micros)::text as spend from ledger_entry e join ledger_posting p on p.entry_id = e.id
     where e.operation_id = $1 and p.amount_micros > 0 group by e.id, e.block_number, e.position
     order by e.block_number, e.position`,
    [operationId],
  );
}
