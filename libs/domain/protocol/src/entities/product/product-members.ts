import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { extName, is3x } from '../../message/form.js';
import { readPackageTerms } from '../package/package-terms.js';
import {
  booleanAt,
  listAt,
  member,
  objectAt,
  objectsAt,
  textAt,
  without,
  countAt,
  numberAt,
} from '../../message/pick.js';
import { withPlainBrands } from '../brand/brand.js';

/** Members that a product shares with a package: measurement and required performance. */
const measurementMembers = ['measurement_terms', 'performance_standards'] as const;
/** Members that are written for each release; values that the release does not take are left out. */
export const membersPerRelease = [
  ...['brief_relevance', 'expires_at', 'creative_policy', 'placements', 'delivery_measurement'],
  ...['outcome_measurement', 'measurement', 'cancellation_policy', ...measurementMembers],
];
/** RFC 3339, as every release wants a moment. */
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Writes a product's optional members for another form: only members that the form has, with values that it takes. The
 * others are left out and reported as lost.
 */
export function productMembersFor(value: JsonObject, to: Form): JsonObject {
  if (to === 'service') return membersOfService(value);
  const end = textAt(value, 'expires_at');
  const policy = objectAt(value, 'creative_policy');
  return defined({
    brief_relevance: textAt(value, 'brief_relevance'),
    expires_at: end !== undefined && dateTime.test(end) && !Number.isNaN(Date.parse(end)) ? end : undefined,
    creative_policy: policy !== undefined && isCreativePolicy(policy) ? policy : undefined,
    placements: placementsFor(value, to),
    delivery_measurement: deliveryMeasurementFor(value, to),
    ...outcomeMeasurementFor(value, to),
    ...(is3x(to) ? membersOf3x(value, to) : {}),
    ext: sellerExt(value),
  });
}

/** The `service` form allows any member of a product: the others keep their names. */
function membersOfService(value: JsonObject): JsonObject {
  return { ...without(value, ['ext', 'seller']), ...defined({ ext: sellerExt(value) }) };
}

/** Members that only 3.x has. */
function membersOf3x(value: JsonObject, to: '3.0' | '3.1'): JsonObject {
  const policy = objectAt(value, 'cancellation_policy');
  const terms = readPackageTerms(value);
  const sharedTerms = measurementMembers.flatMap((name): [string, JsonValue][] => {
    const term = member(terms, name);
    return term === undefined ? [] : [[name, to === '3.0' ? withPlainBrands(term) : term]];
  });
  const match = objectAt(value, 'trusted_match');
  return {
    ...(policy !== undefined && isCancellationPolicy(policy) ? { cancellation_policy: policy } : {}),
    ...Object.fromEntries(sharedTerms),
    ...(match !== undefined && to === '3.0' ? { trusted_match: trustedMatch30(match) } : {}),
  };
}

/** 3.1 added one type of identity: in 3.0 it is `other`. */
function trustedMatch30(match: JsonObject): JsonObject {
  const providers = listAt(match, 'providers');
  if (providers === undefined) return match;
  const known = (type: JsonValue): JsonValue => (type === 'world_id_nullifier' ? 'other' : type);
  const written = providers.map((provider) => {
    const types = isJsonObject(provider) ? listAt(provider, 'uid_types') : undefined;
    return types === undefined || !isJsonObject(provider)
      ? provider
      : { ...provider, uid_types: [...new Set(types.map(known))] };
  });
  return { ...match, providers: written };
}

function isCreativePolicy(policy: JsonObject): boolean {
  return (
    textAt(policy, 'co_branding') !== undefined &&
    textAt(policy, 'landing_page') !== undefined &&
    booleanAt(policy, 'templates_available') !== undefined
  );
}

/** 3.1 requires the mode of a placement; the default is that it may be selected. */
function placementsFor(value: JsonObject, to: Form): JsonValue[] | undefined {
  const written = objectsAt(value, 'placements').flatMap((placement): JsonObject[] => {
    const id = textAt(placement, 'placement_id');
    const name = textAt(placement, 'name');
    if (id === undefined) return [];
    if (to !== '3.1') return [{ ...placement, name: name ?? id }];
    const domain = textAt(placement, 'publisher_domain');
    const kind = domain === undefined ? 'seller_inline' : 'publisher_ref';
    return [
      { kind, mode: 'targetable', ...placement, ...(domain === undefined ? { name: name ?? id } : {}) },
    ];
  });
  return written.length === 0 ? undefined : written;
}

