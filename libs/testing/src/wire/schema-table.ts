import type { Spoken } from './published-schemas.js';

/** Schema paths of a task by release; the end of the name tells which side it is for. */
export const schemaPaths: Readonly<Record<string, readonly string[]>> = {
  get_ads_capabilities: ['protocol/get-adcp-capabilities'],
  get_products: ['media-buy/get-products'],
  list_creative_formats: ['creative/list-creative-formats', 'media-buy/list-creative-formats'],
  get_signals: ['signals/get-signals'],
  activate_signal: ['signals/activate-signal'],
  create_media_buy: ['media-buy/create-media-buy'],
  update_media_buy: ['media-buy/update-media-buy'],
  get_media_buys: ['media-buy/get-media-buys'],
  get_media_buy_delivery: ['media-buy/get-media-buy-delivery'],
  sync_creatives: ['creative/sync-creatives', 'media-buy/sync-creatives'],
  list_creatives: ['creative/list-creatives', 'media-buy/list-creatives'],
  get_task: ['core/tasks-get'],
  list_tasks: ['core/tasks-list'],
  list_authorized_properties: ['media-buy/list-authorized-properties'],
  provide_performance_feedback: ['media-buy/provide-performance-feedback'],
  list_accounts: ['account/list-accounts'],
  sync_accounts: ['account/sync-accounts'],
  report_usage: ['account/report-usage'],
  list_products: ['media-buy/list-products'],
  request_proposals: ['media-buy/request-proposals'],
  refine_proposals: ['media-buy/refine-proposals'],
  decline_proposals: ['media-buy/decline-proposals'],
  buy_products: ['media-buy/buy-products'],
  accept_proposal: ['media-buy/accept-proposal'],
  control_media_buy: ['media-buy/control-media-buy'],
  sync_agent_notification_configs: ['protocol/sync-agent-notification-configs'],
  comply_test_controller: ['compliance/comply-test-controller'],
};

/** Where our messages do not match a published schema, and why that is correct. Anything else is a fault. */
export const deviations: readonly {
  readonly forms: readonly Spoken[];
  readonly fault: RegExp;
  readonly why: string;
}[] = [
  {
    forms: ['2.5', '3.0', '3.1'],
    fault: /^\/reporting_webhook must have required property 'authentication'/,
    why: 'Reports are asked for in the signed profile: the `authentication` block, which the schema wants, would ask for an older one.',
  },
  {
    forms: ['2.5'],
    fault: /^\/push_notification_config must have required property 'authentication'/,
    why: 'The same, for task webhooks of 2.5.',
  },
  {
    forms: ['2.5'],
    fault: /\/assets\/[^/ ]+ must match exactly one schema in oneOf \{"passingSchemas":\[\d+,\d+\]\}$/,
    why: 'The asset schemas of 2.5 overlap: an image is a video there, and a markup a text.',
  },
  {
    forms: ['2.5', '3.0'],
    fault: /^(\/tasks\/\d+)?\/task_type must be equal to one of the allowed values/,
    why: 'Both have shapes for a search for products that is under way, and no such type in their lists of tasks.',
  },
];

/** Answers in progress without a published schema: they are checked against the envelope of answers only. */
export const unpublishedArms: readonly {
  readonly task: string;
  readonly forms: readonly Spoken[];
  readonly why: string;
}[] = [
  {
    task: 'activate_signal',
    forms: ['2.5', '3.0', '3.1'],
    why: 'No release has a shape for an activation that is under way; the `service` form lets it be one.',
  },
  {
    task: 'get_signals',
    forms: ['2.5', '3.0'],
    why: 'Before 3.1 no release has a shape for a search for signals that is under way.',
  },
];

/** Lists that a release closes in its schema and opens in its text: their items are only checked to be text. */
export const openLists: readonly {
  readonly task: string;
  readonly forms: readonly Spoken[];
  readonly member: string;
  readonly why: string;
}[] = [
  {
    task: 'comply_test_controller',
    forms: ['3.0'],
    member: 'scenarios',
    why: 'Scenarios of later releases are to be listed and to be accepted, as the description of the member has it.',
  },
];
