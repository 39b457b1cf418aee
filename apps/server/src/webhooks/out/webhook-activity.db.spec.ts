import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import { impairmentWindowMs } from '@switchyard/events';
import type { Form, GetMediaBuysRequest, MediaBuyView } from '@switchyard/protocol';
import { impairments, ledgerStore } from '@switchyard/store';
import type { JsonObject } from '@switchyard/values';
import type { HandledCall } from '../../platform/tasks/call/handler.js';
import { withWebhookActivity } from '../../buys/tasks/get-media-buys.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

/** `webhook_activity` as a buyer reads it, from real attempts. */
const stage = useOutboxStage();

/** An active buy whose seller then reports this number of impairments, each sent separately. */
async function impaired(times: number): Promise<OperationDraft> {
  const draft = await stage.spec.order([{ url: `${stage.receiver.url}/hooks?key=secret#x` }], {
    answered: 'completed',
  });
  await stage.spec.operations.change(stage.spec.scope, draft.legs[0]?.id ?? '', (state) => ({
    ...state,
    operation: { ...state.operation, status: 'completed', updatedAt: stage.spec.clock.now() },
    ...(state.buy === undefined ? {} : { buy: { ...state.buy, status: 'active' } }),
    sellerBuys: state.sellerBuys.map((item) => ({ ...item, sellerMediaBuyId: `their-${item.id}` })),
  }));
  const [sellerBuy] = draft.sellerBuys;
  if (sellerBuy === undefined) throw new Error('A buy is made at somebody.');
  const repository = impairments(stage.spec.store, ledgerStore(stage.spec.store));
  for (let turn = 1; turn <= times; turn += 1) {
    const listed = Array.from({ length: turn }, (_none, index) => ({
      impairment_id: `imp-${index}`,
      resource_type: 'audience',
      resource_id: `aud-${index}`,
      package_ids: ['pk1'],
      transition: { to: 'suspended' },
      reason_code: 'consent_expired',
      observed_at: '2026-05-31T23:59:00Z',
    }));
    await repository.recordSnapshot(stage.spec.scope, sellerBuy, listed, stage.spec.clock.now());
    stage.spec.clock.advance(impairmentWindowMs);
    await stage.spec.send(stage.dispatch);
  }
  return draft;
}

/** The records of one buy as a caller reads them; undefined if the buy has no such member. */
async function read(
  draft: OperationDraft,
  request: Pick<GetMediaBuysRequest, 'includeWebhookActivity' | 'webhookActivityLimit'>,
  of: { form?: Form; principalId?: string } = {},
): Promise<readonly JsonObject[] | undefined> {
  return (await readAll([draft], request, of))[0];
}

/** The same of several buys in one answer. */
async function readAll(
  drafts: readonly OperationDraft[],
  request: Pick<GetMediaBuysRequest, 'includeWebhookActivity' | 'webhookActivityLimit'>,
  { form = '3.1', principalId = stage.spec.principalId }: { form?: Form; principalId?: string } = {},
): Promise<readonly (readonly JsonObject[] | undefined)[]> {
  const handled = {
    request,
    principal: { principalId },
    scope: stage.spec.scope,
    version: { profile: { form, dialect: 'adcp' } },
  } as unknown as HandledCall<GetMediaBuysRequest>;
  const views = drafts.map((draft) => ({ mediaBuyId: draft.buy?.id ?? '' }) as MediaBuyView);
  const shown = await withWebhookActivity({ outbox: stage.spec.parts.outbox }, handled, views);
  return shown.map((view) => view.webhookActivity);
}
const requested = { includeWebhookActivity: true };

