import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { oneLine } from './one-line.js';

/** The most parts of one item that are named: packages, prices, deployments. */
const mostParts = 6;
/** An id that a caller has to send back as it is: a longer one is not cut but left out. */
const longestId = 400;

/** Members of an item that are written as they are, in this order. */
const plain = [
  ...['status', 'media_buy_status', 'approval_status', 'delivery_type', 'signal_type', 'data_provider'],
  ...['type', 'platform', 'account', 'agent_url', 'pricing_option_id', 'bid_price', 'rate'],
  ...['allocation_percentage', 'coverage_percentage', 'impressions', 'clicks', 'paused', 'is_live'],
  ...['estimated_activation_duration_minutes', 'start_time', 'end_time', 'expires_at', 'revision'],
];
/** Amounts, which are followed by their currency. */
const amounts = ['budget', 'total_budget', 'spend'];
/** Objects whose members count as the item's own. */
const inside = ['totals', 'activation_key'];
/** Lists inside an item, each on a line of its own. */
const parts = ['pricing_options', 'packages', 'by_package', 'allocations', 'deployments'];

/**
 * Returns what a model needs of one item to go on: its ids, name, state, amounts with their currency, and one line for
 * each of its prices and packages. `currency` is the one of what the item stands in.
 */
export function itemLines(item: JsonObject, currency?: string): readonly string[] {
  const own = textOf(item['currency']) ?? currency;
  const words = [
    ...idsOf(item),
    ...named('name', item['name']),
    ...figuresOf(item, own),
    ...inside.flatMap((name) => (isJsonObject(item[name]) ? figuresOf(item[name], own) : [])),
    ...formatsOf(item),
  ];
  const price = item['pricing'];
  const lines = [
    ...(isJsonObject(price) ? [priceOf(price)] : []),
    ...parts.flatMap((name) => partLines(name, item[name], own)),
  ];
  if (words.length === 0 && lines.length === 0) return [];
  return [words.join(', '), ...lines.map((line) => `  ${line}`)];
}

function partLines(
  name: string,
  value: JsonValue | undefined,
  currency: string | undefined,
): readonly string[] {
  const all = Array.isArray(value) ? value.filter(isJsonObject) : [];
  const shown = all.slice(0, mostParts).map((part) => {
    if (name === 'pricing_options') return priceOf(part);
    return `${name}: ${itemLines(part, currency)
      .map((line) => line.trim())
      .join('; ')}`;
  });
  const left = all.length - shown.length;
  return left > 0 ? [...shown, `${name}: and ${left} more`] : shown;
}

/** One price of a product or a signal. The `service` form names no currency: US dollars. */
function priceOf(option: JsonObject): string {
  const { pricing_option_id: id, pricing_model: model, model: ofSignal } = option;
  const currency = textOf(option['currency']) ?? 'USD';
  const guidance = isJsonObject(option['price_guidance']) ? option['price_guidance'] : {};
  const isRate = option['is_fixed'] === true ? option['rate'] : undefined;
  const fixed = option['fixed_price'] ?? option['price'] ?? option['cpm'] ?? option['amount'] ?? isRate;
  const floor = option['floor_price'] ?? option['floor'] ?? guidance['floor'];
  const least = option['min_spend_per_package'];
  const words = [
    ...named('', id, longestId),
    ...named('', model ?? ofSignal ?? (typeof option['cpm'] === 'number' ? 'cpm' : undefined)),
    ...(typeof fixed === 'number' ? [`${fixed} ${currency}`] : []),
    ...(typeof floor === 'number' ? [`bid from ${floor} ${currency}`] : []),
    ...(typeof fixed === 'number' || typeof floor === 'number' ? [] : [currency]),
    ...(typeof option['percent'] === 'number' ? [`${option['percent']} percent of the media`] : []),
    ...(typeof least === 'number' ? [`at least ${least} ${currency} per package`] : []),
  ];
  return `price: ${words.join(', ')}`;
}

/** The ids of an item. Those that it names of others say whose they are. */
function idsOf(item: JsonObject): readonly string[] {
  const names = Object.keys(item).filter((name) => name.endsWith('_id') && typeof item[name] === 'string');
  return [...names, ...(item['buyer_ref'] === undefined ? [] : ['buyer_ref'])]
    .filter((name) => name !== 'pricing_option_id')
    .slice(0, mostParts)
    .flatMap((name, at) => named(at === 0 ? '' : name, item[name], longestId));
}

function figuresOf(item: JsonObject, currency: string | undefined): readonly string[] {
  const money = amounts.flatMap((name) => {
    const amount = item[name];
    if (typeof amount !== 'number' && typeof amount !== 'string') return [];
    return [`${name} ${oneLine(String(amount))}${currency === undefined ? '' : ` ${currency}`}`];
  });
  return [
    ...plain.flatMap((name) => named(name === 'status' ? '' : name, item[name])),
    ...money,
    ...keyOf(item),
  ];
}

/** What targets an activated signal. */
function keyOf({ segment_id: segment, key, value }: JsonObject): readonly string[] {
  if (typeof segment === 'string') return [];
  return typeof key === 'string' && typeof value === 'string'
    ? [`key ${oneLine(key)}=${oneLine(value)}`]
    : [];
}

/** The formats that a product takes, or the one of a creative: by id, since their agent is in the whole answer. */
function formatsOf({ format_id: one, format_ids: many }: JsonObject): readonly string[] {
  const all = [...(Array.isArray(many) ? many : []), ...(isJsonObject(one) ? [one] : [])].filter(
    isJsonObject,
  );
  const shown = all.slice(0, mostParts).map(({ agent_url: url, id }) => `${oneLine(id)} of ${oneLine(url)}`);
  if (shown.length === 0) return [];
  return [
    `formats ${shown.join(' and ')}${all.length > shown.length ? ` and ${all.length - shown.length} more` : ''}`,
  ];
}

function named(name: string, value: JsonValue | undefined, most?: number): readonly string[] {
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  if (!isPlain && (typeof value !== 'string' || value === '')) return [];
  const text = String(value);
  if (most !== undefined && text.length > most) return [];
  return [`${name === '' || name === 'name' ? '' : `${name} `}${oneLine(text, most)}`];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? oneLine(value, 12) : undefined;
}
