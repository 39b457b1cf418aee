import type { Carriage } from './lost-members.js';
import { postalSystems } from '../entities/product/reporting-capabilities.js';

/** What every answer may carry beside its own members: read where statuses, tasks and errors are, whatever the task. */
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
  // How long an answer may be kept by others is ours to say of an answer of ours.
  'cache_scope',
];

/** Prices of a product: that one is an auction is said by the others of its members. */
const prices = 'products[].pricing_options[]';

/** Before 3.1 a country and its system of postal areas are one word. */
const areas = 'products[].reporting_capabilities.supports_geo_breakdown.postal_area';
const postalAliases = Object.fromEntries(
  Object.entries(postalSystems).map(([country, names]) => [`${areas}.${country}`, names]),
);

/** When a part of a buy runs is taken over from whatever its seller says of it, and shown where the buy is read. */
const flight: Carriage = { ours: ['start_time', 'end_time'] };

/** How members of answers stand in other forms, by task. */
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
    // Where a form names no currency, it is the one that its prices are in anyway.
    ours: ['is_fixed', 'currency', 'price_guidance.floor'].map((name) => `${prices}.${name}`),
  },
  // A point of time is told by its day, or by its ends.
  get_media_buy_delivery: {
    aliases: {
      'timeseries[].date': ['start'],
      'timeseries[].timestamp': ['start'],
      'media_buy_deliveries[].timeseries[].date': ['start'],
      'media_buy_deliveries[].timeseries[].timestamp': ['start'],
    },
  },
  // 2.5 lists the assets of a format under a name of its own.
  list_creative_formats: {
    aliases: { 'formats[].assets': ['assets_required'], 'formats[].assets_required': ['assets'] },
  },
  // What is no publisher is set aside, and told as that.
  list_authorized_properties: { ours: ['publisher_domains'] },
  get_signals: {
    aliases: {
      'signals[].pricing': ['pricing_options'],
      'signals[].catalog_type': ['signal_type'],
    },
    // Where a signal is live is said of the caller's own activations: of an account's others not even that there are some.
    ours: ['signals[].deployments'],
  },
};

const withAround = new Map<string, Carriage>();

/** The carriage of a task's answers, with what all answers share. */
export function answerCarriage(task: string): Carriage {
  const before = withAround.get(task);
  if (before !== undefined) return before;
  const own = carriages[task] ?? {};
  const whole = { ...own, ours: [...around, ...(own.ours ?? [])] };
  withAround.set(task, whole);
  return whole;
}
