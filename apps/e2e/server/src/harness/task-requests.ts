import { randomUUID } from 'node:crypto';
import type { taskTable } from '@switchyard/protocol';
import { buyRequest, proposalRequest, type Json } from './buy-request.js';

/** Names of an owner's items, or of none. */
export interface Named {
  readonly mediaBuyId: string;
  readonly packageId: string;
  readonly taskId: string;
  /** The operation of a task, by which the task is found too. */
  readonly operationId: string;
  readonly productId: string;
  readonly proposalId: string;
  readonly pricingOptionId: string;
  readonly signalId: string;
  readonly creativeId: string;
  readonly creativeName: string;
  readonly creativeTag: string;
  /** The owner's name of a group of creatives. */
  readonly creativeConcept: string;
  readonly accountId: string;
  /** The domain of the brand in an account's pair. */
  readonly accountBrand: string;
  readonly buyerRef: string;
  /** The owner's name of a package in the buy with that reference. */
  readonly packageRef: string;
  /** A session of the owner. */
  readonly contextId: string;
  /** Cursors of the owner's lists, by task. */
  readonly cursors: Readonly<Partial<Record<keyof typeof taskTable, string>>>;
}

const common = (): Json => ({ adcp_version: '3.0', time_budget: { interval: 1, unit: 'seconds' } });
const keyed = (): Json => ({ ...common(), idempotency_key: randomUUID() });

/**
 * One request of every task, with every name that the task accepts. The isolation tests send it, and fail for a task
 * without a row: add one with the task, and name everything that could belong to another owner.
 */
const taskRequests = {
  getCapabilities: () => ({}),
  getProducts: ({ accountId }: Named) => ({ ...common(), brief: 'x', account: { account_id: accountId } }),
  getSignals: ({ accountId }: Named) => ({
    ...common(),
    signal_spec: 'x',
    account: { account_id: accountId },
    deliver_to: { deployments: [{ type: 'platform', platform: 'dsp' }], countries: ['US'] },
  }),
  listCreativeFormats: () => common(),
  syncCreatives: ({ accountId, creativeId, packageId }: Named) => ({
    ...keyed(),
    account: { account_id: accountId },
    creatives: [
      {
        creative_id: creativeId,
        name: 'x',
        format_id: { agent_url: 'https://creative.example/', id: 'display_300x250' },
        assets: {},
      },
    ],
    assignments: [{ creative_id: creativeId, package_id: packageId }],
  }),
  listCreatives: ({ creativeId, mediaBuyId, packageId, accountId }: Named) => ({
    ...common(),
    filters: {
      creative_ids: [creativeId],
      media_buy_ids: [mediaBuyId],
      assigned_to_package: packageId,
      assigned_to_packages: [packageId],
      accounts: [{ account_id: accountId }],
    },
  }),
  createMediaBuy: ({ productId, pricingOptionId, accountId }: Named) => ({
    ...buyRequest([
      { buyer_ref: 'p', product_id: productId, pricing_option_id: pricingOptionId, budget: 100 },
    ]),
    ...keyed(),
    account: { account_id: accountId },
  }),
  updateMediaBuy: ({ mediaBuyId, packageId, accountId }: Named) => ({
    ...keyed(),
    account: { account_id: accountId },
    media_buy_id: mediaBuyId,
    packages: [{ package_id: packageId, paused: true }],
  }),
  getMediaBuys: ({ mediaBuyId }: Named) => ({ ...common(), media_buy_ids: [mediaBuyId] }),
  getMediaBuyDelivery: ({ mediaBuyId }: Named) => ({ ...common(), media_buy_ids: [mediaBuyId] }),
  activateSignal: ({ signalId, accountId }: Named) => ({
    ...keyed(),
    account: { account_id: accountId },
    signal_agent_segment_id: signalId,
    destinations: [{ type: 'platform', platform: 'dsp' }],
    deployments: [{ type: 'platform', platform: 'dsp' }],
  }),
  getTask: ({ taskId }: Named) => ({
    ...common(),
    task_id: taskId,
    include_result: true,
    include_history: true,
  }),
  listTasks: ({ taskId, accountId }: Named) => ({
    ...common(),
    filters: { task_ids: [taskId] },
    account: { account_id: accountId },
  }),
  cancelTask: ({ taskId }: Named) => ({ ...keyed(), task_id: taskId }),
  listAuthorizedProperties: () => ({ publisher_domains: ['nobody.example'] }),
  listAccounts: ({ accountId }: Named) => ({ ...common(), account: { account_id: accountId } }),
  syncAccounts: ({ accountId }: Named) => ({
    ...keyed(),
    adcp_version: '3.1',
    accounts: [{ account: { account_id: accountId } }],
  }),
  providePerformanceFeedback: ({ mediaBuyId, packageId, creativeId }: Named) => ({
    ...keyed(),
    media_buy_id: mediaBuyId,
    package_id: packageId,
    creative_id: creativeId,
    measurement_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    performance_index: 1,
  }),
  reportUsage: ({ accountId, mediaBuyId, signalId }: Named) => ({
    ...keyed(),
    reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    usage: [
      {
        account: { account_id: accountId },
        vendor_cost: 1,
        currency: 'USD',
        media_buy_id: mediaBuyId,
        signal_agent_segment_id: signalId,
      },
    ],
  }),
} as const satisfies Partial<Record<keyof typeof taskTable, (named: Named) => Json>>;

