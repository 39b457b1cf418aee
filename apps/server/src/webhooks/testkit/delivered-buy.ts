import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { OperationDraft } from '@switchyard/buys';
import { ledgerStore } from '@switchyard/store';
import type { OutboxStage } from './outbox-stage.js';

/** Lets sellers complete their legs of an ordered buy: all of them, or the named ones. */
export async function makeBuy(
  { spec }: OutboxStage,
  draft: OperationDraft,
  sellers?: readonly string[],
): Promise<OperationDraft> {
  await spec.operations.change(spec.scope, draft.legs[0]?.id ?? '', (state) => ({
    ...state,
    operation: { ...state.operation, status: 'completed', updatedAt: spec.clock.now() },
    ...(state.buy === undefined ? {} : { buy: { ...state.buy, status: 'active' } }),
    sellerBuys: state.sellerBuys.map((item) =>
      sellers?.includes(item.seller) === false
        ? item
        : { ...item, sellerMediaBuyId: `their-${item.id}`, status: 'active' },
    ),
    packages: state.packages.map((item) => ({ ...item, sellerPackageId: `p${item.position}` })),
  }));
  return draft;
}

/** Ends a buy with the final statuses of its sellers. */
export async function endBuy(
  { spec }: OutboxStage,
  draft: OperationDraft,
  status: 'completed' | 'canceled' = 'completed',
): Promise<void> {
  await spec.operations.change(spec.scope, draft.legs[0]?.id ?? '', (state) => ({
    ...state,
    ...(state.buy === undefined ? {} : { buy: { ...state.buy, status, updatedAt: spec.clock.now() } }),
    operation: { ...state.operation, updatedAt: spec.clock.now() },
  }));
}

interface DayReported {
  readonly seller: string;
  /** Of January 2026. */
  readonly day: number;
  readonly spend: string;
  readonly packageId: string;
  readonly sequenceNumber: number;
  readonly type: 'scheduled' | 'adjusted' | 'final';
}

/** Books one seller's report of one day, as the inbox does. */
export async function reportDay(
  { spec }: OutboxStage,
  draft: OperationDraft,
  { seller, day, spend, packageId, sequenceNumber, type }: DayReported,
): Promise<void> {
  const sellerBuy = draft.sellerBuys.find((item) => item.seller === seller);
  const leg = draft.legs.find((item) => item.seller === seller);
  const now = spec.clock.now();
  const totals = { spend, impressions: 1_000, original: {} };
  const delivery = {
    mediaBuyId: `their-${sellerBuy?.id}`,
    status: type === 'final' ? 'completed' : 'active',
    isAdjusted: type === 'adjusted',
    totals,
    byPackage: [{ ...totals, packageId, currency: 'USD' }],
  };
  const observation = {
    connectionId: sellerBuy?.connectionId ?? '',
    legId: leg?.id ?? '',
    source: 'webhook' as const,
    stream: `stream of ${leg?.id}`,
    eventId: randomUUID(),
    reportedAt: now,
    receivedAt: now,
    report: {
      notificationType: type,
      sequenceNumber,
      period: { start: `2026-01-0${day}T00:00:00.000Z`, end: `2026-01-0${day + 1}T00:00:00.000Z` },
      currency: 'USD',
      partialData: false,
      deliveries: [delivery],
    },
  };
  const [outcome] = await ledgerStore(spec.store).applyReports(spec.scope, [observation], { now });
  expect(outcome?.kind).toBe('applied');
  spec.clock.advance(1_000);
}
