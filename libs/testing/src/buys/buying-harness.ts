import { randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import type { BuysPorts, Mutation, Offer, OperationStore } from '@switchyard/buys';
import {
  createMediaBuy,
  updateMediaBuy,
  type CreateMediaBuyRequest,
  type Form,
  type UpdateMediaBuyRequest,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { must, ok, Secret, type JsonObject } from '@switchyard/values';
import {
  memorySeller,
  memoryTransport,
  type MemorySeller,
  type MemorySellerOptions,
} from '../sellers/memory-seller.js';
import { testClock, type TestClock } from '../test-clock.js';
import { memoryOperationStore, type MemoryOperationStore } from './memory-operation-store.js';

export interface HarnessSeller extends MemorySellerOptions {
  readonly form?: Form;
  readonly replayTtlSeconds?: number;
}

export interface BuyingHarness {
  readonly scope: TenantScope;
  readonly principalId: string;
  readonly clock: TestClock;
  readonly store: MemoryOperationStore;
  readonly ports: BuysPorts;
  readonly notices: { readonly code: string; readonly seller: string; readonly cause?: unknown }[];
  seller(slug: string): MemorySeller;
  connection(slug: string): Connection;
  /** The same service after a restart: only stored rows and the sellers' state remain, and time continues. */
  restarted(over?: Partial<BuysPorts>): BuysPorts;
  /** A request for one package at each of these sellers, as the buyer's application sends it. */
  request(sellers: readonly string[], more?: JsonObject): Mutation<CreateMediaBuyRequest>;
  /** A change of a buy, in release 3.1, with a new key unless it names one. */
  change(args: JsonObject): Mutation<UpdateMediaBuyRequest>;
}

/** All ports of buying, in memory: sellers by slug, each with one product `ctv` at a fixed price. */
export async function openBuyingHarness(
  options: Readonly<Record<string, HarnessSeller>>,
): Promise<BuyingHarness> {
  const scope = { organizationId: randomUUID() };
  const principalId = randomUUID();
  const clock = testClock();
  const store = memoryOperationStore();
  const notices: { code: string; seller: string; cause?: unknown }[] = [];
  const connections = new Map(
    Object.entries(options).map(([slug, wish]) => [slug, connectionOf(scope, slug, wish)]),
  );
  const sellers = new Map(Object.entries(options).map(([slug, wish]) => [slug, memorySeller(wish)]));
  const idOf = (slug: string): string => found(connections, slug).id;
  const transport = memoryTransport(new Map([...sellers].map(([slug, seller]) => [idOf(slug), seller])));
  const ports: BuysPorts = {
    store,
    transport,
    clock,
    connections: {
      list: () => Promise.resolve([...connections.values()]),
      byId: (_scope, id) =>
        Promise.resolve([...connections.values()].find((connection) => connection.id === id)),
    },
    lease: (_scope, leased) =>
      Promise.resolve(
        ok(
          new Map(
            leased.map((connection) => [
              connection.id,
              { keySecret: new Secret(Buffer.from(connection.id)) },
            ]),
          ),
        ),
      ),
    ids: { uuid: () => randomUUID(), token: (prefix) => `${prefix}_${randomUUID()}` },
    callbackBase: () => 'https://us.example',
    notice: ({ code, seller, cause }) =>
      notices.push({ code, seller, ...(cause === undefined ? {} : { cause }) }),
  };
  for (const slug of connections.keys())
    await store.saveOffers(scope, [{ connectionId: idOf(slug), offer: offerOf(slug) }]);
  return {
    scope,
    principalId,
    clock,
    store,
    ports,
    notices,
    seller: (slug) => found(sellers, slug),
    connection: (slug) => found(connections, slug),
    restarted: (over = {}) => ({ ...ports, ...over }),
    change: (args) => changeFor(scope, principalId, args),
    request: (slugs, more = {}) => requestFor(scope, principalId, slugs, more),
  };
}

/** A store whose process dies: from the given call on, including that one, no call ever returns. */
export function crashingStore(
  store: OperationStore,
  at: keyof OperationStore,
): { readonly store: OperationStore; readonly died: Promise<void> } {
  let isDead = false;
  let notify = (): void => undefined;
  const died = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const proxy = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]): unknown => {
        isDead ||= name === at;
        if (!isDead) return Reflect.apply(method, target, args);
        notify();
        return new Promise(() => undefined);
      };
    },
  });
  return { store: proxy, died };
}

function connectionOf(scope: TenantScope, slug: string, wish: HarnessSeller): Connection {
  const form = wish.form ?? '3.1';
  return {
    id: randomUUID(),
    organizationId: scope.organizationId,
    slug,
    name: slug,
    agentUrl: `https://${slug}.example/mcp`,
    protocol: 'mcp',
    dialect: 'adcp',
    configuredForm: form,
    form,
    kinds: ['sales'],
    state: 'live',
    legacyWebhooks: false,
    isSandbox: false,
    capabilities: {
      supportedVersions: [],
      protocols: ['media_buy'],
      idempotency: {
        supported: wish.isIdempotent,
        ...(wish.replayTtlSeconds === undefined ? {} : { replayTtlSeconds: wish.replayTtlSeconds }),
      },
      publisherDomains: [],
      pricingModels: [],
      reportingByWebhook: true,
      windowedPullGranularities: [],
      requestSigning: { supported: false, requiredFor: [] },
      webhookSigning: true,
      original: {},
    },
  };
}

function offerOf(seller: string): Offer {
  return {
    seller,
    productId: 'ctv',
    name: 'Connected TV',
    pricingOptions: [
      { pricingOptionId: 'cpm', model: 'cpm', currency: 'USD', auction: false, fixedPrice: '12.5' },
    ],
    reportingFrequencies: ['daily'],
    offeredAt: 0,
  };
}

function requestFor(
  scope: TenantScope,
  principalId: string,
  slugs: readonly string[],
  more: JsonObject,
): Mutation<CreateMediaBuyRequest> {
  const profile = { dialect: 'adcp' as const, form: '3.1' as const };
  const args: JsonObject = {
    idempotency_key: 'the-buyers-own-key-1',
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    brand: { domain: 'brand.example' },
    start_time: 'asap',
    end_time: '2027-01-01T00:00:00Z',
    packages: slugs.map((slug, index) => ({
      product_id: `${slug}:ctv`,
      pricing_option_id: 'cpm',
      budget: 1000 + index,
      context: { line: index },
    })),
    ...more,
  };
  const read = must(createMediaBuy.readRequest(args, profile, new Map()));
  return {
    scope,
    principalId,
    profile,
    version: '3.1',
    request: read,
    args,
    account: { brandDomain: 'brand.example', brandId: '', operator: 'agency.example' },
    deadlineMs: 15_000,
  };
}

function changeFor(
  scope: TenantScope,
  principalId: string,
  more: JsonObject,
): Mutation<UpdateMediaBuyRequest> {
  const profile = { dialect: 'adcp' as const, form: '3.1' as const };
  const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' };
  const args: JsonObject = { idempotency_key: randomUUID(), account, ...more };
  const read = must(updateMediaBuy.readRequest(args, profile, new Map()));
  return { scope, principalId, profile, version: '3.1', request: read, args, deadlineMs: 15_000 };
}

function found<T>(among: ReadonlyMap<string, T>, slug: string): T {
  const seller = among.get(slug);
  if (seller === undefined) throw new Error(`There is no seller ${slug} here.`);
  return seller;
}
