import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { verifyLegacyWebhook } from '@switchyard/signing';
import { openStore, operationStore, outboxStore } from '@switchyard/store';
import { createOrganization, createPrincipal, makeOperation } from '@switchyard/testing';
import { Secret } from '@switchyard/values';
import {
  headerOf,
  openOutboxSpec,
  openReceiver,
  registrationOf,
  type OutboxSpec,
  type Receiver,
} from './spec-outbox.js';

let spec: OutboxSpec;
let receiver: Receiver;
const idle = { stop: () => Promise.resolve() };
let dispatch: ReturnType<OutboxSpec['dispatch']> | typeof idle = idle;

beforeAll(async () => {
  spec = await openOutboxSpec();
});
afterAll(() => spec.close());
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(async () => {
  await dispatch.stop();
  await receiver.close();
});

const to = (path = '/hook') => ({ url: `${receiver.url}${path}` });
const statuses = (): unknown[] => receiver.posts.map((post) => post.json['status']);
const nonceOf = (index: number): string | undefined =>
  /nonce="([^"]+)"/.exec(headerOf(receiver.posts[index], 'signature-input') ?? '')?.[1];

function start(): ReturnType<OutboxSpec['dispatch']> {
  const started = spec.dispatch();
  dispatch = started;
  return started;
}

