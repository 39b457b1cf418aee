import { describe, expect, it } from '@jest/globals';
import { dialects } from '@switchyard/protocol';
import { verifyLegacyWebhook } from '@switchyard/signing';
import { openStore, operationStore, outboxStore } from '@switchyard/store';
import { createOrganization, createPrincipal, makeOperation } from '@switchyard/testing';
import { Secret } from '@switchyard/values';
import { headerOf, openReceiver, registrationOf } from '../testkit/outbox.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

const stage = useOutboxStage();

const to = (path = '/hook') => ({ url: `${stage.receiver.url}${path}` });
const send = (): Promise<void> => stage.spec.send(stage.dispatch);
/** A completed operation, whose buyer waits for a webhook. */
async function completed() {
  const draft = await stage.spec.order([to()]);
  await stage.spec.become(draft, 'completed');
  return draft;
}
const statuses = (): unknown[] => stage.receiver.posts.map((post) => post.json['status']);
const nonceOf = (index: number): string | undefined =>
  /nonce="([^"]+)"/.exec(headerOf(stage.receiver.posts[index], 'signature-input') ?? '')?.[1];

describe('a task webhook', () => {
  it("is sent once for a change after the first answer, signed, with the buyer's values", async () => {
    const draft = await stage.spec.order([to('/hooks/another-id?key=1')]);
    await send();
    expect(stage.receiver.posts).toHaveLength(0);
    await stage.spec.become(draft, 'working');
    await send();
    await send();
    const [post] = stage.receiver.posts;
    expect(post?.json).toMatchObject({
      status: 'working',
      operation_id: 'buyers.own:1',
      task_id: draft.operation.taskId,
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      context: { campaign: 'spring' },
      result: { percentage: 0, total_steps: 2 },
    });
    expect(stage.receiver.posts).toHaveLength(1);
    expect(post === undefined ? '' : await stage.spec.verify(post, stage.receiver)).toBe('verified');
  });

  it('is retried with the same bytes, the same key and a new nonce until the receiver accepts it', async () => {
    stage.receiver.answer = () => ({ status: stage.receiver.posts.length <= 3 ? 503 : 200 });
    await completed();
    const verdicts: string[] = [];
    const startedAt = stage.spec.clock.now();
    while (stage.receiver.posts.length < 4 && stage.spec.clock.now() < startedAt + 90_000) {
      await send();
      const fresh = stage.receiver.posts.slice(verdicts.length);
      for (const post of fresh) verdicts.push(await stage.spec.verify(post, stage.receiver));
      stage.spec.clock.advance(500);
    }
    expect(verdicts).toEqual(['verified', 'verified', 'verified', 'verified']);
    expect(new Set(stage.receiver.posts.map((post) => post.body.toString('hex'))).size).toBe(1);
    expect(new Set(stage.receiver.posts.map((post) => post.json['idempotency_key'])).size).toBe(1);
    expect(new Set([0, 1, 2, 3].map(nonceOf)).size).toBe(4);
    stage.spec.clock.advance(86_400_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(4);
  });

  it('is sent on every registered channel, each with its own envelope and key', async () => {
    const draft = await stage.spec.order([
      to('/mcp'),
      { ...to('/a2a'), envelope: 'a2a-1.0', contextId: 'conversation' },
    ]);
    await stage.spec.become(draft, 'completed');
    await stage.spec.send(stage.dispatch);
    const byPath = new Map(stage.receiver.posts.map((post) => [post.path, post.json]));
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

  it('is not sent for a status that goes back, nor after an end', async () => {
    const draft = await stage.spec.order([to()]);
    for (const status of ['working', 'submitted', 'completed', 'failed'] as const) {
      await stage.spec.become(draft, status);
      await send();
    }
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it.each(['completed', 'failed', 'rejected'] as const)(
    'is not sent if the first answer was %s',
    async (end) => {
      const draft = await stage.spec.order([to()], { answered: end });
      await stage.spec.become(draft, 'completed');
      await stage.spec.send(stage.dispatch);
      expect(stage.receiver.posts).toHaveLength(0);
    },
  );

  it('is sent for a change during the first answer', async () => {
    const draft = await stage.spec.order([to()], { answered: undefined });
    await stage.spec.become(draft, 'completed');
    await send();
    expect(stage.receiver.posts).toHaveLength(0);
    await stage.spec.operations.saveAnswer(
      stage.spec.scope,
      draft.operation.id,
      { status: 'submitted' },
      stage.spec.clock.now(),
    );
    await send();
    expect(statuses()).toEqual(['completed']);
  });

  it('is written in the transaction of the change', async () => {
    const draft = await stage.spec.order([to()]);
    const breaking = operationStore(stage.spec.store, {
      announce: () => {
        throw new Error('It cannot be worded.');
      },
    });
    await expect(
      breaking.change(stage.spec.scope, draft.legs[0]?.id ?? '', (state) => ({
        ...state,
        operation: { ...state.operation, status: 'completed', updatedAt: stage.spec.clock.now() },
      })),
    ).rejects.toThrow('It cannot be worded.');
    const state = await stage.spec.operations.state(stage.spec.scope, draft.operation.id);
    expect(state?.operation.status).toBe('submitted');
  });

  it('has the sealed token, which is in no table', async () => {
    const token = 'a-token-that-nobody-else-may-read';
    const credentialId = await stage.spec.callbacks.seal(stage.spec.scope, { token }, stage.receiver.url);
    const draft = await stage.spec.order([
      { ...to('/mcp'), ...(credentialId === undefined ? {} : { credentialId }) },
      { ...to('/a2a'), envelope: 'a2a-0.3', ...(credentialId === undefined ? {} : { credentialId }) },
    ]);
    await stage.spec.become(draft, 'completed');
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts.find((post) => post.path === '/mcp')?.json['token']).toBe(token);
    const native = stage.receiver.posts.find((post) => post.path === '/a2a');
    expect(headerOf(native, 'x-a2a-notification-token')).toBe(token);
    const { rows } = await stage.spec.store.inTenant(stage.spec.scope, (client) =>
      client.query("select convert_from(body, 'UTF8') as body from outbox_event"),
    );
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('has an HMAC if that was registered, and then no signature', async () => {
    const credentials = 'kq8Zr2vN5xW1mT7cY4pJ9sL3dF6hB0gA';
    const credentialId =
      (await stage.spec.callbacks.seal(stage.spec.scope, { credentials }, stage.receiver.url)) ?? '';
    const draft = await stage.spec.order([{ ...to(), mode: 'hmac-sha256', credentialId }]);
    await stage.spec.become(draft, 'completed');
    await stage.spec.send(stage.dispatch);
    const [post] = stage.receiver.posts;
    if (post === undefined) throw new Error('Nothing came.');
    const { adcp } = dialects;
    const verdict = verifyLegacyWebhook(
      { method: 'POST', url: stage.receiver.url, headers: post.headers, body: post.body },
      { mode: 'hmac-sha256', secret: new Secret(Buffer.from(credentials)) },
      {
        names: { signature: adcp.legacySignatureHeader, timestamp: adcp.legacyTimestampHeader },
        at: stage.spec.clock.now(),
      },
    );
    expect(verdict.ok).toBe(true);
    expect(headerOf(post, 'signature')).toBeUndefined();
  });
});

describe('delivery', () => {
  it.each([301, 400, 413, 415])('ends at %i', async (status) => {
    stage.receiver.answer = () => ({ status, headers: { location: `${stage.receiver.url}/elsewhere` } });
    await completed();
    await send();
    stage.spec.clock.advance(86_000_000);
    await send();
    expect(stage.receiver.posts.map((post) => post.path)).toEqual(['/hook']);
  });

  it.each([403, 404, 410])('outlasts a receiver that answers %i for half an hour', async (status) => {
    const startedAt = stage.spec.clock.now();
    stage.receiver.answer = () => ({
      status: stage.spec.clock.now() < startedAt + 1_800_000 ? status : 200,
    });
    await completed();
    for (let minutes = 0; minutes <= 60; minutes += 1) {
      await send();
      stage.spec.clock.advance(60_000);
    }
    expect(statuses().length).toBeGreaterThan(3);
    const before = statuses().length;
    stage.spec.clock.advance(14_400_000);
    await send();
    expect(statuses()).toHaveLength(before);
  });

  it.each([403, 404, 410])('ends after an hour of %i, whatever was answered before', async (status) => {
    const startedAt = stage.spec.clock.now();
    stage.receiver.answer = () => ({
      status: stage.spec.clock.now() < startedAt + 7_200_000 ? 503 : status,
    });
    await completed();
    let last = 0;
    for (let minutes = 0; minutes <= 600; minutes += 5) {
      const before = statuses().length;
      await send();
      if (statuses().length > before) last = minutes;
      stage.spec.clock.advance(300_000);
    }
    // The first such answer comes at the attempt after two hours; the last attempt is an hour later.
    expect(last).toBeGreaterThanOrEqual(180);
    expect(last).toBeLessThan(600);
    const all = statuses().length;
    stage.spec.clock.advance(28_800_000);
    await send();
    expect(statuses()).toHaveLength(all);
  });

  it('waits as long as Retry-After says', async () => {
    stage.receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
    await completed();
    await send();
    stage.spec.clock.advance(119_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(1);
    stage.spec.clock.advance(2_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(2);
  });

  it('waits until the date that Retry-After names', async () => {
    stage.receiver.answer = () => ({
      status: 503,
      headers: { 'retry-after': new Date(stage.spec.clock.now() + 120_000).toUTCString() },
    });
    await completed();
    await send();
    stage.spec.clock.advance(117_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(1);
    stage.spec.clock.advance(5_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(2);
  });

  it('does not send events that are older than a day', async () => {
    stage.receiver.answer = () => ({ status: 503 });
    await completed();
    await send();
    stage.spec.clock.advance(86_400_000);
    await send();
    expect(stage.receiver.posts).toHaveLength(1);
  });

  it('pauses for an endpoint that is down, and drops nothing', async () => {
    stage.receiver.answer = () => ({ status: 500 });
    for (let round = 0; round < 8; round += 1)
      await stage.spec.become(await stage.spec.order([to()]), 'completed');
    await send();
    const before = stage.receiver.posts.length;
    stage.spec.clock.advance(2_000);
    await send();
    stage.spec.clock.advance(5_000);
    await send();
    expect(stage.receiver.posts.length).toBe(before);
    stage.receiver.answer = () => ({ status: 200 });
    const delivered = new Set<unknown>();
    for (let round = 0; round < 200 && delivered.size < 8; round += 1) {
      const seen = stage.receiver.posts.length;
      stage.spec.clock.advance(5_000);
      await send();
      for (const post of stage.receiver.posts.slice(seen)) delivered.add(post.json['idempotency_key']);
    }
    expect(delivered.size).toBe(8);
  });

  it('claims no more events than it can send, with any query plan', async () => {
    for (let turn = 0; turn < 20; turn += 1)
      await stage.spec.become(await stage.spec.order([{ url: `${stage.receiver.url}/${turn}` }]), 'working');
    const looping = ['hashjoin', 'mergejoin', 'material'].map((way) => `-c enable_${way}=off`).join(' ');
    const url = new URL(stage.spec.appUrl);
    url.searchParams.set('options', looping);
    const store = openStore(url.href);
    try {
      const now = stage.spec.clock.now();
      expect(await outboxStore(store).claim(stage.spec.scope, now, now + 30_000, 6)).toHaveLength(6);
    } finally {
      await store.close();
    }
    stage.spec.clock.advance(30_000);
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(20);
  });

  it('continues for one tenant while every receiver of another one hangs', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hangs = await openReceiver();
    hangs.answer = () => held.then(() => ({ status: 200 }));
    for (let turn = 0; turn < 70; turn += 1)
      await stage.spec.become(await stage.spec.order([{ url: `${hangs.url}/${turn}` }]), 'working');
    const { id: organizationId } = await createOrganization(stage.spec.store);
    const { id: principalId } = await createPrincipal(stage.spec.store, organizationId);
    const other = { organizationId };
    const made = makeOperation(other, { principalId, createdAt: stage.spec.clock.now() });
    await stage.spec.operations.begin(other, { ...made, callbacks: [registrationOf(made, to('/other'))] });
    await stage.spec.operations.saveAnswer(
      other,
      made.operation.id,
      { status: 'submitted' },
      stage.spec.clock.now(),
    );
    await stage.spec.operations.change(other, made.legs[0]?.id ?? '', (state) => ({
      ...state,
      operation: { ...state.operation, status: 'working', updatedAt: stage.spec.clock.now() },
    }));
    await stage.dispatch.round();
    await stage.dispatch.round();
    while (stage.receiver.posts.length === 0 || hangs.posts.length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    expect(stage.receiver.posts[0]?.path).toBe('/other');
    release();
    await stage.dispatch.idle();
    await send();
    expect(hangs.posts).toHaveLength(70);
    await hangs.close();
  });

  it('sends the events of one task one after another', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.receiver.answer = async () => {
      await held;
      return { status: 200 };
    };
    const draft = await stage.spec.order([to()]);
    await stage.spec.become(draft, 'working');
    await stage.spec.become(draft, 'completed');
    await stage.dispatch.round();
    await stage.dispatch.round();
    release();
    await stage.dispatch.idle();
    await send();
    expect(statuses()).toEqual(['working', 'completed']);
  });

  it('continues in the next process after a stop, with the same bytes', async () => {
    await completed();
    const first = stage.spec.dispatch();
    stage.receiver.answer = () => new Promise(() => undefined);
    await first.round();
    while (stage.receiver.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await first.stop();
    stage.receiver.answer = () => ({ status: 200 });
    const second = stage.dispatch;
    stage.spec.clock.advance(5_000);
    await stage.spec.send(second);
    expect(stage.receiver.posts).toHaveLength(2);
    expect(stage.receiver.posts[1]?.body).toEqual(stage.receiver.posts[0]?.body);
  });

  it('takes over the events of a killed process after its lease', async () => {
    await completed();
    const now = stage.spec.clock.now();
    const [held] = await stage.spec.parts.outbox.claim(stage.spec.scope, now, now + 30_000, 10);
    await send();
    expect(stage.receiver.posts).toHaveLength(0);
    stage.spec.clock.advance(30_000);
    await send();
    expect(stage.receiver.posts.map((post) => post.body)).toEqual([held?.body]);
    const { rows } = await stage.spec.store.inTenant(stage.spec.scope, (client) =>
      client.query('select status, error_message from webhook_attempt where event_id = $1 order by attempt', [
        held?.id,
      ]),
    );
    expect(rows).toEqual([
      { status: 'connection_error', error_message: 'interrupted' },
      { status: 'success', error_message: null },
    ]);
  });

  it('refuses an address that resolves to a denied one, without a connection', async () => {
    const draft = await stage.spec.order([{ url: 'https://169.254.169.254/latest' }]);
    await stage.spec.become(draft, 'completed');
    await stage.spec.send(stage.dispatch);
    const { rows } = await stage.spec.store.inTenant(stage.spec.scope, (client) =>
      client.query('select state, attempts, reason from outbox_event where operation_id = $1', [
        draft.operation.id,
      ]),
    );
    expect(rows).toEqual([{ state: 'refused', attempts: 1, reason: 'blocked address' }]);
  });
});

describe('webhook activity', () => {
  it('shows an attempt in progress as pending, and the same record once it has ended', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    stage.receiver.answer = async () => {
      await held;
      return { status: 200 };
    };
    const draft = await completed();
    await stage.dispatch.round();
    while (stage.receiver.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const activity = () =>
      stage.spec.parts.outbox.activity(stage.spec.scope, {
        mediaBuyIds: [draft.buy?.id ?? ''],
        limit: 50,
        withTasks: true,
        principalId: stage.spec.principalId,
      });
    const [open, ...others] = await activity();
    expect(others).toEqual([]);
    expect(open).toMatchObject({ attempt: 1, status: 'pending' });
    expect(open).not.toHaveProperty('httpStatus');
    expect(open).not.toHaveProperty('completedAt');
    release();
    await stage.dispatch.idle();
    expect(await activity()).toMatchObject([{ attempt: 1, status: 'success', httpStatus: 200 }]);
  });

  it("has one record per attempt, newest first, only of the caller, without the URL's query", async () => {
    stage.receiver.answer = () => ({ status: stage.receiver.posts.length === 1 ? 503 : 200 });
    const draft = await stage.spec.order([to('/hook?key=secret')]);
    await stage.spec.become(draft, 'completed');
    await send();
    stage.spec.clock.advance(2_000);
    await send();
    const request = { mediaBuyIds: [draft.buy?.id ?? ''], limit: 50, withTasks: true };
    const seen = await stage.spec.parts.outbox.activity(stage.spec.scope, {
      ...request,
      principalId: stage.spec.principalId,
    });
    expect(seen).toMatchObject([
      { attempt: 2, status: 'success', httpStatus: 200, url: `${stage.receiver.url}/hook` },
      { attempt: 1, status: 'failed', httpStatus: 503, message: 'HTTP 503' },
    ]);
    expect(new Set(seen.map((record) => record.idempotencyKey)).size).toBe(1);
    const others = { ...request, principalId: '00000000-0000-4000-8000-000000000000' };
    expect(await stage.spec.parts.outbox.activity(stage.spec.scope, others)).toEqual([]);
    const quiet = { ...request, principalId: stage.spec.principalId, withTasks: false };
    expect(await stage.spec.parts.outbox.activity(stage.spec.scope, quiet)).toEqual([]);
  });
});
