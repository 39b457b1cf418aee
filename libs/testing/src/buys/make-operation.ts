import { randomUUID } from 'node:crypto';
import type { BuyPackage, Leg, MediaBuy, Operation, OperationDraft, SellerBuy } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

export interface OperationOptions {
  readonly principalId?: string;
  readonly idempotencyKey?: string;
  /** One leg each. Default: two sellers. */
  readonly sellers?: readonly string[];
  /** By seller. Default: random ids. */
  readonly connectionIds?: Readonly<Record<string, string>>;
  readonly packagesPerLeg?: number;
  readonly buyerRef?: string;
  readonly createdAt?: Instant;
}

export const draftedAt = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A stored media buy before any seller is called, with every member that a draft may have. */
export function makeOperation(
  scope: TenantScope,
  options: OperationOptions = {},
): OperationDraft & { readonly buy: MediaBuy } {
  const { sellers = ['acme', 'bravo'], packagesPerLeg = 2, createdAt = draftedAt } = options;
  const operation = operationOf(scope, options, createdAt);
  const buy: MediaBuy = {
    id: `mb_${randomUUID()}`,
    organizationId: scope.organizationId,
    operationId: operation.id,
    principalId: operation.principalId,
    brand: { domain: 'brand.example' },
    operator: 'agency.example',
    currency: 'USD',
    status: 'pending_start',
    revision: 1,
    startTime: '2026-01-03T00:00:00.000Z',
    endTime: '2026-02-03T00:00:00.000Z',
    context: { campaign: 'spring' },
    createdAt,
    updatedAt: createdAt,
    ...(options.buyerRef === undefined ? {} : { buyerRef: options.buyerRef }),
  };
  const legs = sellers.map((seller) => legOf(operation, seller, options.connectionIds?.[seller]));
  return {
    operation,
    buy,
    legs,
    sellerBuys: legs.map((leg) => sellerBuyOf(buy, leg)),
    packages: legs.flatMap((leg, index) =>
      Array.from({ length: packagesPerLeg }, (_, at) => packageOf(buy, leg, index * packagesPerLeg + at)),
    ),
    registrations: legs.flatMap((leg) =>
      (['task', 'report'] as const).map((kind) => ({
        id: `whr_${randomUUID()}`,
        legId: leg.id,
        connectionId: leg.connectionId,
        kind,
        mode: 'signed' as const,
        sellerOperationId: `op-${leg.id}`,
      })),
    ),
  };
}

function operationOf(scope: TenantScope, options: OperationOptions, createdAt: Instant): Operation {
  return {
    id: randomUUID(),
    organizationId: scope.organizationId,
    principalId: options.principalId ?? randomUUID(),
    task: 'create_media_buy',
    taskId: `task_${randomUUID()}`,
    requestHash: 'a'.repeat(64),
    profile: { dialect: 'adcp', form: '3.1' },
    version: '3.1',
    request: { packages: [], start_time: 'asap' },
    context: { campaign: 'spring' },
    status: 'submitted',
    createdAt,
    updatedAt: createdAt,
    ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    ...(options.buyerRef === undefined ? {} : { buyerRef: options.buyerRef }),
  };
}

function legOf(operation: Operation, seller: string, connectionId: string = randomUUID()): Leg {
  const id = randomUUID();
  return {
    id,
    organizationId: operation.organizationId,
    operationId: operation.id,
    connectionId,
    seller,
    task: operation.task,
    profile: { dialect: 'adcp', form: '3.1' },
    outbound: `{"context":{"switchyard":{"operation_id":"op-${id}"}},"idempotency_key":"key-of-${seller}-0123456789"}`,
    status: 'pending',
    attempts: 0,
    errors: [],
    findings: [{ code: 'DROPPED', message: 'A member had no place.', field: 'po_number' }],
    createdAt: operation.createdAt,
    nextPollAt: operation.createdAt,
  };
}

function sellerBuyOf(buy: MediaBuy, leg: Leg): SellerBuy {
  return {
    id: randomUUID(),
    mediaBuyId: buy.id,
    legId: leg.id,
    connectionId: leg.connectionId,
    seller: leg.seller,
    status: 'pending_start',
    reported: { creativeDeadline: '2026-01-20T00:00:00Z', rejectionReason: 'Not with us.' },
  };
}

function packageOf(buy: MediaBuy, leg: Leg, position: number): BuyPackage {
  return {
    id: randomUUID(),
    mediaBuyId: buy.id,
    legId: leg.id,
    position,
    seller: leg.seller,
    buyerRef: `package-${position}`,
    productId: 'ctv',
    pricingOptionId: 'cpm',
    currency: 'USD',
    // More than a double holds exactly, so that a store that converts to a double fails.
    budgetMicros: 9_007_199_254_740_993n + BigInt(position),
    bidMicros: 12_500_000n,
    context: { line: position },
    targeting: { geo_countries: ['US'] },
    terms: {
      requested: { pacing: 'even', impressions: 1000 },
      sent: { pacing: 'even' },
      reported: { pacing: 'asap', creative_deadline: '2026-01-20T00:00:00Z' },
    },
  };
}
