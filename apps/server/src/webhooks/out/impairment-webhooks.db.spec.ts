import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationDraft, SellerBuy } from '@switchyard/buys';
import { impairmentWindowMs, type BuyerRegistration } from '@switchyard/events';
import { impairments, ledgerStore } from '@switchyard/store';
import { publishedSchemas, schemasAreThere } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { endBuy, makeBuy } from '../testkit/delivered-buy.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

const stage = useOutboxStage();
let repository: ReturnType<typeof impairments>;

beforeAll(() => {
  repository = impairments(stage.spec.store, ledgerStore(stage.spec.store));
});

/** An active buy at two sellers, with a `push_notification_config`. */
async function buy(address: Partial<BuyerRegistration> = {}): Promise<OperationDraft> {
  const draft = await stage.spec.order([{ url: `${stage.receiver.url}/hooks`, ...address }], {
    answered: 'completed',
  });
  return makeBuy(stage, draft);
}

const sellerBuyOf = (draft: OperationDraft, seller: string): SellerBuy => {
  const found = draft.sellerBuys.find((item) => item.seller === seller);
  if (found === undefined) throw new Error(`No buy at ${seller}.`);
  return found;
};

const suspended = (more: JsonObject = {}): JsonObject => ({
  impairment_id: 'imp-1',
  resource_type: 'audience',
  resource_id: 'aud-1',
  package_ids: ['pk1'],
  transition: { from: 'ready', to: 'suspended' },
  reason_code: 'consent_expired',
  observed_at: '2026-05-31T23:59:00Z',
  ...more,
});

/** The impairments in the seller's current snapshot. */
const saw = (draft: OperationDraft, seller: string, ...listed: JsonObject[]): Promise<void> =>
  repository.recordSnapshot(stage.spec.scope, sellerBuyOf(draft, seller), listed, stage.spec.clock.now());

async function after(ms: number): Promise<void> {
  stage.spec.clock.advance(ms);
  await stage.spec.send(stage.dispatch);
  await stage.spec.send(stage.dispatch);
}

const results = (): readonly JsonObject[] =>
  stage.receiver.posts.map((post) => post.json['result'] as JsonObject);

