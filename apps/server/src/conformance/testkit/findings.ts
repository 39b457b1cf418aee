import { answerLimits, originalLimits, releaseNames, servingTask, type Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import { recordingSellers } from './recording-sellers.js';
import { spokenIn, type Cell, type Passage } from './stage.js';

/** Products in the closed shape of the tasks that later releases added. */
const compactProducts = [
  ...['products[].format_ids', 'products[].delivery_measurement', 'products[].targeting'],
];

function inLater(tasks: readonly string[], members: readonly string[]) {
  return Object.fromEntries(
    tasks.map((task) => [task, Object.fromEntries(releaseNames.map((release) => [release, members]))]),
  );
}

/**
 * Members that a form cannot carry, by task: members of requests that the seller's form lacks, and members of answers
 * that the buyer's form lacks. All losses that answers report are listed here.
 */
export const cannotCarry: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  get_products: {
    service: [
      'brand.brand_id',
      'filters.is_fixed_price',
      'filters.standard_formats_only',
      'filters.min_exposures',
      'filters.start_date',
      'filters.end_date',
      'filters.required_features',
      'filters.pricing_currencies',
      'preferred_delivery_types',
      'property_list',
      'required_policies',
      'proposals',
    ],
    '2.5': [
      'brand.brand_id',
      'filters.required_features',
      'filters.pricing_currencies',
      'preferred_delivery_types',
      'property_list',
      'required_policies',
      'products[].targeting',
      'products[].channels',
      'proposals',
    ],
    '3.0': [
      'brand_manifest.name',
      'filters.format_types',
      'filters.pricing_currencies',
      'products[].targeting',
    ],
    '3.1': ['brand_manifest.name', 'filters.format_types', 'products[].targeting'],
  },
  get_signals: {
    service: ['discovery_mode', 'signals[].signal_id', 'signals[].pricing_options'],
    '2.5': ['discovery_mode', 'signals[].signal_id', 'signals[].pricing_options'],
    '3.0': ['discovery_mode'],
  },
  list_creative_formats: {
    service: [
      'asset_types',
      'max_width',
      'max_height',
      'min_width',
      'min_height',
      'is_responsive',
      'name_search',
      'publisher_domain',
    ],
    '2.5': ['publisher_domain', 'formats[].dimensions'],
    '3.0': ['format_types', 'type', 'publisher_domain', 'formats[].dimensions'],
    '3.1': ['format_types', 'type', 'formats[].dimensions'],
  },
  get_media_buy_delivery: {
    service: [
      'time_granularity',
      'include_package_daily_breakdown',
      'include_window_breakdown',
      'status_filter',
    ],
    '2.5': ['time_granularity', 'include_package_daily_breakdown', 'include_window_breakdown'],
    '3.0': ['time_granularity', 'include_window_breakdown'],
  },
  activate_signal: {
    service: ['pricing_option_id', 'action'],
    '2.5': ['pricing_option_id', 'action'],
  },
  create_media_buy: {
    service: ['brand.brand_id', 'packages[].creatives[].name'],
    '2.5': ['brand.brand_id'],
    '3.0': ['brand_manifest.name'],
    '3.1': ['brand_manifest.name'],
  },
  sync_creatives: { service: ['creatives[].name'] },
  ...inLater(['list_products', 'request_proposals', 'refine_proposals'], compactProducts),
  ...inLater(['buy_products', 'accept_proposal'], ['available_actions', 'buyer_ref']),
  ...inLater(['control_media_buy'], ['available_actions', 'buyer_ref', 'affected_packages[].buyer_ref']),
};

/** Members that a form requires and other forms lack: a finding states that the seller did not report them. */
const demanded: Readonly<Record<string, readonly string[]>> = {
  get_products: [
    'products[].publisher_properties',
    'products[].delivery_type',
    'products[].delivery_measurement',
    'products[].reporting_capabilities',
  ],
  get_signals: [
    'signals[].signal_type',
    'signals[].signal_id',
    'signals[].data_provider',
    'signals[].coverage_percentage',
    'signals[].pricing',
    'signals[].pricing_options',
  ],
};

/** Returns the findings of an answer that the table does not contain. */
export function findingsOutside(cell: Cell, { answer }: Passage): readonly string[] {
  const { task, form } = cell;
  const older = servingTask(task)?.name ?? task;
  return findingsOf(answer).flatMap((finding) => {
    const received = JSON.stringify(finding);
    if (finding['code'] === 'NOT_TOLD' && demanded[older]?.some((text) => text === finding['field']) === true)
      return [];
    const field = typeof finding['field'] === 'string' ? finding['field'].replace(/\[[^\]]*\]/g, '[]') : '';
    const seller = recordingSellers.find(({ slug }) => slug === finding['seller']);
    const allowed = [
      ...limitsOf(older, form),
      ...(cannotCarry[older]?.[form] ?? []),
      ...(cannotCarry[task]?.[spokenIn(cell)] ?? []),
      ...(seller === undefined ? [] : (cannotCarry[older]?.[seller.form] ?? [])),
    ];
    return allowed.some((text) => text === field || isAnyMember(text, field))
      ? []
      : [`finding outside the table: ${received}`];
  });
}

/** Returns the members that a form's answers cannot carry, from the table that the round trip tests use. */
function limitsOf(task: string, form: Form): readonly string[] {
  const all = [...(answerLimits[task] ?? []), ...(originalLimits[task] ?? [])];
  return all.filter(({ forms }) => forms.includes(form)).map(({ as }) => as);
}

function isAnyMember(allowed: string, field: string): boolean {
  return allowed.endsWith('.*') && field.startsWith(allowed.slice(0, -1));
}

function findingsOf(answer: JsonObject): readonly JsonObject[] {
  const ext = isJsonObject(answer['ext']) ? answer['ext'] : {};
  const ours = isJsonObject(ext['switchyard']) ? ext['switchyard'] : {};
  const listed = ours['findings'] ?? answer['findings'];
  return Array.isArray(listed) ? listed.filter(isJsonObject) : [];
}