describe('webhook_activity', () => {
  it('is one record per attempt, with exactly the members of the release', async () => {
    stage.receiver.answer = () => ({ status: stage.receiver.posts.length === 1 ? 503 : 204 });
    const draft = await impaired(1);
    stage.spec.clock.advance(2_000);
    await stage.spec.send(stage.dispatch);
    const [post] = stage.receiver.posts;
    const of = post?.json;
    const common = {
      idempotency_key: of?.['idempotency_key'],
      notification_type: 'impairment',
      url: `${stage.receiver.url}/hooks`,
      fired_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      completed_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      response_time_ms: expect.any(Number) as unknown,
      payload_size_bytes: post?.body.length,
      ext: { switchyard: { notification_id: of?.['notification_id'] } },
    };
    const records = await read(draft, requested);
    expect(records).toEqual([
      { ...common, attempt: 2, status: 'success', http_status_code: 204, error_message: null },
      { ...common, attempt: 1, status: 'failed', http_status_code: 503, error_message: 'HTTP 503' },
    ]);
    const folder = process.env['SWITCHYARD_PUBLISHED_FOLDER'] ?? '-';
    const path = join(folder, 'schemas/3.1.19/core/webhook-activity-record.json');
    if (!existsSync(path)) {
      console.warn('published schemas absent: 2 records were not checked');
      return;
    }
    const { properties, required } = JSON.parse(readFileSync(path, 'utf8')) as {
      properties: JsonObject;
      required: string[];
    };
    for (const record of records ?? []) {
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(record)));
      expect(Object.keys(record)).toEqual(expect.arrayContaining(required));
    }
  });

  it('counts the sent bytes, with the token of the address', async () => {
    const sealed = await stage.spec.callbacks.seal(
      stage.spec.scope,
      { token: 'a-token-of-sixteen-and-more' },
      stage.receiver.url,
    );
    const draft = await stage.spec.order([
      { url: stage.receiver.url, ...(sealed === undefined ? {} : { credentialId: sealed }) },
    ]);
    await stage.spec.become(draft, 'working');
    await stage.spec.send(stage.dispatch);
    const [record] = (await read(draft, requested, { form: 'service' })) ?? [];
    expect(stage.receiver.posts[0]?.json['token']).toBe('a-token-of-sixteen-and-more');
    expect(record?.['payload_size_bytes']).toBe(stage.receiver.posts[0]?.body.length);
  });

  it('is absent if not requested, and empty if nothing was sent', async () => {
    const draft = await impaired(0);
    expect(await read(draft, {})).toBeUndefined();
    expect(await read(draft, requested)).toEqual([]);
  });

  it('is newest first and limited to the requested number, by default fifty', async () => {
    const draft = await impaired(3);
    const all = (await read(draft, requested)) ?? [];
    const times = all.map((record) => Date.parse(record['fired_at'] as string));
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect(await read(draft, { ...requested, webhookActivityLimit: 2 })).toEqual(all.slice(0, 2));
  });

  it('is shown only with its own buy', async () => {
    const drafts = [await impaired(1), await impaired(0), await impaired(1)];
    const [first = [], none, last = []] = await readAll(drafts, requested);
    expect([first.length, none, last.length]).toEqual([1, [], 1]);
    expect(first[0]?.['idempotency_key']).not.toBe(last[0]?.['idempotency_key']);
  });

  it('has the events of a task in versions that have members for them, which 3.x has not', async () => {
    const draft = await stage.spec.order([{ url: stage.receiver.url }]);
    await stage.spec.become(draft, 'working');
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(1);
    expect(await read(draft, requested, { form: 'service' })).toHaveLength(1);
    expect(await read(draft, requested, { form: '3.1' })).toEqual([]);
  });

  it('shows only the caller’s addresses, also on a buy that others may see', async () => {
    const draft = await impaired(1);
    const other = '00000000-0000-4000-8000-000000000000';
    expect(await read(draft, requested)).toHaveLength(1);
    expect(await read(draft, requested, { principalId: other })).toEqual([]);
  });

  it('names the failure in our own texts if no answer came', async () => {
    const draft = await stage.spec.order([{ url: 'http://127.0.0.1:9/nobody' }]);
    await stage.spec.become(draft, 'working');
    await stage.spec.send(stage.dispatch);
    expect(await read(draft, requested, { form: 'service' })).toMatchObject([
      { status: 'connection_error', http_status_code: null, error_message: 'connect failed' },
    ]);
  });
});