/** Requests of lists, page by page: the same for the first page and the later ones. */
export const pageRequests: Readonly<Partial<Record<keyof typeof taskTable, Json>>> = {
  getProducts: { ...common(), adcp_version: '3.1', buying_mode: 'wholesale' },
  getSignals: { ...common(), signal_spec: 'x' },
  listCreativeFormats: common(),
  listCreatives: common(),
  listTasks: common(),
  listAccounts: { ...common(), adcp_version: '3.1' },
  // Includes ended buys, because buys end during the tests.
  getMediaBuys: {
    ...common(),
    status_filter: ['pending_creatives', 'pending_start', 'active', 'paused', 'completed', 'canceled'],
  },
};

const pageAt = (row: keyof typeof taskTable, { cursors }: Named): Json => ({
  ...pageRequests[row],
  pagination: { max_results: 1, cursor: cursors[row] ?? 'nothing' },
});
const period = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };

/** The same items by other names: references, sessions, pages, and members of older forms. */
const otherRequests: Partial<Record<keyof typeof taskTable, (named: Named) => readonly Json[]>> = {
  getProducts: (named) => [
    pageAt('getProducts', named),
    {
      ...common(),
      adcp_version: '3.1',
      buying_mode: 'refine',
      refine: [{ scope: 'product', product_id: named.productId, action: 'more_like_this' }],
    },
    ...(['include', 'omit', 'finalize'] as const).map((action) => ({
      ...common(),
      adcp_version: '3.1',
      buying_mode: 'refine',
      refine: [{ scope: 'proposal', proposal_id: named.proposalId, action }],
    })),
  ],
  getSignals: (named) => [pageAt('getSignals', named)],
  listAccounts: (named) => [pageAt('listAccounts', named)],
  syncAccounts: ({ accountBrand }) => [
    {
      ...keyed(),
      adcp_version: '3.1',
      dry_run: true,
      accounts: [{ brand: { domain: accountBrand }, operator: 'agency.example', billing: 'operator' }],
    },
  ],
  listCreativeFormats: (named) => [pageAt('listCreativeFormats', named)],
  listCreatives: (named) => [
    pageAt('listCreatives', named),
    { filters: { buyer_refs: [named.buyerRef] } },
    { ...common(), filters: { name_contains: named.creativeName } },
    { ...common(), filters: { tags: [named.creativeTag] } },
    { ...common(), filters: { tags_any: [named.creativeTag] } },
    { ...common(), filters: { concept_ids: [named.creativeConcept] } },
    { ...common(), filters: { accounts: [{ account_id: named.accountId }] } },
  ],
  syncCreatives: ({ creativeId, packageId }) => [
    { ...keyed(), dry_run: true, creatives: [creative(creativeId)], creative_ids: [creativeId] },
    { ...keyed(), dry_run: true, creatives: [creative(creativeId)], assignments: [] },
    { creatives: [creative(creativeId)], assignments: { [creativeId]: [packageId] } },
  ],
  createMediaBuy: ({ productId, proposalId, pricingOptionId, creativeId, signalId, buyerRef, contextId }) => [
    proposalRequest({ proposal_id: proposalId }, 10_000),
    {
      ...buyRequest([
        {
          product_id: productId,
          pricing_option_id: pricingOptionId,
          budget: 100,
          creative_assignments: [{ creative_id: creativeId }],
          targeting_overlay: { signals: [{ signal_agent_segment_id: signalId }] },
        },
      ]),
      context_id: contextId,
    },
    {
      ...buyRequest([
        {
          product_id: productId,
          pricing_option_id: pricingOptionId,
          budget: 100,
          creative_ids: [creativeId],
          creatives: [creative(creativeId)],
        },
      ]),
    },
    {
      buyer_ref: buyerRef,
      brand_manifest: { url: 'https://roaster.example', name: 'Roaster' },
      start_time: { type: 'asap' },
      end_time: '2099-01-01T00:00:00Z',
      packages: [
        {
          buyer_ref: 'p',
          product_id: productId,
          pricing_option_id: pricingOptionId,
          budget: 1,
          creative_ids: [creativeId],
        },
      ],
    },
  ],
  updateMediaBuy: (named) => [
    ...changesOf(named),
    { buyer_ref: named.buyerRef, active: false },
    {
      buyer_ref: named.buyerRef,
      packages: [{ buyer_ref: named.packageRef, budget: 5 }],
    },
    {
      buyer_ref: named.buyerRef,
      updates: { packages: [{ buyer_ref: named.packageRef, budget: 6 }] },
    },
  ],
  getMediaBuys: (named) => [
    { buyer_refs: [named.buyerRef] },
    { ...common(), media_buy_id: named.mediaBuyId },
    pageAt('getMediaBuys', named),
    {
      ...common(),
      adcp_version: '3.1',
      media_buy_ids: [named.mediaBuyId],
      include_history: 10,
      include_snapshot: true,
      include_webhook_activity: true,
    },
  ],
  getMediaBuyDelivery: ({ buyerRef, mediaBuyId }) => [
    { buyer_refs: [buyerRef] },
    { media_buy_id: mediaBuyId, granularity: 'daily' },
  ],
  activateSignal: ({ signalId, pricingOptionId }) => [
    {
      ...keyed(),
      signal_agent_segment_id: signalId,
      pricing_option_id: pricingOptionId,
      destinations: [{ type: 'platform', platform: 'dsp' }],
    },
  ],
  providePerformanceFeedback: ({ buyerRef }) => [
    { buyer_ref: buyerRef, measurement_period: period, performance_index: 1 },
  ],
  reportUsage: (named) => [
    ...['standards_id', 'rights_id', 'property_list_id'].map((member) => ({
      ...keyed(),
      reporting_period: period,
      usage: [usage(named, { [member]: named.signalId })],
    })),
    {
      ...keyed(),
      reporting_period: period,
      usage: [
        usage(named, {
          media_buy_id: named.mediaBuyId,
          creative_id: named.creativeId,
          pricing_option_id: named.pricingOptionId,
        }),
      ],
    },
  ],
  getTask: ({ taskId, operationId, contextId }) => [
    { task_id: taskId, context_id: contextId },
    { task_id: operationId },
  ],
  cancelTask: ({ operationId }) => [{ ...keyed(), task_id: operationId }],
  listTasks: (named) => [
    { ...common(), filters: { context_id: named.contextId } },
    { ...common(), filters: { context_contains: named.buyerRef } },
    pageAt('listTasks', named),
  ],
};

