import { roundToMicros } from '@switchyard/money';
import {
  missingMetricsOf,
  type DeliveryReport,
  type DeliveryTotals,
  type Finding,
  type MediaBuyDelivery,
  type PackageDelivery,
} from '@switchyard/protocol';
import type { BookedBuy } from './booked-buy.js';
import type { QuarantineReason } from './observation.js';
import { halfMinorUnit, readCurrency, readSpend } from './read-amount.js';

/** One figure of a report, checked against its buy and not yet compared with recorded ones. */
export interface ReportedFigure {
  readonly packageRef: string;
  readonly measurementWindow: string;
  readonly isFinal: boolean | null;
  readonly isAdjusted: boolean;
  readonly currency: string;
  readonly spendMicros: bigint;
  readonly spendText: string;
  readonly impressions: bigint | null;
  readonly clicks: bigint | null;
}

interface DeliveryReading {
  readonly figures: readonly ReportedFigure[];
  readonly reasons: readonly QuarantineReason[];
  readonly findings: readonly Finding[];
}

/** Report statuses in which a row's totals are placeholders: unknown, never zero (docs/ledger.md#unknown-figures). */
const unavailable: ReadonlySet<string> = new Set(['reporting_delayed', 'failed']);

/**
 * Reads one buy's part of a report. Returns every wrong row, so that a person sees all of them at once.
 *
 * In a partial report that does not mark its rows, every row is unknown.
 */
export function readDelivery(
  delivery: MediaBuyDelivery,
  buy: BookedBuy,
  report: DeliveryReport,
  field: string,
): DeliveryReading {
  if (unavailable.has(delivery.status))
    return nothingBut(unknownRow(field, `The seller reports ${delivery.status}.`));
  if (report.partialData && !report.deliveries.some(({ status }) => unavailable.has(status))) {
    return nothingBut(unknownRow(field, 'The report is partial and does not say where.'));
  }
  if (delivery.byPackage.length === 0 && delivery.totalsMissing === true) {
    return nothingBut(unknownRow(field, 'The row names no spend.'));
  }
  const reading = new Reading(buy, report, delivery);
  delivery.byPackage.forEach((row, index) => reading.addPackage(row, `${field}.byPackage[${index}]`));
  if (delivery.byPackage.length === 0) {
    reading.findings.push({
      code: 'WITHOUT_PACKAGES',
      message: 'The report speaks of the whole buy only.',
      field,
    });
    reading.add('', delivery.totals, {}, `${field}.totals`);
  } else {
    reading.compareWithTotals(`${field}.totals`);
  }
  return reading;
}

type RowExtras = Partial<Pick<PackageDelivery, 'currency' | 'isFinal' | 'measurementWindow'>>;

class Reading implements DeliveryReading {
  readonly figures: ReportedFigure[] = [];
  readonly reasons: QuarantineReason[] = [];
  readonly findings: Finding[] = [];

  constructor(
    private readonly buy: BookedBuy,
    private readonly report: DeliveryReport,
    private readonly delivery: MediaBuyDelivery,
  ) {}

  addPackage(row: PackageDelivery, field: string): void {
    const { packages } = this.buy;
    const known = packages.some(({ ref }) => ref === row.packageId);
    const mayBe = packages.some(
      ({ ref, buyerRef }) => ref === undefined || (buyerRef !== undefined && buyerRef === row.buyerRef),
    );
    if (!known && !mayBe) {
      this.reasons.push({
        code: 'unknown_package',
        message: 'This package is not part of the buy.',
        field: `${field}.packageId`,
      });
      return;
    }
    if (!known) {
      this.findings.push({
        code: 'PACKAGE_NOT_CONFIRMED',
        message: 'The seller never named this package id to us.',
        field,
      });
    }
    if (!isPlainText(row.packageId) || row.packageId === '') {
      this.reasons.push({
        code: 'bad_text',
        message: 'The package id is not valid.',
        field: `${field}.packageId`,
      });
      return;
    }
    const missing = missingMetricsOf(row.original);
    if (missing.length > 0) {
      const message = `Promised for this package and not reported: ${missing.join(', ')}.`;
      this.findings.push({ code: 'METRICS_MISSING', message, field });
    }
    this.add(row.packageId, row, row, field);
  }

  add(packageRef: string, row: DeliveryTotals, extras: RowExtras, field: string): void {
    const currency = readCurrency(extras.currency, this.report.currency, this.buy, field);
    const spend = readSpend(row.spend, this.buy, `${field}.spend`);
    const measurementWindow = extras.measurementWindow ?? '';
    if (!isPlainText(measurementWindow)) {
      const message = 'The window is not valid.';
      this.reasons.push({ code: 'bad_text', message, field: `${field}.measurementWindow` });
      return;
    }
    if (!currency.ok) this.reasons.push(currency.error);
    else this.findings.push(...currency.value);
    if (!spend.ok) this.reasons.push(spend.error);
    if (!currency.ok || !spend.ok) return;
    this.keep(
      {
        packageRef,
        measurementWindow,
        isFinal: extras.isFinal ?? this.delivery.isFinal ?? null,
        isAdjusted: this.delivery.isAdjusted,
        currency: this.buy.currency,
        spendMicros: spend.value,
        spendText: row.spend,
        impressions: this.countOf(row.impressions, `${field}.impressions`),
        clicks: this.countOf(row.clicks, `${field}.clicks`),
      },
      field,
    );
  }

  /** Rounding may change the sum by half a minor unit for each package (docs/ledger.md#amounts). */
  compareWithTotals(field: string): void {
    const total = roundToMicros(this.delivery.totals.spend);
    const windows = new Set(this.figures.map((figure) => figure.measurementWindow));
    if (!total.ok || this.delivery.totalsMissing === true || this.reasons.length > 0 || windows.size > 1)
      return;
    const sum = this.figures.reduce((all, figure) => all + figure.spendMicros, 0n);
    const difference = sum > total.value ? sum - total.value : total.value - sum;
    if (difference <= BigInt(this.figures.length) * halfMinorUnit(this.buy.currency)) return;
    this.findings.push({
      code: 'SUM_DIFFERS_FROM_TOTAL',
      message: 'The packages do not add up to the total. The packages were recorded.',
      field,
    });
  }

  private keep(figure: ReportedFigure, field: string): void {
    const counterpart = this.figures.find(
      (other) =>
        other.packageRef === figure.packageRef && other.measurementWindow === figure.measurementWindow,
    );
    if (counterpart === undefined) {
      this.figures.push(figure);
    } else if (counterpart.spendMicros !== figure.spendMicros || counterpart.isFinal !== figure.isFinal) {
      this.reasons.push({
        code: 'repeated_row',
        message: 'The report gives two figures for one package.',
        field,
      });
    }
  }

  private countOf(count: number | undefined, field: string): bigint | null {
    if (count === undefined) return null;
    if (Number.isSafeInteger(count) && count >= 0) return BigInt(count);
    this.findings.push({ code: 'COUNT_NOT_READABLE', message: 'Not a whole number: left out.', field });
    return null;
  }
}

/** Whether the database can store and index a text. */
function isPlainText(text: string): boolean {
  return text.length <= 200 && !text.includes('\u0000');
}

function unknownRow(field: string, why: string): Finding {
  return { code: 'FIGURES_UNKNOWN', message: `${why} Its figures are unknown, not zero.`, field };
}

function nothingBut(finding: Finding): DeliveryReading {
  return { figures: [], reasons: [], findings: [finding] };
}
