import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import type { BuyerRegistration } from '@switchyard/events';
import { PublishedJudge } from '@switchyard/testing';
import { endBuy, makeBuy, reportDay } from '../testkit/delivered-buy.js';
import { useOutboxStage } from '../testkit/outbox-stage.js';

const stage = useOutboxStage();
const judge = new PublishedJudge(expect.getState().testPath ?? '');
afterAll(() => judge.close());

interface Result {
  readonly notification_type: string;
  readonly sequence_number: number;
  readonly currency: string;
  readonly reporting_period: { readonly start: string };
  readonly media_buy_deliveries: readonly {
    readonly status: string;
    readonly totals: { readonly spend: number };
    readonly by_package: readonly { readonly package_id: string; readonly spend: number }[];
  }[];
}
const received = (): readonly Result[] =>
  stage.receiver.posts.map((post) => post.json['result'] as unknown as Result);
const inShort = (): readonly string[] =>
  received().map((report) => {
    const [row] = report.media_buy_deliveries;
    const day = report.reporting_period.start.slice(0, 10);
    return `${report.sequence_number} ${report.notification_type} ${day} ${row?.totals.spend}`;
  });

/** A confirmed buy at two sellers, with a reporting_webhook. */
async function buy(
  made: readonly string[] = ['acme', 'bravo'],
  more: Partial<BuyerRegistration> = {},
): Promise<OperationDraft> {
  const draft = await stage.spec.order([
    { channel: 'report', url: `${stage.receiver.url}/reports`, frequency: 'daily', ...more },
  ]);
  return makeBuy(stage, draft, made);
}

/** What acme asks for its package. */
async function offers(draft: OperationDraft, model: string): Promise<void> {
  const [acmes] = draft.packages.filter(({ seller }) => seller === 'acme');
  const connectionId = draft.sellerBuys.find(({ seller }) => seller === 'acme')?.connectionId ?? '';
  const { productId = '', pricingOptionId = '' } = acmes ?? {};
  const option = { pricingOptionId, model, currency: 'USD', auction: false, fixedPrice: '0.25' };
  const offer = {
    seller: 'acme',
    productId,
    name: 'Clicks',
    pricingOptions: [option],
    reportingFrequencies: [],
  };
  await stage.spec.operations.saveOffers(stage.spec.scope, [
    { connectionId, offer: { ...offer, offeredAt: stage.spec.clock.now() } },
  ]);
}

let sequenceNumber = 0;
const report = (
  draft: OperationDraft,
  seller: 'acme' | 'bravo',
  day: number,
  spend: string,
  type: 'scheduled' | 'adjusted' | 'final' = 'scheduled',
): Promise<void> => {
  sequenceNumber += 1;
  const packageId = seller === 'acme' ? 'p0' : 'p2';
  return reportDay(stage, draft, { seller, day, spend, packageId, sequenceNumber, type });
};

