import { defined, type JsonObject } from '@switchyard/values';
import type { Form } from '../../versions/wire-profile.js';
import { countAt, objectAt, objectsAt, textAt, without } from '../../message/pick.js';

/** Who counts where no vendor is named: the seller itself (docs/ledger.md#commitments). */
const sellersOwn = 'seller';
const windowText = /^(\d+) (second|minute|hour|day)s?$/;

/**
 * Who measures a product's delivery: vendors in 3.1, one text before, which 2.5 requires of every product. There the
 * vendor that the product's terms bill by is used, else the seller.
 */
export function deliveryMeasurementFor(value: JsonObject, to: Form): JsonObject | undefined {
  const received = objectAt(value, 'delivery_measurement');
  const provider = textAt(received, 'provider') ?? named(objectsAt(received, 'vendors'));
  if (received !== undefined && (to === '3.1' || provider !== undefined))
    return to === '3.1' ? received : { ...received, ...defined({ provider }) };
  if (to !== '2.5') return undefined;
  const vendor = objectAt(objectAt(objectAt(value, 'measurement_terms'), 'billing_measurement'), 'vendor');
  return { ...received, provider: textAt(vendor, 'domain') ?? sellersOwn };
}

/** How an outcome is measured: 2.5 and 3.x differ in the member's name, and in a window as text or as a duration. */
export function outcomeMeasurementFor(value: JsonObject, to: Form): JsonObject {
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
