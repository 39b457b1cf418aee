import type { taskTable } from '../../task-table.js';

type Row = keyof typeof taskTable;

/** Members of the envelope in any task: they are read before the task's own and written after them. */
export const envelope: Readonly<Record<'request' | 'response', readonly string[]>> = {
  request: [
    'account',
    'adcp_major_version',
    'adcp_version',
    'context_id',
    'governance_context',
    'idempotency_key',
    'push_notification_config',
  ],
  response: [
    'adcp_error',
    'adcp_major_version',
    'adcp_version',
    'cache_scope',
    'context',
    'context_id',
    'errors',
    'governance_context',
    'message',
    'push_notification_config',
    'replayed',
    'status',
    'task_id',
    'timestamp',
  ],
};

type Reasons = Readonly<Record<string, readonly string[]>>;

const platform = 'The platform answers it itself, and no seller is asked.';
const page = 'Pages are ours: a market is read to its end and cut anew.';
const held = 'What came is held against it, whoever was asked.';
const words = 'Each form has words of its own for it.';
const reckoned = 'It is reckoned anew from what was read.';
const pair = 'Accounts of ours are pairs of an operator and a brand.';
const nothing = 'What is off, or empty, is left out.';

/** 2.5 has a pause in minutes, and 3.0 has country and postal codes in one member. */
const aimedAt = (item: string): readonly string[] =>
  ['frequency_cap.suppress', 'geo_postal_areas[]', 'geo_postal_areas_exclude[]']
    .flatMap((name) => (name.endsWith('[]') ? [`${name}.country`, `${name}.system`] : [name]))
    .map((name) => `${item}.targeting_overlay.${name}`);

/** Members that another form writes with another name or value, with the reason, by task. */
export const mappings: Readonly<Record<'request' | 'response', Partial<Record<Row, Reasons>>>> = {
  request: {
    getProducts: {
      [page]: ['pagination', 'fields'],
      [held]: ['filters.budget_range.currency'],
      [words]: [
        ...['buying_mode', 'brand.domain', 'filters.postal_areas[].system', 'filters.postal_areas[].country'],
        'filters.signal_targeting[].signal_ref',
      ],
      'How long we wait, and what was seen before, is between us and our caller.': [
        'time_budget',
        'if_pricing_version',
        'if_wholesale_feed_version',
      ],
    },
    getSignals: {
      [page]: ['pagination', 'fields'],
      [words]: ['deliver_to', 'destinations', 'countries', 'signal_refs[].scope'],
    },
    listCreativeFormats: { [page]: ['pagination'], [held]: ['format_ids', 'type'] },
    syncCreatives: {
      [words]: ['creatives[].approved', 'creatives[].status'],
      [nothing]: ['delete_missing', 'dry_run'],
      'Of the ids go those whose creatives do.': ['creative_ids'],
      'What is meant where nothing is said is not said.': ['validation_mode'],
    },
    listCreatives: {
      [platform]: [
        'filters',
        'include_assignments',
        'include_items',
        'include_performance',
        'include_pricing',
        'include_purged',
        'include_snapshot',
        'include_sub_assets',
        'include_variables',
        'include_webhook_activity',
        'webhook_activity_limit',
      ],
      [page]: ['pagination', 'sort'],
    },
    createMediaBuy: {
      [words]: [
        'brand.domain',
        'packages[].creatives[].approved',
        'packages[].creatives[].status',
        'packages[].targeting_overlay',
      ],
      'It comes back from us.': ['packages[].context'],
      'The version of the request holds for its packages.': ['packages[].adcp_major_version'],
    },
    updateMediaBuy: {
      [words]: [
        'buyer_ref',
        'start_time',
        'canceled',
        'paused',
        'packages[].creative_ids',
        'packages[].targeting_overlay',
      ],
      'It comes back from us.': ['new_packages[].context'],
      'The version of the request holds for its packages.': ['new_packages[].adcp_major_version'],
    },
    getMediaBuys: {
      [platform]: [
        'include_history',
        'include_snapshot',
        'include_webhook_activity',
        'status_filter',
        'webhook_activity_limit',
      ],
      [page]: ['pagination'],
    },
    getMediaBuyDelivery: {
      [words]: ['status_filter'],
      'Sellers are asked by their own ids.': ['buyer_refs'],
    },
    activateSignal: { [words]: ['deployments', 'destinations'] },
    getTask: { [platform]: ['include_history', 'include_result'] },
    listTasks: { [platform]: ['filters', 'include_history'], [page]: ['pagination'] },
    listAuthorizedProperties: { [held]: ['publisher_domains'] },
    syncAccounts: { [platform]: ['accounts'], [nothing]: ['delete_missing', 'dry_run'] },
    reportUsage: { 'Each hop has accounts of its own.': ['usage[].account'] },
    providePerformanceFeedback: { 'Sellers are told by their own ids.': ['buyer_ref'] },
  },
  response: {
    getCapabilities: {
      'Ours are written from what is built and connected; of a seller’s own, all is kept.': [
        'adcp.major_versions',
        'media_buy.buying_modes',
        'webhook_signing.legacy_hmac_fallback',
      ],
    },
    getProducts: {
      [page]: ['pagination'],
      [words]: [
        'products[].pricing_options[].is_fixed',
        'products[].pricing_options[].pricing_model',
        'products[].reporting_capabilities.available_metrics',
        'products[].reporting_capabilities.supports_geo_breakdown.postal_area',
        'products[].outcome_measurement.window',
      ],
      'Where a form names no currency, it is the one of its prices.': [
        'products[].pricing_options[].currency',
      ],
    },
    getSignals: {
      [words]: ['signals[].pricing.currency'],
      'Keys are shown of the caller’s own activations: of others in the account not even that there are some.':
        ['signals[].deployments[].activation_key'],
    },
    listCreativeFormats: { [page]: ['pagination'], [words]: ['formats[].reported_metrics'] },
    syncCreatives: { [words]: ['creatives[].errors[].retry_after'] },
    listCreatives: {
      [reckoned]: ['creatives[].assignments.assignment_count', 'query_summary'],
      [page]: ['pagination'],
      [words]: ['creatives[].assignments.assigned_packages[].status'],
    },
    createMediaBuy: { [words]: ['media_buy_status', ...aimedAt('packages[]')] },
    updateMediaBuy: { [words]: ['media_buy_status', ...aimedAt('affected_packages[]')] },
    getMediaBuys: {
      [words]: ['media_buys[].status', ...aimedAt('media_buys[].packages[]')],
      [reckoned]: ['media_buys[].health'],
      [page]: ['pagination'],
    },
    getMediaBuyDelivery: {
      [reckoned]: [
        'media_buy_deliveries[].daily_breakdown',
        'media_buy_deliveries[].windows[].window_start',
        'media_buy_deliveries[].windows[].window_end',
      ],
    },
    getTask: { [words]: ['domain', 'protocol'] },
    listTasks: { [page]: ['pagination', 'query_summary'] },
    listAccounts: {
      [pair]: ['accounts[].account_scope'],
      'A name for people, of the pair.': ['accounts[].name'],
    },
    syncAccounts: {
      [words]: ['accounts[].errors[].retry_after'],
      [pair]: ['accounts[].account_scope'],
      'Domains are the same in capital letters, and are written in small ones.': ['accounts[].operator'],
      'A name for people, of the pair.': ['accounts[].name'],
    },
  },
};

/** Returns the mapped paths of a task. */
export function mappedPaths(kind: 'request' | 'response', row: Row): readonly string[] {
  return Object.values(mappings[kind][row] ?? {}).flat();
}
