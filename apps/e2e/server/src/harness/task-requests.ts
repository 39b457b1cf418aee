import { randomUUID } from 'node:crypto';
import type { taskTable } from '@switchyard/protocol';
import { buyRequest, proposalRequest, type Json } from './buy-request.js';

/** Names of things that somebody owns, or that nobody does. */
export interface Named {
  readonly mediaBuyId: string;
  readonly packageId: string;
  readonly taskId: string;
  /** What a task is of: a task is found by it as well. */
  readonly operationId: string;
  readonly productId: string;
  readonly proposalId: string;
  readonly pricingOptionId: string;
  readonly signalId: string;
  readonly creativeId: string;
  readonly creativeName: string;
  readonly creativeTag: string;
  /** What its owner groups creatives by. */
  readonly creativeConcept: string;
  readonly accountId: string;
  /** The domain of the brand of an account's pair. */
  readonly accountBrand: string;
  readonly buyerRef: string;
  /** What its owner calls a package of the buy with that reference. */
  readonly packageRef: string;
  /** A session of its owner's own. */
  readonly contextId: string;
  /** Where a list of its owner's goes on, by the row of the task that gave it. */
  readonly cursors: Readonly<Partial<Record<keyof typeof taskTable, string>>>;
}

const common = (): Json => ({ adcp_version: '3.0', time_budget: { interval: 1, unit: 'seconds' } });
const keyed = (): Json => ({ ...common(), idempotency_key: randomUUID() });

/**
 * One request of every task that names everything the task can name. It is what the tests of isolation send, and they
 * fail for a task that has none here: add one with the task, and name whatever could belong to somebody else.
 */
export const taskRequests = {
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

/** What a list is asked for, page by page: the same for its first page and for those after it. */
export const pageRequests: Readonly<Partial<Record<keyof typeof taskTable, Json>>> = {
  getProducts: { ...common(), adcp_version: '3.1', buying_mode: 'wholesale' },
  getSignals: { ...common(), signal_spec: 'x' },
  listCreativeFormats: common(),
  listCreatives: common(),
  listTasks: common(),
  listAccounts: { ...common(), adcp_version: '3.1' },
  // Buys end meanwhile, and what has ended is shown to whoever asks for it.
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

/** The same things under their other names: references, sessions, pages, and what older forms have a member for. */
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

/** Changes of a buy, at the top level and inside `updates`: what both places hold is named in both. */
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
    // Last, because nothing can be changed after it.
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

/** Every request of a row that names somebody's things, under each name that they have. */
export function taskRequestsOf(row: keyof typeof taskTable, named: Named): readonly Json[] {
  return [taskRequest(row, named), ...(otherRequests[row]?.(named) ?? [])];
}

/** The request of a row of the tasks' table; throws where nobody has written one. */
export function taskRequest(row: keyof typeof taskTable, named: Named): Json {
  const requests: Partial<Record<string, (named: Named) => Json>> = taskRequests;
  const make = requests[row];
  if (make === undefined) throw new Error(`task-requests.ts has no request of the task ${row}: add one.`);
  return make(named);
}
