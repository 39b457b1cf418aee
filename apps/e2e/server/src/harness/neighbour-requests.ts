import { randomUUID } from 'node:crypto';
import type { Json } from './buy-request.js';
import type { Named } from './task-requests.js';

/** The neighbour's own items, by name, and a package that it could buy. */
export interface Neighbour extends Named {
  readonly wanted: Json;
}

/** The task, and a request in which everything but the tested name is the neighbour's own. */
export type NeighbourRequest = (own: Neighbour, there: Named) => readonly [task: string, request: Json];

const common = { adcp_version: '3.1' };
const keyed = (): Json => ({ ...common, idempotency_key: randomUUID() });
const period = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
const pair = { brand: { domain: 'roaster.example' }, operator: 'agency.example' };

/** Its own creative unchanged, so that the seller has nothing to review. */
const creativeOf = ({ wanted, creativeId, creativeName, creativeConcept }: Neighbour): Json => ({
  ...(wanted['creatives'] as readonly Json[])[0],
  creative_id: creativeId,
  name: creativeName,
  concept_id: creativeConcept,
});
const feedback = (names: Json): Json => ({
  ...keyed(),
  measurement_period: period,
  performance_index: 1,
  ...names,
});

/**
 * Requests that are correct except for one name, so that this name is reached and looked up. The neighbour buys from
 * the same seller as the owner: only the owner of an item differs.
 */
export const neighbourRequests: Readonly<Record<string, NeighbourRequest>> = {
  // Reads come first, because later reads would include what the requests below write.
  'a buy beside its own': (own, { mediaBuyId }) => [
    'get_media_buys',
    { ...common, media_buy_ids: [...new Set([own.mediaBuyId, mediaBuyId])] },
  ],
  'a buy of the older forms beside its own': (own, { buyerRef }) => [
    'get_media_buys',
    { buyer_refs: [...new Set([own.buyerRef, buyerRef])] },
  ],
  'a buy beside its own, asked for figures': (own, { mediaBuyId }) => [
    'get_media_buy_delivery',
    // Past days, whose figures do not change between two requests.
    {
      ...common,
      media_buy_ids: [...new Set([own.mediaBuyId, mediaBuyId])],
      start_date: '2026-01-01',
      end_date: '2026-01-02',
    },
  ],
  'creatives of a package': (_own, { packageId }) => [
    'list_creatives',
    { ...common, filters: { assigned_to_packages: [packageId] } },
  ],
  'creatives of a buy of the older forms': (_own, { buyerRef }) => [
    'list_creatives',
    { filters: { buyer_refs: [buyerRef] } },
  ],
  'creatives of a buy': (_own, { mediaBuyId }) => [
    'list_creatives',
    { ...common, filters: { media_buy_ids: [mediaBuyId] } },
  ],
  'a creative beside its own': (own, { creativeId }) => [
    'list_creatives',
    { ...common, filters: { creative_ids: [...new Set([own.creativeId, creativeId])] } },
  ],
  'a creative by a word in its name': (_own, { creativeName }) => [
    'list_creatives',
    { ...common, filters: { name_contains: creativeName } },
  ],
  'creatives of a concept': (_own, { creativeConcept }) => [
    'list_creatives',
    { ...common, filters: { concept_ids: [creativeConcept] } },
  ],
  'creatives of an account': (_own, { accountId }) => [
    'list_creatives',
    { ...common, filters: { accounts: [{ account_id: accountId }] } },
  ],
  'a task': (_own, { taskId }) => ['tasks/get', { ...common, task_id: taskId, include_result: true }],
  'what a task is of': (_own, { operationId }) => ['tasks/get', { ...common, task_id: operationId }],
  'a task beside its own': (own, { taskId }) => [
    'tasks/list',
    { ...common, filters: { task_ids: [...new Set([own.taskId, taskId])] } },
  ],
  'tasks of a session': (_own, { contextId }) => [
    'tasks/list',
    { ...common, filters: { context_id: contextId } },
  ],
  'a task to be called off': (_own, { taskId }) => ['tasks/cancel', { ...keyed(), task_id: taskId }],
  'a package that a creative of its own is assigned to': (own, { packageId }) => [
    'sync_creatives',
    {
      ...keyed(),
      account: pair,
      creatives: [creativeOf(own)],
      assignments: [{ creative_id: own.creativeId, package_id: packageId }],
    },
  ],
  'a creative that is assigned to its own package': (own, { creativeId }) => [
    'sync_creatives',
    {
      ...keyed(),
      account: pair,
      creatives: [creativeOf(own)],
      assignments: [{ creative_id: creativeId, package_id: own.packageId }],
    },
  ],
  'a package in what it thinks of its own buy': ({ mediaBuyId }, { packageId }) => [
    'provide_performance_feedback',
    feedback({ media_buy_id: mediaBuyId, package_id: packageId }),
  ],
  'a buy in what it thinks': (_own, { mediaBuyId }) => [
    'provide_performance_feedback',
    feedback({ media_buy_id: mediaBuyId }),
  ],
  'a buy in what it used': ({ accountId }, { mediaBuyId }) => [
    'report_usage',
    {
      ...keyed(),
      reporting_period: period,
      usage: [
        {
          account: { account_id: accountId },
          vendor_cost: 1,
          currency: 'USD',
          media_buy_id: mediaBuyId,
        },
      ],
    },
  ],
  'an account of what it used': ({ mediaBuyId }, { accountId }) => [
    'report_usage',
    {
      ...keyed(),
      reporting_period: period,
      usage: [
        { account: { account_id: accountId }, vendor_cost: 1, currency: 'USD', media_buy_id: mediaBuyId },
      ],
    },
  ],
  'creatives that a package of a new buy shows': ({ wanted }, { creativeId }) => {
    const { creatives: _none, ...part } = wanted;
    return ['create_media_buy', newBuy({ ...part, creative_ids: [creativeId] })];
  },
  'creatives that are assigned in a new buy': ({ wanted }, { creativeId }) => {
    const { creatives: _none, ...part } = wanted;
    return ['create_media_buy', newBuy({ ...part, creative_assignments: [{ creative_id: creativeId }] })];
  },
  'an account of a new buy': ({ wanted }, { accountId }) => [
    'create_media_buy',
    { ...newBuy(wanted), account: { account_id: accountId } },
  ],
};

function newBuy(part: Json): Json {
  return {
    ...keyed(),
    account: pair,
    brand: pair.brand,
    start_time: 'asap',
    end_time: '2099-01-01T00:00:00Z',
    packages: [part],
  };
}