describe('impairments of a media buy', () => {
  it('are sent to its push_notification_config, signed, with our ids and the texts of the seller', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended({ remediation: 'renew the consent' }));
    await after(impairmentWindowMs);
    const [post] = stage.receiver.posts;
    const shown = (await repository.of(stage.spec.scope, [draft.buy?.id ?? ''])).get(draft.buy?.id ?? '');
    expect(stage.receiver.posts).toHaveLength(1);
    expect(post?.json).toEqual({
      idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      notification_id: shown?.[0]?.['impairment_id'],
      operation_id: 'buyers.own:1',
      task_id: draft.operation.taskId,
      task_type: 'create_media_buy',
      protocol: 'media-buy',
      status: 'completed',
      timestamp: expect.any(String) as unknown,
      context: { campaign: 'spring' },
      result: {
        ...shown?.[0],
        notification_type: 'impairment',
        media_buy_id: draft.buy?.id,
        health: 'impaired',
        package_ids: ['acme:pk1'],
        remediation: 'renew the consent',
      },
    });
    expect(post === undefined ? '' : await stage.spec.verify(post, stage.receiver)).toBe('verified');
    expect(stage.receiver.posts.map(({ json }) => json['notification_id'])).not.toContain('imp-1');
  });

  it('are collected within the window, and then sent with the current state', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await after(impairmentWindowMs - 1_000);
    expect(stage.receiver.posts).toHaveLength(0);
    await saw(draft, 'acme', suspended({ package_ids: ['pk1', 'pk2'] }));
    await after(1_000);
    expect(results().map(({ package_ids: packages }) => packages)).toEqual([['acme:pk1', 'acme:pk2']]);
  });

  it('of fraud and of brand safety are sent at once, before others', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await saw(
      draft,
      'acme',
      suspended(),
      suspended({ impairment_id: 'imp-2', reason_code: 'brand_safety_violation' }),
    );
    await saw(draft, 'bravo', suspended({ reason_code: 'fraud_detected' }));
    await after(0);
    expect(
      results()
        .map(({ reason_code: code }) => code)
        .sort(),
    ).toEqual(['brand_safety_violation', 'fraud_detected']);
  });

  it('that become fraud while they wait are sent at once', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await saw(draft, 'acme', suspended({ reason_code: 'fraud_detected' }));
    await after(0);
    expect(results()).toMatchObject([{ reason_code: 'fraud_detected' }]);
  });

  it('are sent when they are resolved, with the same notification id and a new key', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await saw(draft, 'bravo', suspended());
    await after(impairmentWindowMs);
    await saw(draft, 'acme');
    await after(impairmentWindowMs);
    await saw(draft, 'bravo');
    await after(impairmentWindowMs);
    const [first, second, third, fourth] = stage.receiver.posts.map(({ json }) => json);
    // Equal ids of two sellers are two impairments.
    expect(first?.['notification_id']).not.toBe(second?.['notification_id']);
    expect(new Set([third?.['notification_id'], fourth?.['notification_id']])).toEqual(
      new Set([first?.['notification_id'], second?.['notification_id']]),
    );
    expect(new Set([first, second, third, fourth].map((json) => json?.['idempotency_key'])).size).toBe(4);
    expect(results().map(({ health }) => health)).toEqual(['impaired', 'impaired', 'impaired', 'ok']);
    expect(results().map((result) => 'resolved_at' in result)).toEqual([false, false, true, true]);
  });

  it('that recur after their end are new, even with the same id of the seller', async () => {
    const draft = await buy();
    for (const listed of [[suspended()], [], [suspended()]]) {
      await saw(draft, 'acme', ...listed);
      await after(impairmentWindowMs);
    }
    const ids = stage.receiver.posts.map(({ json }) => json['notification_id']);
    expect(ids).toHaveLength(3);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('are retried unchanged: a later change is a new event', async () => {
    const draft = await buy();
    stage.receiver.answer = () => ({ status: 503 });
    await saw(draft, 'acme', suspended());
    await after(impairmentWindowMs);
    await saw(draft, 'acme');
    stage.receiver.answer = () => ({ status: 200 });
    await after(60_000);
    await after(60_000);
    const [refused, again, closing] = stage.receiver.posts;
    expect(again?.body.equals(refused?.body ?? Buffer.alloc(0))).toBe(true);
    expect(closing?.json['notification_id']).toBe(again?.json['notification_id']);
    expect(closing?.json['idempotency_key']).not.toBe(again?.json['idempotency_key']);
    expect(results().at(-1)).toMatchObject({ health: 'ok' });
  });

  it('are written in the transaction of their change: none is sent after a rollback', async () => {
    const draft = await buy();
    const ledger = ledgerStore(stage.spec.store);
    const failing = impairments(stage.spec.store, {
      append: async (...entries) => {
        await ledger.append(...entries);
        throw new Error('no room');
      },
    });
    await expect(
      failing.recordSnapshot(
        stage.spec.scope,
        sellerBuyOf(draft, 'acme'),
        [suspended()],
        stage.spec.clock.now(),
      ),
    ).rejects.toThrow('no room');
    await after(impairmentWindowMs);
    expect(stage.receiver.posts).toHaveLength(0);
  });

  it('go to the address that an update has set', async () => {
    const draft = await buy();
    const update = await stage.spec.order(
      [{ url: `${stage.receiver.url}/other`, mediaBuyId: draft.buy?.id ?? '' }],
      {
        answered: undefined,
      },
    );
    await stage.spec.become(update, 'completed');
    const answer = { status: 'completed' };
    await stage.spec.operations.saveAnswer(
      stage.spec.scope,
      update.operation.id,
      answer,
      stage.spec.clock.now(),
    );
    await saw(draft, 'acme', suspended());
    await after(impairmentWindowMs);
    expect(stage.receiver.posts.map(({ path }) => path)).toEqual(['/other']);
  });

  it('are not sent for an ended buy; those queued before are sent', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await endBuy(stage, draft, 'canceled');
    await saw(draft, 'bravo', suspended({ reason_code: 'fraud_detected' }));
    await after(impairmentWindowMs);
    expect(results()).toMatchObject([{ reason_code: 'consent_expired' }]);
  });

  it('name the domain in older versions and the protocol in 3.x', async () => {
    for (const form of ['service', '2.5', '3.0', '3.1'] as const) {
      const draft = await buy({ profile: { dialect: form === 'service' ? 'ads' : 'adcp', form } });
      await saw(draft, 'acme', suspended());
    }
    await after(impairmentWindowMs);
    // Four streams: they arrive in any order.
    const named = stage.receiver.posts.map(({ json }) => JSON.stringify([json['domain'], json['protocol']]));
    expect(named.sort()).toEqual([
      '["media-buy",null]',
      '["media-buy",null]',
      '[null,"media-buy"]',
      '[null,"media-buy"]',
    ]);
  });

  it('that end at two sellers in the same moment leave the buy healthy', async () => {
    for (let round = 0; round < 10; round += 1) {
      const draft = await buy();
      await Promise.all([saw(draft, 'acme', suspended()), saw(draft, 'bravo', suspended())]);
      await after(impairmentWindowMs);
      expect(results().map((result) => result['health'])).toEqual(['impaired', 'impaired']);
      await Promise.all([saw(draft, 'acme'), saw(draft, 'bravo')]);
      await after(impairmentWindowMs);
      expect(results().at(-1)).toMatchObject({ media_buy_id: draft.buy?.id, health: 'ok' });
      stage.receiver.posts.length = 0;
    }
  });

  it('conform to the published schemas of 3.1, or are counted as not checked', async () => {
    const draft = await buy();
    await saw(draft, 'acme', suspended());
    await after(impairmentWindowMs);
    await saw(draft, 'acme');
    await after(impairmentWindowMs);
    const bodies = stage.receiver.posts.map(({ json }) => json);
    expect(bodies).toHaveLength(2);
    const checked = bodies.map(faultsOf);
    const skipped = checked.filter((faults) => faults === undefined).length;
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} messages were not checked`);
    expect(checked.filter((faults) => faults !== undefined && faults.length > 0)).toEqual([]);
  });
});

const schemas = publishedSchemas();

/** What the published schemas object to in an event; nothing where they are absent. */
function faultsOf({ result, ...envelope }: JsonObject): readonly string[] | undefined {
  if (!schemasAreThere) return undefined;
  return [
    ...(schemas.faults('3.1', 'core/mcp-webhook-payload.json', envelope) ?? ['No schema of webhooks.']),
    ...(schemas.faults('3.1', 'core/impairment.json', result) ?? ['No schema of impairments.']),
  ];
}
