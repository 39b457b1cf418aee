import { onRequest } from '../../entities/product/on-request.js';
import type { MemberRules } from '../release.js';
import { servedBy } from './served-by.js';

const longPeriods = ['weekly', 'quarterly', 'post_campaign'];
const commissions = ['commissionable_value'];
const frequencies = 'products[].reporting_capabilities.available_reporting_frequencies';
const model = 'media_buy_deliveries[].by_package[].pricing_model';

/** Actions that are called by a task of 3.2: its lists of plain names do not have them either. */
const compactActions = [
  ...['update_catalog_assignments', 'update_keywords', 'update_optimization_goals', 'update_impression_goal'],
  ...['update_spend_target', 'update_reporting_webhook'],
];
const newActions = [...compactActions, 'update_name', 'update_budget_allocation', 'update_bidding'];

const withoutActions = (at: string, actions: readonly string[]): MemberRules => ({
  values: { [`${at}valid_actions`]: actions },
  items: { [`${at}available_actions`]: { member: 'action', values: actions } },
});

/** The types of tasks that it added. */
const taskTypes = (at: string): MemberRules => ({
  values: { [at]: Object.keys(servedBy) },
  instead: { [at]: servedBy },
});

/** What answers of 3.2 have that older releases have no place for. Where their schemas are open it is passed on. */
export const answers: Readonly<Record<string, MemberRules>> = {
  '*': {
    added: [
      ...['..vendor.countries', '..vendors[].countries', '..brand.countries'],
      '..notification_configs[].product_payload_view',
    ],
    values: {
      '..vast_version': ['4.3'],
      '..accepts_parameters': ['pixel_ratio'],
      '..notification_configs[].event_types': [...['creative.assignment_changed', 'indicators.changed']],
    },
    items: { '..notification_configs': { member: 'event_types[]', values: ['account.status_changed'] } },
  },
  get_products: {
    values: {
      [frequencies]: longPeriods,
      'products[].reporting_capabilities.windowed_pull_granularities': longPeriods,
      'products[].reporting_capabilities.available_metrics': commissions,
    },
    instead: { [frequencies]: 'monthly' },
    items: { proposals: { member: 'allocations[].allocation_percentage' } },
    closed: {
      items: { 'products[].pricing_options': { member: 'pricing_model', values: ['revenue_share'] } },
      refill: { 'products[].pricing_options': onRequest },
    },
  },
  list_creative_formats: {
    items: { '..offering_asset_constraints': { member: 'asset_type', values: ['zip'] } },
  },
  create_media_buy: withoutActions('', newActions),
  update_media_buy: withoutActions('', newActions),
  get_media_buys: {
    ...withoutActions('media_buys[].', newActions),
    added: ['media_buys[].webhook_activity[].notification_id'],
  },
  get_media_buy_delivery: {
    values: { '..delivery_status': ['not_delivering'], [model]: ['revenue_share'] },
    // A share of what was sold is paid for outcomes, and a row must have a model.
    instead: { [model]: 'cpa' },
  },
  get_task: taskTypes('task_type'),
  cancel_task: taskTypes('task_type'),
  list_tasks: taskTypes('tasks[].task_type'),
};

/** Actions of sellers that none of its own lists has. */
export const neverAnswered: Readonly<Record<string, MemberRules>> = {
  create_media_buy: withoutActions('', compactActions),
  update_media_buy: withoutActions('', compactActions),
  get_media_buys: withoutActions('media_buys[].', compactActions),
};