/** The seller's own extensions, without ours: `ext.switchyard` is written by this product. */
function sellerExt(value: JsonObject): JsonObject | undefined {
  const others = without(objectAt(value, 'ext') ?? {}, [extName]);
  return Object.keys(others).length === 0 ? undefined : others;
}

const units = ['seconds', 'minutes', 'hours', 'days', 'campaign'];
const feeTypes = ['none', 'full_commitment', 'percent_remaining', 'fixed_fee'];

/**
 * Whether a cancellation policy is complete, as in 3.x: a notice period, and a fee with its amount
 * (docs/protocol/products.md#cancellation-terms).
 */
function isCancellationPolicy(policy: JsonObject): boolean {
  const notice = objectAt(policy, 'notice_period');
  const fee = objectAt(policy, 'cancellation_fee');
  const type = textAt(fee, 'type') ?? '';
  if ((countAt(notice, 'interval') ?? 0) < 1 || !units.includes(textAt(notice, 'unit') ?? '')) return false;
  if (type === 'percent_remaining') return isWithin(numberAt(fee, 'rate'), 1);
  if (type === 'fixed_fee') return isWithin(numberAt(fee, 'amount'), Number.MAX_VALUE);
  return feeTypes.includes(type);
}

function isWithin(value: number | undefined, most: number): boolean {
  return value !== undefined && value >= 0 && value <= most;
}

/** Who counts where no vendor is named: the seller itself (docs/ledger.md#commitments). */
const sellersOwn = 'seller';
const windowText = /^(\d+) (second|minute|hour|day)s?$/;

/**
 * Who measures a product's delivery: vendors in 3.1, one text before, which 2.5 requires of every product. There the
 * vendor that the product's terms bill by is used, else the seller.
 */
function deliveryMeasurementFor(value: JsonObject, to: Form): JsonObject | undefined {
  const received = objectAt(value, 'delivery_measurement');
  const provider = textAt(received, 'provider') ?? named(objectsAt(received, 'vendors'));
  if (received !== undefined && (to === '3.1' || provider !== undefined))
    return to === '3.1' ? received : { ...received, ...defined({ provider }) };
  if (to !== '2.5') return undefined;
  const vendor = objectAt(objectAt(objectAt(value, 'measurement_terms'), 'billing_measurement'), 'vendor');
  return { ...received, provider: textAt(vendor, 'domain') ?? sellersOwn };
}

/** How an outcome is measured: 2.5 and 3.x differ in the member's name, and in a window as text or as a duration. */
function outcomeMeasurementFor(value: JsonObject, to: Form): JsonObject {
  const received = objectAt(value, 'outcome_measurement') ?? objectAt(value, 'measurement');
  const isWhole = ['type', 'attribution', 'reporting'].every((name) => textAt(received, name) !== undefined);
  if (received === undefined || !isWhole) return {};
  const { window: reported, ...rest } = received;
  const window = reported === undefined ? undefined : to === '2.5' ? inWords(received) : asLength(received);
  if (reported !== undefined && window === undefined) return {};
  const written = { ...rest, ...defined({ window }) };
  return to === '2.5' ? { measurement: written } : { outcome_measurement: written };
}

function named(vendors: readonly JsonObject[]): string | undefined {
  const domains = vendors.map((vendor) => textAt(vendor, 'domain')).filter((domain) => domain !== undefined);
  return domains.length === 0 ? undefined : domains.join(', ');
}

function inWords(received: JsonObject): string | undefined {
  const length = objectAt(received, 'window');
  const interval = countAt(length, 'interval');
  const unit = textAt(length, 'unit');
  return (
    textAt(received, 'window') ??
    (interval === undefined || unit === undefined ? undefined : `${interval} ${unit}`)
  );
}

function asLength(received: JsonObject): JsonObject | undefined {
  const length = objectAt(received, 'window');
  if (length !== undefined) return without(length, []);
  const [, interval, unit] = windowText.exec(textAt(received, 'window') ?? '') ?? [];
  return interval === undefined || Number(interval) < 1
    ? undefined
    : { interval: Number(interval), unit: `${unit}s` };
}
