import type { Finding } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { BookedBuy } from './booked-buy.js';
import { isUsual, placePeriod, type PlacedPeriod, type Placement } from '../calendar/place-period.js';
import { granularityOf, isStorable, readPeriod } from './read-period.js';
import { judgeStreamEnd } from './judge-order.js';
import type { Observation, QuarantineReason } from './observation.js';
import { readDelivery, type ReportedFigure } from './read-delivery.js';
import type { ReportRepository } from './report-repository.js';
import { sameFact, type VersionDraft } from './report-version.js';

/** One report's versions of one buy. */
export interface BuyReport {
  readonly buy: BookedBuy;
  readonly versions: readonly { readonly version: VersionDraft; readonly field: string }[];
  readonly findings: readonly Finding[];
}

type ReportReading =
  | { readonly kind: 'read'; readonly buys: readonly BuyReport[] }
  | { readonly kind: 'deferred' }
  | { readonly kind: 'quarantined'; readonly reasons: readonly QuarantineReason[] };

/** Reads a report against its buys, and returns all errors. */
export function readReport(
  observation: Observation,
  repository: ReportRepository,
  newId: () => string,
): ReportReading {
  const { report, connectionId } = observation;
  const period = readPeriod(report.period);
  if (!period.ok) return { kind: 'quarantined', reasons: [period.error] };

  if (!isStorable(observation.reportedAt)) {
    return {
      kind: 'quarantined',
      reasons: [{ code: 'bad_time', message: 'The time of the report is not valid.' }],
    };
  }

  const reasons: QuarantineReason[] = [];
  const buys = new Map<string, BuyReport>();
  for (const [index, delivery] of report.deliveries.entries()) {
    const field = `deliveries[${index}]`;
    const buy = repository.buy(connectionId, delivery.mediaBuyId);
    if (buy === undefined) {
      if (repository.isAwaited(observation.legId)) return { kind: 'deferred' };
      reasons.push({
        code: 'unknown_buy',
        message: 'No buy of ours has this id.',
        field: `${field}.mediaBuyId`,
      });
      continue;
    }
    const late = judgeStreamEnd(observation, buy, field);
    const reading = readDelivery(delivery, buy, report, field);
    reasons.push(...(late === undefined ? [] : [late]), ...reading.reasons);
    const placement = placePeriod(period.value, buy.zones ?? []);
    const versions = reading.figures.map((figure) => ({
      version: versionOf(figure, { observation, buy, period: period.value, placement }, newId()),
      field,
    }));
    const earlier = buys.get(buy.sellerBuyId);
    if (
      earlier?.versions.some((version) =>
        versions.some((other) => sameFact(version.version, other.version)),
      ) === true
    ) {
      reasons.push({ code: 'repeated_row', message: 'The report gives two figures for one package.', field });
    }
    buys.set(buy.sellerBuyId, {
      buy,
      versions: [...(earlier?.versions ?? []), ...versions],
      findings: [
        ...(earlier?.findings ?? []),
        ...reading.findings,
        ...(versions.length === 0 || earlier !== undefined ? [] : zoneFindings(placement, buy)),
      ],
    });
  }
  return reasons.length > 0 ? { kind: 'quarantined', reasons } : { kind: 'read', buys: [...buys.values()] };
}

/** What a person should know of the zone in which the days of a report were found. */
function zoneFindings({ basis, zone }: Placement, { zones = [] }: BookedBuy): readonly Finding[] {
  if (basis === 'unaligned') {
    const message = `The period begins and ends at no midnight that is known: it stands on days of ${zone}.`;
    return [{ code: 'ZONE_UNKNOWN', message, field: 'period' }];
  }
  const [declared] = zones;
  if (basis !== 'inferred' || declared === undefined) return [];
  const message = `The period begins at a midnight of ${zone}, and ${declared} is declared.`;
  return [{ code: 'ZONE_DIFFERS', message, field: 'period' }];
}

const maxSequence = 2 ** 31 - 1;

function versionOf(
  figure: ReportedFigure,
  {
    observation,
    buy,
    period,
    placement,
  }: {
    readonly observation: Observation;
    readonly buy: BookedBuy;
    readonly period: PlacedPeriod;
    readonly placement: Placement;
  },
  id: string,
): VersionDraft {
  const { sequenceNumber } = observation.report;
  const isNumbered =
    sequenceNumber !== undefined &&
    Number.isInteger(sequenceNumber) &&
    Math.abs(sequenceNumber) <= maxSequence;
  return {
    id,
    connectionId: buy.connectionId,
    seller: buy.seller,
    mediaBuyId: buy.mediaBuyId,
    sellerBuyId: buy.sellerBuyId,
    packageRef: figure.packageRef,
    periodStart: period.start,
    periodEnd: period.end,
    granularity: granularityOf(period.start, period.end),
    measurementWindow: figure.measurementWindow,
    notificationType: notificationTypeOf(observation, figure),
    isFinal: figure.isFinal,
    sequenceNumber: isNumbered ? sequenceNumber : null,
    stream: streamOf(observation),
    reportedAt: observation.reportedAt,
    receivedAt: observation.receivedAt,
    source: observation.source,
    eventId: observation.eventId ?? null,
    operationId: buy.operationId,
    currency: figure.currency,
    spendMicros: figure.spendMicros,
    spendText: figure.spendText,
    impressions: figure.impressions,
    clicks: figure.clicks,
    ...placementColumns(placement, period.start),
  };
}

/** Null where the figure stands on the UTC day of its start. */
export function placementColumns(
  placement: Placement,
  start: Instant,
): Pick<VersionDraft, 'zone' | 'zoneBasis' | 'firstDay' | 'lastDay'> {
  if (isUsual(placement, start)) return { zone: null, zoneBasis: null, firstDay: null, lastDay: null };
  const { zone, basis, firstDay, lastDay } = placement;
  return { zone, zoneBasis: basis, firstDay, lastDay };
}

/** An admitted report has its own stream: in the old one its sequence number could make it outdated. */
function streamOf({ stream, admitted, eventId, reportedAt }: Observation): string {
  return admitted === undefined ? stream : `${stream}+${eventId ?? reportedAt}`;
}

const namedTypes: ReadonlySet<string> = new Set(['scheduled', 'final', 'adjusted', 'window_update']);

function notificationTypeOf({ report, source }: Observation, figure: ReportedFigure): string {
  const notificationType = report.notificationType ?? (source === 'pull' ? 'pull' : 'scheduled');
  const type = namedTypes.has(notificationType) || notificationType === 'pull' ? notificationType : 'other';
  return figure.isAdjusted && type !== 'final' && type !== 'window_update' ? 'adjusted' : type;
}
