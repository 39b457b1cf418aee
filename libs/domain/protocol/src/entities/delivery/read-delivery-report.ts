import {
  defined,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';
import type { DeliveryReport, MediaBuyDelivery, PackageDelivery } from './delivery-report.js';
import type { Finding } from '../../losses/finding.js';
import { taskError } from '../../errors/task-error.js';
import type { TaskError } from '../../errors/task-fault.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { WireProfile } from '../../versions/wire-profile.js';
import { hasFigures, isFiguresAway, readTotals } from './metrics.js';
import { sellerOf } from '../../message/form.js';
import { isEmptyPeriod, momentIn, readPeriod } from './period.js';
import { booleanAt, countAt, listAt, member, objectAt, textAt } from '../../message/pick.js';
import { readSlices } from './slices.js';
import { readServiceDelivery } from './service-delivery.js';

interface DeliveryReading {
  readonly report: DeliveryReport;
  readonly findings: readonly Finding[];
}

const currencyCode = /^[A-Z]{3}$/;

/**
 * Reads a delivery report, pushed or pulled, in any form.
 *
 * Reading is lenient and reports faults as findings: sellers leave out periods, add totals that belong to pulled
 * answers only, or send no rows. Rows without a spend are left out, because unknown is not zero
 * (docs/protocol/delivery.md#unknown-is-not-zero).
 */
export function readDeliveryReport(
  result: JsonValue,
  exact: ExactNumbers,
  from: WireProfile,
): Result<DeliveryReading, readonly TaskError[]> {
  if (!isJsonObject(result)) return refused('a delivery report is no object');
  const rows = listAt(result, 'media_buy_deliveries');
  const notificationType = textAt(result, 'notification_type');
  if (rows === undefined && notificationType === undefined) {
    const service = readServiceDelivery(result, exact);
    if (service === undefined) return refused('a delivery report has no rows');
    const { report, misplaced } = service;
    return ok({ report, findings: misplaced.map((field) => finding('FIGURES_OF_A_DELAYED_ROW', field)) });
  }
  const findings: Finding[] = envelopeFindings(result, notificationType, rows);
  const currency = textAt(result, 'currency');
  const knownCurrency = currency !== undefined && currencyCode.test(currency) ? currency : undefined;
  if (knownCurrency === undefined && from.form !== 'service')
    findings.push(finding('CURRENCY_MISSING', 'currency'));
  const deliveries: MediaBuyDelivery[] = [];
  for (const [index, row] of (rows ?? []).entries()) {
    const reading = readRow(row, `/media_buy_deliveries/${index}`, exact);
    findings.push(...reading.findings);
    if (reading.delivery !== undefined) deliveries.push(reading.delivery);
  }
  const report: DeliveryReport = {
    partialData: booleanAt(result, 'partial_data') === true,
    deliveries,
    ...defined({
      notificationType,
      sequenceNumber: countAt(result, 'sequence_number'),
      nextExpectedAt: textAt(result, 'next_expected_at'),
      period: readPeriod(objectAt(result, 'reporting_period')),
      attributionWindow: objectAt(result, 'attribution_window'),
      currency: knownCurrency ?? (from.form === 'service' ? 'USD' : undefined),
    }),
  };
  return ok({ report, findings });
}

function envelopeFindings(
  result: JsonObject,
  type: string | undefined,
  rows: readonly JsonValue[] | undefined,
): Finding[] {
  const findings: Finding[] = [];
  if (rows === undefined) findings.push(finding('ROWS_MISSING', 'media_buy_deliveries'));
  const period = objectAt(result, 'reporting_period');
  // In a notification an empty period is a fault, like a missing one.
  const isNothingYet = type === undefined && isEmptyPeriod(period);
  if (readPeriod(period) === undefined && !isNothingYet) {
    findings.push(finding('PERIOD_MISSING', 'reporting_period'));
  }
  if (type !== undefined && member(result, 'aggregated_totals') !== undefined) {
    findings.push(finding('TOTALS_IN_WEBHOOK', 'aggregated_totals'));
  }
  const sequence = member(result, 'sequence_number');
  if (sequence !== undefined && countAt(result, 'sequence_number') === undefined) {
    findings.push(finding('SEQUENCE_ODD', 'sequence_number'));
  }
  return findings;
}

interface RowReading {
  readonly delivery?: MediaBuyDelivery;
  readonly findings: readonly Finding[];
}

function readRow(row: JsonValue, pointer: string, exact: ExactNumbers): RowReading {
  const field = pointer.slice(1).replace('/', '[').concat(']');
  const mediaBuyId = isJsonObject(row) ? textAt(row, 'media_buy_id') : undefined;
  if (!isJsonObject(row) || mediaBuyId === undefined)
    return { findings: [finding('ROW_WITHOUT_BUY', field)] };
  const findings: Finding[] = [];
  const byPackage: PackageDelivery[] = [];
  for (const [index, item] of (listAt(row, 'by_package') ?? []).entries()) {
    const packageRow = readPackageRow(item, `${pointer}/by_package/${index}`, exact);
    if (packageRow === undefined)
      findings.push(finding('PACKAGE_ROW_SET_ASIDE', `${field}.by_package[${index}]`));
    else byPackage.push(packageRow);
  }
  const status = textAt(row, 'status') ?? 'active';
  const isUnavailable = isFiguresAway(status);
  // The schemas require figures even here: they are placeholders, and their zeros are not figures
  // (docs/protocol/delivery.md#unknown-is-not-zero).
  const totals = isUnavailable
    ? undefined
    : readTotals(objectAt(row, 'totals') ?? {}, `${pointer}/totals`, exact);
  if (isUnavailable && hasFigures(objectAt(row, 'totals')))
    findings.push(finding('FIGURES_OF_A_DELAYED_ROW', `${field}.totals`));
  if (totals === undefined && !isUnavailable) findings.push(finding('TOTALS_MISSING', `${field}.totals`));
  const expectedAvailability =
    totals === undefined && status !== 'failed' ? momentIn(row, 'expected_availability') : undefined;
  if (member(row, 'expected_availability') !== undefined && expectedAvailability === undefined)
    findings.push(finding('AVAILABILITY_ODD', `${field}.expected_availability`));
  const isFinal = booleanAt(row, 'is_final');
  const delivery: MediaBuyDelivery = {
    mediaBuyId,
    status,
    isAdjusted: booleanAt(row, 'is_adjusted') === true,
    totals: totals ?? { spend: '0', original: {} },
    byPackage,
    ...defined({
      seller: sellerOf(row),
      buyerRef: textAt(row, 'buyer_ref'),
      isFinal,
      finalizedAt: isFinal === true ? momentIn(row, 'finalized_at') : undefined,
      pricingModel: textAt(row, 'pricing_model'),
      totalsMissing: totals === undefined ? true : undefined,
      expectedAvailability,
      slices: readSlices(row, pointer, exact),
    }),
  };
  return { delivery, findings };
}

function readPackageRow(value: JsonValue, pointer: string, exact: ExactNumbers): PackageDelivery | undefined {
  if (!isJsonObject(value)) return undefined;
  const packageId = textAt(value, 'package_id');
  const totals = readTotals(value, pointer, exact);
  if (packageId === undefined || totals === undefined) return undefined;
  return {
    ...totals,
    packageId,
    ...defined({
      buyerRef: textAt(value, 'buyer_ref'),
      currency: textAt(value, 'currency'),
      isFinal: booleanAt(value, 'is_final'),
      measurementWindow: textAt(value, 'measurement_window'),
      paused: booleanAt(value, 'paused'),
    }),
  };
}

const sentences: Readonly<Record<string, string>> = {
  ROWS_MISSING: 'The report has no rows.',
  PERIOD_MISSING: 'The report names no usable period.',
  TOTALS_IN_WEBHOOK: 'Totals over all buys belong to pulled answers only.',
  SEQUENCE_ODD: 'The sequence number is no whole number.',
  CURRENCY_MISSING: 'The report names no currency.',
  ROW_WITHOUT_BUY: 'A row names no media buy.',
  PACKAGE_ROW_SET_ASIDE: 'A package row names no package, or no spend.',
  TOTALS_MISSING: 'A row has no totals with a spend.',
  AVAILABILITY_ODD:
    'A row names a time for figures that it has or will never have, or names no time: it is not heeded.',
  FIGURES_OF_A_DELAYED_ROW:
    'A row says that its figures are not there yet, and has some: they were left out.',
};

function finding(code: string, field: string): Finding {
  return { code, message: sentences[code] ?? code, field };
}

function refused(what: string): Result<DeliveryReading, readonly TaskError[]> {
  return err([taskError('INVALID_RESPONSE', `The seller's answer cannot be used: ${what}.`)]);
}
