import { isSettled, type BuysPorts, type Leg } from '@switchyard/buys';
import type { WebhookRegistration } from '@switchyard/events';
import type { TaskError } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { generateSigningKey, publicJwk, type SigningKey } from '@switchyard/signing';
import type { MemoryOperationStore, SeededRandom, TestClock } from '@switchyard/testing';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { memoryImpairments, memoryInbox, memoryLedger } from '../../../webhooks/testkit/memory-stage.js';
import type { Planted } from './planted.js';
import type { Process, Scheduler } from './scheduler.js';
import type { SimulatedSeller } from './seller.js';

export const minute = 60_000;
export const started = Date.UTC(2026, 10, 10, 12);
/** How long something happens from outside; afterwards sellers answer, and everything has to come to its end. */
export const troubleMs = 40 * minute;
export const quietMs = 30 * 60 * minute;
export const slugs = ['one', 'two', 'three'] as const;
export const deadlineMs = 15_000;
export const base = 'https://buyer.example/webhooks/';
export const keys = new Map<string, SigningKey>(
  slugs.map((slug) => [slug, generateSigningKey(`key-${slug}`)]),
);
export const stranger = generateSigningKey('key-one');

/** What the parts of a simulation share. */
export interface World {
  readonly planted: Planted | undefined;
  readonly clock: TestClock;
  readonly ids: SeededRandom;
  readonly scheduler: Scheduler;
  readonly store: MemoryOperationStore;
  readonly sellers: ReadonlyMap<string, SimulatedSeller>;
  readonly tenants: readonly Tenant[];
  /** The process that lives now. */
  readonly process: () => Process;
  /** Writes a line of what was done from outside. */
  readonly say: (line: string) => void;
  /** Notes a violation. */
  readonly wrong: (line: string) => void;
}

/** One organization that buys at all three sellers. */
export interface Tenant {
  readonly scope: { readonly organizationId: string };
  readonly principalId: string;
  readonly connections: readonly Connection[];
  readonly inbox: ReturnType<typeof memoryInbox>;
  readonly ledger: ReturnType<typeof memoryLedger>;
  readonly impairments: ReturnType<typeof memoryImpairments>;
}

export type Answered = Result<unknown, readonly TaskError[]>;

/** A request of a buyer, which repeats it with the same key until it has an answer. */
export interface Asked {
  readonly name: string;
  readonly tenant: Tenant;
  readonly run: (ports: BuysPorts) => Promise<Answered>;
  answered?: string;
  tries: number;
}

/** Days of one part of a buy as its seller has them. */
export interface Truth {
  readonly tenant: Tenant;
  readonly connection: Connection;
  readonly registration: WebhookRegistration;
  readonly mediaBuyId: string;
  readonly packageId: string;
  readonly operationId: string;
  readonly days: Map<number, number>;
  sequence: number;
  hasEnded: boolean;
}

/** A message that its seller sends until it is answered 200. */
export interface Flying {
  readonly truth: Truth;
  readonly sender: SigningKey;
  readonly body: JsonObject;
  /** Minutes between the seller's clock and ours. */
  readonly skew: number;
  sends: number;
}

export const profile = { dialect: 'adcp' as const, form: '3.1' as const };
export const isSettledOrParked = (leg: Leg): boolean => isSettled(leg) || leg.status === 'parked';
export const dayOf = (day: number): string => new Date(Date.UTC(2026, 10, 1 + day)).toISOString();

/** What a buyer makes of an answer; `later` where the same request is to be sent again. */
export function gist(result: Answered): string {
  if (result.ok) return 'done';
  const codes = result.error.map(({ code }) => code).join();
  return /SERVICE_UNAVAILABLE|IN_FLIGHT|RATE_LIMITED|CONFLICT/.test(codes) ? 'later' : codes;
}

export function keyOf(slug: string): SigningKey {
  const key = keys.get(slug);
  if (key === undefined) throw new Error('The seller is one of the three.');
  return key;
}

export function resolve(keyid: string) {
  for (const [slug, key] of keys)
    if (key.kid === keyid)
      return ok({ jwk: publicJwk(key, ['ads_use']), agentUrl: `https://${slug}.example/mcp` });
  return err('key_unknown' as const);
}

export function buyArgs(key: string, chosen: readonly string[]): JsonObject {
  return {
    idempotency_key: key,
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2027-01-01T00:00:00Z',
    packages: chosen.map((slug, index) => ({
      ...{ product_id: `${slug}:ctv`, pricing_option_id: 'cpm', budget: 1_000_000 + index },
      context: { line: index },
    })),
  };
}

export interface Reported {
  readonly day: number;
  readonly spend: number;
  readonly type: string;
  readonly key: string;
  readonly at: number;
}

export function reportOf(truth: Truth, { day, spend, type, key, at }: Reported): JsonObject {
  const row = { spend, impressions: Math.round(spend * 100) };
  return {
    idempotency_key: key,
    operation_id: truth.operationId,
    task_id: 'delivery',
    task_type: 'media_buy_delivery',
    protocol: 'media-buy',
    timestamp: new Date(at).toISOString(),
    status: 'completed',
    result: {
      notification_type: type,
      sequence_number: truth.sequence,
      reporting_period: { start: dayOf(day), end: dayOf(day + 1) },
      currency: 'USD',
      media_buy_deliveries: [
        {
          ...{ media_buy_id: truth.mediaBuyId, status: 'active', totals: row },
          by_package: [{ package_id: truth.packageId, ...row, currency: 'USD' }],
        },
      ],
    },
  };
}

export function offerOf(seller: string) {
  return {
    ...{
      seller,
      productId: 'ctv',
      name: 'Connected TV',
      reportingFrequencies: ['daily' as const],
      offeredAt: 0,
    },
    pricingOptions: [
      { pricingOptionId: 'cpm', model: 'cpm' as const, currency: 'USD', auction: false, fixedPrice: '12.5' },
    ],
  };
}

export function connectionOf(
  organizationId: string,
  id: string,
  slug: string,
  isIdempotent: boolean,
): Connection {
  return {
    ...{ id, organizationId, slug, name: slug, agentUrl: `https://${slug}.example/mcp`, protocol: 'mcp' },
    ...{ dialect: 'ads', configuredForm: '3.1', form: '3.1', kinds: ['sales'], state: 'live' },
    ...{ legacyWebhooks: false, isSandbox: false },
    capabilities: {
      ...{ supportedVersions: [], protocols: ['media_buy'], idempotency: { supported: isIdempotent } },
      ...{ publisherDomains: [], pricingModels: [], reportingByWebhook: true, windowedPullGranularities: [] },
      ...{ requestSigning: { supported: false, requiredFor: [] }, webhookSigning: true, original: {} },
    },
  };
}