/** Updates of a buy, at the top level and inside `updates`: names that both places accept are in both. */
function changesOf({
  mediaBuyId,
  packageId,
  productId,
  pricingOptionId,
  creativeId,
  signalId,
}: Named): readonly Json[] {
  const targeting_overlay = { signals: [{ signal_agent_segment_id: signalId }] };
  const bought = { product_id: productId, pricing_option_id: pricingOptionId, budget: 1, targeting_overlay };
  const assigned = { creative_assignments: [{ creative_id: creativeId }] };
  const changes: readonly Json[] = [
    {
      packages: [{ package_id: packageId, ...assigned, targeting_overlay }],
      new_packages: [{ ...bought, ...assigned }],
    },
    {
      packages: [{ package_id: packageId, creative_ids: [creativeId] }],
      new_packages: [{ ...bought, creative_ids: [creativeId] }],
    },
    {
      packages: [{ package_id: packageId, creatives: [creative(creativeId)] }],
      new_packages: [{ ...bought, creatives: [creative(creativeId)] }],
    },
  ];
  return [
    { media_buy_id: mediaBuyId, updates: { status: 'paused' } },
    { media_buy_id: mediaBuyId, updates: { targeting: targeting_overlay } },
    { media_buy_id: mediaBuyId, updates: { targeting_overlay } },
    { ...keyed(), media_buy_id: mediaBuyId, revision: 1, paused: true },
    ...changes.flatMap((change) => [
      { ...keyed(), media_buy_id: mediaBuyId, ...change },
      { ...keyed(), media_buy_id: mediaBuyId, updates: change },
    ]),
    // Last, because a canceled buy cannot be updated.
    { ...keyed(), media_buy_id: mediaBuyId, canceled: true },
  ];
}

function usage({ accountId }: Named, more: Json): Json {
  return { account: { account_id: accountId }, vendor_cost: 1, currency: 'USD', ...more };
}

function creative(id: string): Json {
  const format = { agent_url: 'https://creative.example/', id: 'display_300x250' };
  return { creative_id: id, name: 'x', format_id: format, assets: {} };
}

/** Returns all requests of a task that name an owner's items, by each of their names. */
export function taskRequestsOf(row: keyof typeof taskTable, named: Named): readonly Json[] {
  return [taskRequest(row, named), ...(otherRequests[row]?.(named) ?? [])];
}

/** Returns the request of a task; throws if there is none. */
function taskRequest(row: keyof typeof taskTable, named: Named): Json {
  const requests: Partial<Record<string, (named: Named) => Json>> = taskRequests;
  const make = requests[row];
  if (make === undefined) throw new Error(`task-requests.ts has no request of the task ${row}: add one.`);
  return make(named);
}
