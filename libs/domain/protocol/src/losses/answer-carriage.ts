import type { Carriage } from './lost-members.js';
import { postalSystems } from '../entities/product/reporting-capabilities.js';

/** Members that all answers have. They are read with the status, task and errors. */
const around = [
  'status',
  'message',
  'errors',
  'context',
  'context_id',
  'task_id',
  'timestamp',
  'replayed',
  'adcp_error',
  'push_notification_config',
  'governance_context',
  'ads_version',
  'ads_major_version',
  'adcp_version',
  'adcp_major_version',
  // Our own answer sets its cache scope.
  'cache_scope',
];

/** Prices of a product; other members show whether one is an auction. */
const prices = 'products[].pricing_options[]';

/** Before 3.1 a country and its postal system are one name. */
const areas = 'products[].reporting_capabilities.supports_geo_breakdown.postal_area';
const postalAliases = Object.fromEntries(
  Object.entries(postalSystems).map(([country, names]) => [`${areas}.${country}`, names]),
);

/** The flight of a leg is read from its seller's answer, and shown when the buy is read. */
const flight: Carriage = { local: ['start_time', 'end_time'] };

/** Names of answer members in other forms, by task. */
const carriages: Readonly<Record<string, Carriage>> = {
  create_media_buy: flight,
  update_media_buy: flight,
  get_products: {
    each: { 'products[].pricing_options': 'pricing_option_id' },
    aliases: {
      [`${prices}.price`]: ['fixed_price', 'rate'],
      [`${prices}.rate`]: ['fixed_price', 'price'],
      [`${prices}.fixed_price`]: ['rate', 'price'],
      [`${prices}.floor`]: ['floor_price', 'price_guidance'],
      [`${prices}.floor_price`]: ['floor', 'price_guidance'],
      'products[].measurement': ['outcome_measurement'],
      'products[].outcome_measurement': ['measurement'],
      ...postalAliases,
    },
    // If a form has no currency member, the prices have the form's only currency.
    local: ['is_fixed', 'currency', 'price_guidance.floor'].map((name) => `${prices}.${name}`),
  },
  // A time series point has its day, or its start and end.
  get_media_buy_delivery: {
    aliases: {
      'timeseries[].date': ['start'],
      'timeseries[].timestamp': ['start'],
      'media_buy_deliveries[].timeseries[].date': ['start'],
      'media_buy_deliveries[].timeseries[].timestamp': ['start'],
    },
  },
  // 2.5 lists the assets of a format under another name.
  list_creative_formats: {
    aliases: { 'formats[].assets': ['assets_required'], 'formats[].assets_required': ['assets'] },
  },
  // An invalid domain is set aside, with a finding.
  list_authorized_properties: { local: ['publisher_domains'] },
  get_signals: {
    aliases: {
      'signals[].pricing': ['pricing_options'],
      'signals[].catalog_type': ['signal_type'],
    },
    // Only the caller's own activations are reported, so those of other accounts must not appear as losses.
    local: ['signals[].deployments'],
  },
};

const withAround = new Map<string, Carriage>();

/** Returns the carriage of a task's answers, including the members of all answers. */
export function answerCarriage(task: string): Carriage {
  const before = withAround.get(task);
  if (before !== undefined) return before;
  const own = carriages[task] ?? {};
  const carriage = { ...own, local: [...around, ...(own.local ?? [])] };
  withAround.set(task, carriage);
  return carriage;
}
