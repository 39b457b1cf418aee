import { inAccount, queryBuys } from '@switchyard/buys';
import type { Observation } from '@switchyard/ledger';
import { roundToMicros } from '@switchyard/money';
import {
  getMediaBuyDelivery,
  type DeliveryReport,
  type DeliveryTotals,
  type GetMediaBuyDeliveryRequest,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { pulledAnswer, pullStream, type DueWatch, type PulledAnswer } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { postponedUntil } from './postponed-until.js';

/** A seller's answer, parsed, and its text. */
interface ReadAnswer {
  readonly report: DeliveryReport;
  readonly text?: string;
}

/** The timeout of one read at a seller, in milliseconds. */
const readTimeoutMs = 10_000;
/** How many days are read one by one. A longer flight is booked by its total to date. */
const daysAtMost = 92;
const dayMs = 86_400_000;

/** `in_step`: nothing was missing. `caught_up`: something was and is recorded now. `put_off`: no figures yet. */
export type PullOutcome = 'in_step' | 'caught_up' | 'put_off' | 'unreachable' | 'not_usable';

export interface Pulled {
  readonly outcome: PullOutcome;
  /** When postponed figures are expected, if the seller says so. */
  readonly figuresExpectedAt: readonly Instant[];
}

/**
 * Reads from a seller what one buy has delivered, and posts what its reports did not bring. The total to date shows
 * whether anything is missing; only then the days are read one by one, because the books are kept by day
 * (docs/ledger.md#periods-and-granularity).
 */
export async function pullReports(
  deps: WorkerDeps,
  scope: TenantScope,
  connection: Connection,
  due: DueWatch,
): Promise<Pulled> {
  const total = await requestReport(deps, { scope, connection, due });
  if (total === undefined) return { outcome: 'unreachable', figuresExpectedAt: [] };
  const figuresExpectedAt = postponedUntil(total.report, deps.ports.clock.now());
  return { outcome: await takeIn(deps, { scope, connection, due }, total), figuresExpectedAt };
}

/** A report that is due at a seller. */
interface DueReport {
  readonly scope: TenantScope;
  readonly connection: Connection;
  readonly due: DueWatch;
}

async function takeIn(
  deps: WorkerDeps,
  { scope, connection, due }: DueReport,
  total: ReadAnswer,
): Promise<PullOutcome> {
  // No figures are not a sum of zero, and reading single days would answer the same.
  if (isPutOff(total.report)) return 'put_off';
  if (await isInStep(deps, scope, due, total.report)) return 'in_step';
  const daily: ReadAnswer[] = [];
  for (const day of daysOf(total.report, due, deps.ports.clock.now())) {
    const answer = await requestReport(deps, { scope, connection, due }, day);
    if (answer === undefined) return 'unreachable';
    const { period } = answer.report;
    // A seller that answers for another period than requested does not report by day. Its day may be a local one.
    if (period !== undefined && isNear(Date.parse(period.start), day) && isOneDay(period)) daily.push(answer);
  }
  const now = deps.ports.clock.now();
  const useful = daily.filter(({ report }) => hasFigures(report));
  const read = useful.length === 0 && total.report.period !== undefined ? [total] : useful;
  const pulled = read.map(({ text }) =>
    text === undefined
      ? undefined
      : pulledAnswer({ id: deps.ports.ids.uuid(), kind: 'pulled_report', receivedAt: now }, connection, text),
  );
  const outcomes = await deps.ledger.applyReports(
    scope,
    read.map(({ report }, at) => observationOf(report, due, now, pulled[at])),
    {
      now,
      // Answers that caused an entry are stored as evidence; others are not.
      alongside: (client, known) =>
        deps.inbox.storePulled(
          client,
          known.flatMap(({ kind }, at) => (kind === 'applied' ? (pulled[at] ?? []) : [])),
        ),
    },
  );
  if (outcomes.some(({ kind }) => kind === 'applied')) return 'caught_up';
  return outcomes.some(({ kind }) => kind === 'quarantined') || outcomes.length === 0
    ? 'not_usable'
    : 'in_step';
}

/** One read: the total to date, or one UTC day. Undefined if the seller sent no readable answer. */
async function requestReport(
  deps: WorkerDeps,
  { scope, connection, due }: DueReport,
  day?: number,
): Promise<ReadAnswer | undefined> {
  const range =
    day === undefined
      ? {}
      : {
          startDate: dateOf(day),
          endDate: dateOf(day + dayMs),
          // A seller refuses a granularity that it does not declare: the range alone means the same
          // (docs/ledger.md#periods-and-granularity).
          ...(isDeclared(connection, due, 'daily') ? { timeGranularity: 'daily' as const } : {}),
        };
  const request: GetMediaBuyDeliveryRequest = { mediaBuyIds: [due.sellerMediaBuyId], ...range };
  const { signal } = new AbortController();
  const market = await queryBuys(
    deps.ports,
    { scope, principalId: due.principalId, deadlineMs: readTimeoutMs, signal, wantsText: true },
    {
      spec: getMediaBuyDelivery,
      requests: new Map([[inAccount(connection, due), request]]),
      count: (answer) => answer.deliveries.length,
    },
  );
  const { answer, text } = market.legs[0] ?? {};
  if (answer === undefined) return undefined;
  // The `service` form's answer names neither the buy nor the period: the request did.
  const deliveries = answer.deliveries
    .map((delivery) =>
      delivery.mediaBuyId === '' ? { ...delivery, mediaBuyId: due.sellerMediaBuyId } : delivery,
    )
    .filter((delivery) => delivery.mediaBuyId === due.sellerMediaBuyId);
  const period =
    answer.period ??
    (day === undefined
      ? undefined
      : { start: new Date(day).toISOString(), end: new Date(day + dayMs).toISOString() });
  return {
    report: { ...answer, deliveries, ...(period === undefined ? {} : { period }) },
    ...(text === undefined ? {} : { text }),
  };
}

/** Declared for every product of the buy, or for the seller as a whole. */
function isDeclared({ capabilities }: Connection, { granularities }: DueWatch, wanted: string): boolean {
  return granularities.includes(wanted) || capabilities?.windowedPullGranularities.includes(wanted) === true;
}

function isPutOff({ deliveries }: DeliveryReport): boolean {
  return deliveries.length > 0 && deliveries.every(({ status }) => status === 'reporting_delayed');
}

async function isInStep(
  deps: WorkerDeps,
  scope: TenantScope,
  due: DueWatch,
  total: DeliveryReport,
): Promise<boolean> {
  const reported = total.deliveries.flatMap((delivery): readonly DeliveryTotals[] => {
    if (delivery.byPackage.length > 0) return delivery.byPackage;
    return delivery.totalsMissing === true ? [] : [delivery.totals];
  });
  const spends = reported.map(({ spend }) => roundToMicros(spend));
  if (spends.some((spend) => !spend.ok)) return false;
  const sum = spends.reduce((all, spend) => all + (spend.ok ? spend.value : 0n), 0n);
  const refs = new Set(
    total.deliveries.flatMap((delivery) => delivery.byPackage.map(({ packageId }) => packageId)),
  );
  const delivered = await deps.ledger.deliveredBy(scope, due.mediaBuyId);
  const sellerBuy = await deps.ports.store.sellerBuyOf(scope, due.connectionId, due.sellerMediaBuyId);
  const booked = delivered.filter(
    (packageDelivered) =>
      packageDelivered.seller === sellerBuy?.seller &&
      (packageDelivered.packageRef === '' || refs.size === 0 || refs.has(packageDelivered.packageRef)),
  );
  return booked.reduce((all, packageDelivered) => all + packageDelivered.spendMicros, 0n) === sum;
}

/** The days of the period that the seller named, else of the flight so far, oldest first. */
function daysOf(total: DeliveryReport, due: DueWatch, now: number): readonly number[] {
  const flight = {
    start: due.startTime,
    end: new Date(Math.min(now, Date.parse(due.endTime))).toISOString(),
  };
  const { start, end } = total.period ?? flight;
  const from = Math.floor(Date.parse(start) / dayMs);
  const to = Math.ceil(Date.parse(end) / dayMs);
  const isReasonable = Number.isFinite(from) && Number.isFinite(to) && to > from && to - from <= daysAtMost;
  return isReasonable ? Array.from({ length: to - from }, (_, index) => (from + index) * dayMs) : [];
}

const hourMs = 3_600_000;

/** Whether a moment is in the day that begins at `day` in UTC or, in another time zone, at most 14 hours beside. */
function isNear(moment: number, day: number): boolean {
  return moment === day || (moment > day - 14 * hourMs && moment <= day + 12 * hourMs);
}

/** Days with a change to or from summer time have 23 or 25 hours. */
function isOneDay({ start, end }: { readonly start: string; readonly end: string }): boolean {
  const hours = (Date.parse(end) - Date.parse(start)) / hourMs;
  return hours >= 23 && hours <= 25;
}

/** A day with only zeros is in the future, or nothing ran: it is no figure. */
function hasFigures({ deliveries }: DeliveryReport): boolean {
  return deliveries.some(({ totals, byPackage }) =>
    [totals, ...byPackage].some((row) => Number(row.spend) !== 0 || (row.impressions ?? 0) > 0),
  );
}

function observationOf(
  report: DeliveryReport,
  due: DueWatch,
  now: number,
  pulled: PulledAnswer | undefined,
): Observation {
  return {
    connectionId: due.connectionId,
    source: 'pull',
    stream: pullStream(due.connectionId),
    report,
    reportedAt: now,
    receivedAt: now,
    legId: due.legId,
    ...(pulled === undefined
      ? {}
      : {
          eventId: pulled.id,
          message: { sha256: pulled.bodyHash, sender: pulled.agentUrl, proof: 'pull' },
        }),
  };
}

function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