describe('a task webhook', () => {
  it('goes out once for a change after the first answer, signed, with what the buyer gave', async () => {
    const draft = await spec.order([to('/hooks/another-id?key=1')]);
    const sender = start();
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(0);
    await spec.become(draft, 'working');
    await spec.send(sender);
    await spec.send(sender);
    const [post] = receiver.posts;
    expect(post?.json).toMatchObject({
      status: 'working',
      operation_id: 'buyers.own:1',
      task_id: draft.operation.taskId,
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      context: { campaign: 'spring' },
      result: { percentage: 0, total_steps: 2 },
    });
    expect(receiver.posts).toHaveLength(1);
    expect(post === undefined ? '' : await spec.verify(post, receiver)).toBe('verified');
  });

  it('is sent again with the same bytes, the same key and a new nonce until the receiver takes it', async () => {
    receiver.answer = () => ({ status: receiver.posts.length <= 3 ? 503 : 200 });
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    const verdicts: string[] = [];
    const startedAt = spec.clock.now();
    while (receiver.posts.length < 4 && spec.clock.now() < startedAt + 90_000) {
      await spec.send(sender);
      const fresh = receiver.posts.slice(verdicts.length);
      for (const post of fresh) verdicts.push(await spec.verify(post, receiver));
      spec.clock.advance(500);
    }
    expect(verdicts).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(new Set(receiver.posts.map((post) => post.body.toString('hex'))).size).toBe(1);
    expect(new Set(receiver.posts.map((post) => post.json['idempotency_key'])).size).toBe(1);
    expect(new Set([0, 1, 2, 3].map(nonceOf)).size).toBe(4);
    spec.clock.advance(86_400_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(4);
  });

  it('tells every channel that was registered, each in its own envelope and under its own key', async () => {
    const draft = await spec.order([
      to('/mcp'),
      { ...to('/a2a'), envelope: 'a2a-1.0', contextId: 'conversation' },
    ]);
    await spec.become(draft, 'completed');
    await spec.send(start());
    const byPath = new Map(receiver.posts.map((post) => [post.path, post.json]));
    expect(byPath.get('/mcp')).toMatchObject({ status: 'completed', task_id: draft.operation.taskId });
    expect(byPath.get('/a2a')).toMatchObject({
      id: draft.operation.taskId,
      contextId: 'conversation',
      status: { state: 'TASK_STATE_COMPLETED' },
      metadata: { operation_id: 'buyers.own:1' },
    });
    const [mcp, a2a] = ['/mcp', '/a2a'].map((path) => JSON.stringify(byPath.get(path)));
    const key = /"idempotency_key":"([^"]+)"/.exec(mcp ?? '')?.[1] ?? 'none';
    expect(a2a).not.toContain(key);
  });

  it('follows no step backwards, and nothing after an end', async () => {
    const draft = await spec.order([to()]);
    const sender = start();
    for (const status of ['working', 'submitted', 'completed', 'failed'] as const) {
      await spec.become(draft, status);
      await spec.send(sender);
    }
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it.each(['completed', 'failed', 'rejected'] as const)(
    'is owed by nobody whose first answer was %s',
    async (end) => {
      const draft = await spec.order([to()], { answered: end });
      await spec.become(draft, 'completed');
      await spec.send(start());
      expect(receiver.posts).toHaveLength(0);
    },
  );

  it('is owed for what changed while the first answer was on its way', async () => {
    const draft = await spec.order([to()], { answered: undefined });
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(0);
    await spec.operations.saveAnswer(
      spec.scope,
      draft.operation.id,
      { status: 'submitted' },
      spec.clock.now(),
    );
    await spec.send(sender);
    expect(statuses()).toEqual(['completed']);
  });

  it('is written together with the change, or neither is', async () => {
    const draft = await spec.order([to()]);
    const breaking = operationStore(spec.store, {
      announce: () => {
        throw new Error('It cannot be worded.');
      },
    });
    await expect(
      breaking.change(spec.scope, draft.legs[0]?.id ?? '', (state) => ({
        ...state,
        operation: { ...state.operation, status: 'completed', updatedAt: spec.clock.now() },
      })),
    ).rejects.toThrow('It cannot be worded.');
    const state = await spec.operations.state(spec.scope, draft.operation.id);
    expect(state?.operation.status).toBe('submitted');
  });

  it('carries the sealed token, which lies in no table', async () => {
    const token = 'a-token-that-nobody-else-may-read';
    const credentialId = await spec.callbacks.seal(spec.scope, { token });
    const draft = await spec.order([
      { ...to('/mcp'), ...(credentialId === undefined ? {} : { credentialId }) },
      { ...to('/a2a'), envelope: 'a2a-0.3', ...(credentialId === undefined ? {} : { credentialId }) },
    ]);
    await spec.become(draft, 'completed');
    await spec.send(start());
    expect(receiver.posts.find((post) => post.path === '/mcp')?.json['token']).toBe(token);
    const native = receiver.posts.find((post) => post.path === '/a2a');
    expect(headerOf(native, 'x-a2a-notification-token')).toBe(token);
    const { rows } = await spec.store.inTenant(spec.scope, (client) =>
      client.query("select convert_from(body, 'UTF8') as body from outbox_event"),
    );
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('is proved by HMAC where that was registered, and is signed by nobody then', async () => {
    const credentials = 'kq8Zr2vN5xW1mT7cY4pJ9sL3dF6hB0gA';
    const credentialId = (await spec.callbacks.seal(spec.scope, { credentials })) ?? '';
    const draft = await spec.order([{ ...to(), mode: 'hmac-sha256', credentialId }]);
    await spec.become(draft, 'completed');
    await spec.send(start());
    const [post] = receiver.posts;
    if (post === undefined) throw new Error('Nothing came.');
    const { adcp } = dialects;
    const verdict = verifyLegacyWebhook(
      { method: 'POST', url: receiver.url, headers: post.headers, body: post.body },
      { mode: 'hmac-sha256', secret: new Secret(Buffer.from(credentials)) },
      { signature: adcp.legacySignatureHeader, timestamp: adcp.legacyTimestampHeader },
      spec.clock.now(),
    );
    expect(verdict.ok).toBe(true);
    expect(headerOf(post, 'signature')).toBeUndefined();
  });
});

describe('delivery', () => {
  it.each([301, 400, 404, 410, 413, 415])('ends at %i', async (status) => {
    receiver.answer = () => ({ status, headers: { location: `${receiver.url}/elsewhere` } });
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    spec.clock.advance(86_000_000);
    await spec.send(sender);
    expect(receiver.posts.map((post) => post.path)).toEqual(['/hook']);
  });

  it('waits as long as Retry-After says', async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    spec.clock.advance(119_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(1);
    spec.clock.advance(2_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(2);
  });

  it('waits until the date that Retry-After names', async () => {
    receiver.answer = () => ({
      status: 503,
      headers: { 'retry-after': new Date(spec.clock.now() + 120_000).toUTCString() },
    });
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    spec.clock.advance(117_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(1);
    spec.clock.advance(5_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(2);
  });

  it('tries nothing that is older than a day', async () => {
    receiver.answer = () => ({ status: 503 });
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    spec.clock.advance(86_400_000);
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(1);
  });

  it('parks for an endpoint that is down, and drops nothing', async () => {
    receiver.answer = () => ({ status: 500 });
    const sender = start();
    for (let round = 0; round < 8; round += 1) await spec.become(await spec.order([to()]), 'completed');
    await spec.send(sender);
    const before = receiver.posts.length;
    spec.clock.advance(2_000);
    await spec.send(sender);
    spec.clock.advance(5_000);
    await spec.send(sender);
    expect(receiver.posts.length).toBe(before);
    receiver.answer = () => ({ status: 200 });
    const delivered = new Set<unknown>();
    for (let round = 0; round < 200 && delivered.size < 8; round += 1) {
      const seen = receiver.posts.length;
      spec.clock.advance(5_000);
      await spec.send(sender);
      for (const post of receiver.posts.slice(seen)) delivered.add(post.json['idempotency_key']);
    }
    expect(delivered.size).toBe(8);
  });

  it('takes no more at once than it has places for, whichever way the database goes about it', async () => {
    for (let turn = 0; turn < 20; turn += 1)
      await spec.become(await spec.order([{ url: `${receiver.url}/${turn}` }]), 'working');
    const looping = ['hashjoin', 'mergejoin', 'material'].map((way) => `-c enable_${way}=off`).join(' ');
    const url = new URL(spec.appUrl);
    url.searchParams.set('options', looping);
    const store = openStore(url.href);
    try {
      const now = spec.clock.now();
      expect(await outboxStore(store).claim(spec.scope, now, now + 30_000, 6)).toHaveLength(6);
    } finally {
      await store.close();
    }
    spec.clock.advance(30_000);
    await spec.send(start());
    expect(receiver.posts).toHaveLength(20);
  });

  it('goes on for one tenant while every receiver of another one hangs', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hangs = await openReceiver();
    hangs.answer = () => held.then(() => ({ status: 200 }));
    for (let turn = 0; turn < 70; turn += 1)
      await spec.become(await spec.order([{ url: `${hangs.url}/${turn}` }]), 'working');
    const { id: organizationId } = await createOrganization(spec.store);
    const { id: principalId } = await createPrincipal(spec.store, organizationId);
    const other = { organizationId };
    const made = makeOperation(other, { principalId, createdAt: spec.clock.now() });
    await spec.operations.begin(other, { ...made, callbacks: [registrationOf(made, to('/other'))] });
    await spec.operations.saveAnswer(other, made.operation.id, { status: 'submitted' }, spec.clock.now());
    await spec.operations.change(other, made.legs[0]?.id ?? '', (state) => ({
      ...state,
      operation: { ...state.operation, status: 'working', updatedAt: spec.clock.now() },
    }));
    const sender = start();
    await sender.round();
    await sender.round();
    while (receiver.posts.length === 0 || hangs.posts.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(receiver.posts[0]?.path).toBe('/other');
    release();
    await sender.idle();
    await spec.send(sender);
    expect(hangs.posts).toHaveLength(70);
    await hangs.close();
  });

  it('sends the events of one task one after another', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer = async () => {
      await held;
      return { status: 200 };
    };
    const draft = await spec.order([to()]);
    await spec.become(draft, 'working');
    await spec.become(draft, 'completed');
    const sender = start();
    await sender.round();
    await sender.round();
    release();
    await sender.idle();
    await spec.send(sender);
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it('goes on in the next process where one was cut off, with the same bytes', async () => {
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const first = spec.dispatch();
    receiver.answer = () => new Promise(() => undefined);
    await first.round();
    while (receiver.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.stop();
    receiver.answer = () => ({ status: 200 });
    const second = start();
    spec.clock.advance(5_000);
    await spec.send(second);
    expect(receiver.posts).toHaveLength(2);
    expect(receiver.posts[1]?.body).toEqual(receiver.posts[0]?.body);
  });

  it('takes over what a killed process held once its lease is over', async () => {
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const now = spec.clock.now();
    const [held] = await spec.parts.outbox.claim(spec.scope, now, now + 30_000, 10);
    const sender = start();
    await spec.send(sender);
    expect(receiver.posts).toHaveLength(0);
    spec.clock.advance(30_000);
    await spec.send(sender);
    expect(receiver.posts.map((post) => post.body)).toEqual([held?.body]);
    const { rows } = await spec.store.inTenant(spec.scope, (client) =>
      client.query('select status, error_message from webhook_attempt where event_id = $1 order by attempt', [
        held?.id,
      ]),
    );
    expect(rows).toEqual([
      { status: 'connection_error', error_message: 'interrupted' },
      { status: 'success', error_message: null },
    ]);
  });

  it('refuses an address that turned out to be a denied one, without a connection', async () => {
    const draft = await spec.order([{ url: 'https://169.254.169.254/latest' }]);
    await spec.become(draft, 'completed');
    await spec.send(start());
    const { rows } = await spec.store.inTenant(spec.scope, (client) =>
      client.query('select state, attempts, reason from outbox_event where operation_id = $1', [
        draft.operation.id,
      ]),
    );
    expect(rows).toEqual([{ state: 'refused', attempts: 1, reason: 'blocked address' }]);
  });
});

describe('webhook activity', () => {
  it('shows an attempt that is under way as pending, and the same record once it has ended', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer = async () => {
      await held;
      return { status: 200 };
    };
    const draft = await spec.order([to()]);
    await spec.become(draft, 'completed');
    const sender = start();
    await sender.round();
    while (receiver.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const activity = () =>
      spec.parts.outbox.activity(spec.scope, {
        mediaBuyIds: [draft.buy?.id ?? ''],
        limit: 50,
        withTasks: true,
        principalId: spec.principalId,
      });
    const [open, ...others] = await activity();
    expect(others).toEqual([]);
    expect(open).toMatchObject({ attempt: 1, status: 'pending' });
    expect(open).not.toHaveProperty('httpStatus');
    expect(open).not.toHaveProperty('completedAt');
    release();
    await sender.idle();
    expect(await activity()).toMatchObject([{ attempt: 1, status: 'success', httpStatus: 200 }]);
  });

  it('has one record per attempt, newest first, of the caller alone, and shows no query', async () => {
    receiver.answer = () => ({ status: receiver.posts.length === 1 ? 503 : 200 });
    const draft = await spec.order([to('/hook?key=secret')]);
    await spec.become(draft, 'completed');
    const sender = start();
    await spec.send(sender);
    spec.clock.advance(2_000);
    await spec.send(sender);
    const ask = { mediaBuyIds: [draft.buy?.id ?? ''], limit: 50, withTasks: true };
    const seen = await spec.parts.outbox.activity(spec.scope, { ...ask, principalId: spec.principalId });
    expect(seen).toMatchObject([
      { attempt: 2, status: 'success', httpStatus: 200, url: `${receiver.url}/hook` },
      { attempt: 1, status: 'failed', httpStatus: 503, message: 'HTTP 503' },
    ]);
    expect(new Set(seen.map((record) => record.idempotencyKey)).size).toBe(1);
    const others = { ...ask, principalId: '00000000-0000-4000-8000-000000000000' };
    expect(await spec.parts.outbox.activity(spec.scope, others)).toEqual([]);
    const quiet = { ...ask, principalId: spec.principalId, withTasks: false };
    expect(await spec.parts.outbox.activity(spec.scope, quiet)).toEqual([]);
  });
});
