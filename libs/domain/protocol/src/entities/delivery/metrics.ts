import { defined, type JsonObject, isJsonObject, type JsonValue } from '@switchyard/values';
import type { DeliveryTotals, PackageDelivery } from './delivery-report.js';
import type { ExactNumbers } from '../../task-spec.js';
import { amountAt, numberOf } from '../../message/amount.js';
import { is3x } from '../../message/form.js';
import type { Form } from '../../versions/wire-profile.js';
import { countAt, member, patched, textAt, without, listAt, objectAt } from '../../message/pick.js';
import { models25 } from '../package/price-place.js';

/**
 * Metrics of one row. `undefined` where it has no spend: a missing figure is not zero. A negative figure is kept, so
 * that the ledger shows the error instead of a report without the row.
 */
export function readTotals(
  value: JsonObject,
  pointer: string,
  exact: ExactNumbers,
): DeliveryTotals | undefined {
  const spend = amountAt(value, 'spend', pointer, exact);
  if (spend === undefined) return undefined;
  return {
    spend,
    ...defined({ impressions: countAt(value, 'impressions'), clicks: countAt(value, 'clicks') }),
    original: value,
  };
}

/** The figures that a form defines; the others are left out. */
export function projectTotals(totals: DeliveryTotals, to: Form): JsonObject {
  const figures = patched(totals.original, {
    spend: numberOf(totals.spend),
    impressions: totals.impressions,
    clicks: totals.clicks,
  });
  const lost = lostFigures(figures, to);
  return lost.length === 0 ? figures : without(figures, lost);
}

/**
 * Figures of a row that a form does not define. In 3.x a reach requires its unit. 2.5 has fewer pricing models: a
 * package of another model is written with its cost per thousand impressions.
 */
function lostFigures(figures: JsonObject, to: Form): readonly string[] {
  if (is3x(to)) {
    const isOfNobody = member(figures, 'reach') !== undefined && textAt(figures, 'reach_unit') === undefined;
    return isOfNobody ? ['reach'] : [];
  }
  return to === '2.5' && isPaidOtherwise(member(figures, 'pricing_model')) ? ['pricing_model', 'rate'] : [];
}

/** Whether this is a pricing model that 2.5 does not have. */
export function isPaidOtherwise(model: unknown): boolean {
  return model !== undefined && !models25.some((known) => known === model);
}

/** Writes a package row. Schema forms require its rate beside its spend; an unknown rate is computed. */
export function projectPackageDelivery(row: PackageDelivery, currency: string, to: Form): JsonObject {
  const typed = {
    package_id: row.packageId,
    currency: row.currency ?? currency,
    buyer_ref: is3x(to) ? undefined : row.buyerRef,
    is_final: row.isFinal,
    measurement_window: row.measurementWindow,
    paused: row.paused,
  };
  const figures = projectTotals(row, to);
  // 2.5 requires them, and without a named version it cannot be distinguished from the `service` form.
  const priced = { pricing_model: 'cpm', rate: rateOf(row, figures) };
  return { ...priced, ...figures, ...(defined(typed) as JsonObject) };
}

/** The given rate, else the cost per thousand impressions. */
function rateOf(row: PackageDelivery, figures: JsonObject): number {
  const received = member(figures, 'rate');
  if (typeof received === 'number') return received;
  if (row.impressions === undefined || row.impressions === 0) return 0;
  return Math.round((numberOf(row.spend) / row.impressions) * 1e9) / 1e6;
}

/**
 * States of a row whose figures are late or will never come: its figures are placeholders
 * (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function isFiguresAway(status: string): boolean {
  return status === 'reporting_delayed' || status === 'failed';
}

/** Whether any figure is other than zero. A zero is a placeholder for a figure that is not available yet. */
export function hasFigures(totals: JsonObject | undefined): boolean {
  return Object.values(totals ?? {}).some((value) => typeof value === 'number' && value !== 0);
}

const mostMetrics = 50;
/** A metric's name that is safe to use in our texts. Any other name stays only in the seller's row. */
const plainName = /^[\w.-]{1,128}$/;

/**
 * The promised metrics that a row does not have (3.1), without duplicates; a vendor's own metric has its domain in
 * front. A missing metric is not zero (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function missingMetricsOf(row: JsonObject): readonly string[] {
  const names = (listAt(row, 'missing_metrics') ?? []).flatMap((metric) => nameOf(metric) ?? []);
  return [...new Set(names)].slice(0, mostMetrics);
}

function nameOf(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const metric = textAt(value, 'metric_id');
  const vendor = textAt(objectAt(value, 'vendor'), 'domain');
  if (metric === undefined || !plainName.test(metric)) return undefined;
  return vendor !== undefined && plainName.test(vendor) ? `${vendor}:${metric}` : metric;
}
