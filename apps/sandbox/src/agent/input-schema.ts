import type { DialectNames } from '@switchyard/protocol';
import type { Json, JsonObject } from '../json.js';
import type { Personality } from '../personalities.js';

type Form = Personality['form'];

const shapes = {
  text: { type: 'string' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  object: { type: 'object' },
  list: { type: 'array' },
  texts: { type: 'array', items: { type: 'string' } },
  any: {},
} as const satisfies Record<string, Json>;

type Shape = keyof typeof shapes;

/** Argument names by task: those of every form, then those of the `service` form, then those of the releases. */
const argumentTable: Readonly<Record<string, readonly [both: string, service: string, release: string]>> = {
  capabilities: ['protocols:texts', '', ''],
  'tasks/get': ['task_id:text include_history:flag include_result:flag', '', 'account:object'],
  'tasks/cancel': ['task_id:text reason:text', '', 'idempotency_key:text'],
  list_authorized_properties: ['', '', ''],
  provide_performance_feedback: [
    'media_buy_id:text package_id:text creative_id:text measurement_period:object performance_index:number metric_type:text feedback_source:text',
    '',
    'idempotency_key:text',
  ],
  report_usage: ['reporting_period:object usage:list', '', 'idempotency_key:text'],
  get_products: [
    'brief:text filters:object',
    'brand_manifest:any brand:object',
    'buying_mode:text refine:list brand:object catalog:object account:object fields:texts pagination:object time_budget:object property_list:object push_notification_config:object',
  ],
  list_creative_formats: [
    'format_types:texts',
    'type:text',
    'format_ids:list type:text account:object pagination:object',
  ],
  sync_creatives: [
    'creatives:list assignments:any dry_run:flag delete_missing:flag push_notification_config:object',
    '',
    'account:object idempotency_key:text creative_ids:texts validation_mode:text',
  ],
  list_creatives: [
    'filters:object sort:object pagination:object include_assignments:flag fields:texts',
    '',
    'account:object include_snapshot:flag include_purged:flag',
  ],
  create_media_buy: [
    'packages:list start_time:any end_time:text reporting_webhook:object push_notification_config:object brand:object po_number:text',
    'buyer_ref:text brand_manifest:any',
    'account:object idempotency_key:text paused:flag proposal_id:text total_budget:object io_acceptance:object plan_id:text advertiser_industry:text invoice_recipient:object agency_estimate_number:text artifact_webhook:object',
  ],
  update_media_buy: [
    'media_buy_id:text reporting_webhook:object push_notification_config:object',
    'updates:object buyer_ref:text',
    'account:object idempotency_key:text revision:number paused:flag canceled:flag cancellation_reason:text start_time:any end_time:text packages:list new_packages:list',
  ],
  get_media_buys: [
    'media_buy_ids:texts status_filter:any include_webhook_activity:flag webhook_activity_limit:number include_snapshot:flag',
    'media_buy_id:text buyer_refs:texts buyer_ref:text',
    'account:object include_history:number pagination:object',
  ],
  get_media_buy_delivery: [
    'media_buy_ids:texts status_filter:any start_date:text end_date:text time_granularity:text',
    'media_buy_id:text buyer_refs:texts buyer_ref:text granularity:text',
    'account:object include_package_daily_breakdown:flag include_window_breakdown:flag attribution_window:object reporting_dimensions:object',
  ],
  list_accounts: ['', '', 'account:object status:text sandbox:flag pagination:object'],
  sync_accounts: ['', '', 'accounts:list idempotency_key:text delete_missing:flag dry_run:flag'],
  comply_test_controller: ['scenario:text params:object', '', 'account:object'],
  get_signals: [
    'signal_spec:text filters:object max_results:number',
    'deliver_to:object',
    'destinations:list countries:texts account:object discovery_mode:text signal_ids:list pagination:object fields:texts push_notification_config:object',
  ],
  activate_signal: [
    'signal_agent_segment_id:text push_notification_config:object',
    'deployments:list',
    'destinations:list account:object idempotency_key:text action:text pricing_option_id:text',
  ],
};

const envelope = 'context:object context_id:text ext:object';

/** The complete arguments of a task: a client drops what the schema does not name. */
export function inputSchema(task: string, form: Form, names: DialectNames): JsonObject {
  const [both, service, release] = argumentTable[task] ?? ['', '', ''];
  const version = `${names.versionField}:text ${names.majorVersionField}:number governance_context:text`;
  const own = form === 'service' ? service : `${release} ${version}`;
  const properties: JsonObject = {};
  for (const item of `${both} ${own} ${envelope}`.split(' ').filter((text) => text.length > 0)) {
    const [name = '', shape = 'any'] = item.split(':');
    properties[name] = { ...shapes[shape as Shape] };
  }
  return { type: 'object', properties, additionalProperties: true };
}