describe('delivery reports of a media buy over two sellers', () => {
  it('follow the ledger: complete days, corrections, and one final report with nothing after it', async () => {
    const draft = await buy();
    await stage.spec.send(stage.dispatch);
    await report(draft, 'acme', 3, '10.5');
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(0);
    await report(draft, 'bravo', 3, '4.25');
    await stage.spec.send(stage.dispatch);
    await report(draft, 'acme', 3, '9.5', 'adjusted');
    await stage.spec.send(stage.dispatch);
    await report(draft, 'acme', 4, '2', 'final');
    await report(draft, 'bravo', 4, '3', 'final');
    await stage.spec.send(stage.dispatch);
    await endBuy(stage, draft);
    await stage.spec.send(stage.dispatch);
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual([
      '1 scheduled 2026-01-03 14.75',
      '2 adjusted 2026-01-03 13.75',
      '3 scheduled 2026-01-04 5',
      '4 final 2026-01-04 5',
    ]);
    const [first] = stage.receiver.posts;
    expect(first?.json).toMatchObject({
      task_type: 'media_buy_delivery',
      status: 'completed',
      task_id: draft.operation.taskId,
      operation_id: 'buyers.own:1',
      context: { campaign: 'spring' },
    });
    expect(received()[0]?.media_buy_deliveries[0]?.by_package.map((row) => row.package_id)).toEqual([
      'acme:p0',
      'bravo:p2',
    ]);
    expect(first === undefined ? '' : await stage.spec.verify(first, stage.receiver)).toBe('verified');
    await report(draft, 'acme', 3, '8', 'adjusted').catch(() => undefined);
    stage.spec.clock.advance(7 * 86_400_000);
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(4);
  });

  it('name the agreed price of a package, or the cost of a thousand impressions', async () => {
    const draft = await buy();
    await offers(draft, 'cpc');
    await report(draft, 'acme', 3, '10.5');
    await report(draft, 'bravo', 3, '4.25');
    await stage.spec.send(stage.dispatch);
    expect(received()[0]?.media_buy_deliveries[0]?.by_package).toMatchObject([
      { package_id: 'acme:p0', pricing_model: 'cpc', rate: 0.25 },
      { package_id: 'bravo:p2', pricing_model: 'cpm', rate: 4.25 },
    ]);
  });

  it.each([
    [{ dialect: 'adcp', form: '3.1', release: '3.2-beta.5' }, 'revenue_share'],
    [{ dialect: 'adcp', form: '3.1' }, 'cpa'],
  ] as const)('are stored in the words of the release of who registered them: %j', async (profile, model) => {
    const draft = await buy(['acme', 'bravo'], { profile });
    await offers(draft, 'revenue_share');
    await report(draft, 'acme', 3, '10.5');
    await report(draft, 'bravo', 3, '4.25');
    await stage.spec.send(stage.dispatch);
    expect(received()[0]?.media_buy_deliveries[0]?.by_package[0]).toMatchObject({ pricing_model: model });
    const [body = {}] = stage.receiver.posts.map(({ json }) => json);
    const form = 'release' in profile ? profile.release : profile.form;
    const message = { kind: 'webhook', task: 'media_buy_delivery', form, body } as const;
    expect(judge.faultsOf({ kind: 'message', where: `a report in ${form}`, message })).toEqual([]);
  });
  it('are partial when a seller does not report, and do not wait longer', async () => {
    const draft = await buy();
    await report(draft, 'acme', 3, '10');
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(0);
    stage.spec.clock.advance(6 * 3_600_000);
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts[0]?.json['result']).toMatchObject({
      notification_type: 'scheduled',
      partial_data: true,
    });
  });

  it('wait for a seller that may still make its part', async () => {
    const draft = await buy(['acme']);
    await report(draft, 'acme', 3, '10');
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(0);
    await stage.spec.operations.change(stage.spec.scope, draft.legs[0]?.id ?? '', (state) => ({
      ...state,
      operation: { ...state.operation, updatedAt: stage.spec.clock.now() },
      legs: state.legs.map((leg) => (leg.seller === 'bravo' ? { ...leg, status: 'rejected' } : leg)),
    }));
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual(['1 scheduled 2026-01-03 10']);
  });

  it('are sent once, however often they are checked', async () => {
    const draft = await buy();
    await report(draft, 'acme', 3, '10');
    await report(draft, 'bravo', 3, '1');
    const second = stage.spec.dispatch();
    await Promise.all([stage.spec.send(stage.dispatch), stage.spec.send(second)]);
    await stage.spec.send(stage.dispatch);
    await second.stop();
    expect(inShort()).toEqual(['1 scheduled 2026-01-03 11']);
  });

  it('send the final report only after a waiting impairment', async () => {
    const draft = await buy();
    await stage.dispatch.stop();
    await report(draft, 'acme', 3, '1', 'final');
    await report(draft, 'bravo', 3, '1', 'final');
    await endBuy(stage, draft);
    await stage.spec.store.inTenant(stage.spec.scope, (client) =>
      client.query(
        `insert into outbox_event (id, organization_id, registration_id, principal_id, operation_id, media_buy_id, stream,
           kind, idempotency_key, body, state, due_at, created_at)
         values ($1, $2, $1, $3, $4, $5, 'impairments', 'impairment', $6, '{}', 'waiting', $7, $7)`,
        [
          randomUUID(),
          stage.spec.scope.organizationId,
          stage.spec.principalId,
          draft.operation.id,
          draft.buy?.id,
          randomUUID(),
          new Date(stage.spec.clock.now() + 60_000),
        ],
      ),
    );
    stage.dispatch = stage.spec.dispatch();
    await stage.spec.send(stage.dispatch);
    expect(stage.receiver.posts).toHaveLength(0);
    await stage.spec.store.inTenant(stage.spec.scope, (client) =>
      client.query(`update outbox_event set state = 'delivered' where kind = 'impairment'`),
    );
    await stage.spec.send(stage.dispatch);
    expect(inShort()).toEqual(['1 final 2026-01-03 2']);
  });
});
