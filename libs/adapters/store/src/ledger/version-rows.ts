import {
  isSplit,
  type Granularity,
  type ObservationSource,
  type ReportVersion,
  type StoredVersion,
} from '@switchyard/ledger';
import { isoOf, type Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import type { RowOf } from '../core/row-mapper.js';
import type { report_versionModel } from '../generated/models.js';
import { insertColumns } from './insert-columns.js';

/** A row of report_version as `pg` reads it: 64-bit numbers as digits. */
export type VersionRow = Omit<RowOf<report_versionModel>, 'organization_id'>;

const types = {
  id: 'uuid',
  connection_id: 'uuid',
  seller: 'text',
  media_buy_id: 'text',
  seller_buy_id: 'uuid',
  package_ref: 'text',
  period_start: 'timestamptz',
  period_end: 'timestamptz',
  granularity: 'text',
  measurement_window: 'text',
  version: 'int',
  is_current: 'boolean',
  notification_type: 'text',
  is_final: 'boolean',
  sequence_number: 'int',
  stream: 'text',
  reported_at: 'timestamptz',
  received_at: 'timestamptz',
  source: 'text',
  event_id: 'uuid',
  operation_id: 'uuid',
  currency: 'text',
  spend_micros: 'bigint',
  spend_text: 'text',
  impressions: 'bigint',
  clicks: 'bigint',
  entry_id: 'uuid',
  zone: 'text',
  zone_basis: 'text',
  first_day: 'text',
  last_day: 'text',
} as const;

/** The columns, for a SELECT that returns `VersionRow`s from `v`. */
export const versionColumns = Object.keys(types)
  .map((column) => `v.${column}`)
  .join(', ');

/** Stores new versions, marked by whether they count. */
export async function insertVersions(
  client: TenantClient,
  versions: readonly ReportVersion[],
  isCounted: (version: ReportVersion) => boolean,
): Promise<void> {
  const textOf = rememberedTexts();
  await insertColumns(
    client,
    'report_version',
    types,
    versions.map((version) => ({
      id: version.id,
      connection_id: version.connectionId,
      seller: version.seller,
      media_buy_id: version.mediaBuyId,
      seller_buy_id: version.sellerBuyId,
      package_ref: version.packageRef,
      period_start: textOf(version.periodStart),
      period_end: textOf(version.periodEnd),
      granularity: version.granularity,
      measurement_window: version.measurementWindow,
      version: version.version,
      is_current: isCounted(version),
      notification_type: version.notificationType,
      is_final: version.isFinal,
      sequence_number: version.sequenceNumber,
      stream: version.stream,
      reported_at: textOf(version.reportedAt),
      received_at: textOf(version.receivedAt),
      source: version.source,
      event_id: version.eventId,
      operation_id: version.operationId,
      currency: version.currency,
      spend_micros: version.spendMicros.toString(),
      spend_text: version.spendText,
      impressions: version.impressions?.toString() ?? null,
      clicks: version.clicks?.toString() ?? null,
      entry_id: version.entryId,
      zone: version.zone,
      zone_basis: version.zoneBasis,
      first_day: version.firstDay,
      last_day: version.lastDay,
    })),
  );
  await insertSplits(client, versions.filter(isSplit));
}

/** So that a close finds the figures that were split between months. */
async function insertSplits(client: TenantClient, versions: readonly ReportVersion[]): Promise<void> {
  const types = {
    version_id: 'uuid',
    seller_buy_id: 'uuid',
    first_day: 'text',
    last_day: 'text',
  } as const;
  await insertColumns(
    client,
    'split_figure',
    types,
    versions.map(({ id, sellerBuyId, firstDay, lastDay }) => ({
      version_id: id,
      seller_buy_id: sellerBuyId,
      first_day: firstDay,
      last_day: lastDay,
    })),
  );
}

/** A stored version with its mark. */
export interface MarkedVersion {
  readonly version: ReportVersion;
  readonly isCurrent: boolean;
}

/** Moves the mark between stored versions. Their figures do not change. */
export async function moveMarks(
  client: TenantClient,
  stored: readonly MarkedVersion[],
  isCounted: (version: ReportVersion) => boolean,
): Promise<void> {
  const moved = stored.filter(({ version, isCurrent }) => isCurrent !== isCounted(version));
  if (moved.length === 0) return;
  await client.query({
    name: 'ledger_move_marks',
    text: `update report_version v set is_current = not is_current from unnest($1::uuid[]) m(id) where v.id = m.id`,
    values: [moved.map(({ version }) => version.id)],
  });
}

/** Caches instants as text: a batch has few days, each many times. */
function rememberedTexts(): (instant: Instant) => string {
  const known = new Map<Instant, string>();
  return (instant) => {
    const text = known.get(instant) ?? isoOf(instant);
    known.set(instant, text);
    return text;
  };
}

export function versionOf(row: VersionRow): StoredVersion {
  return {
    id: row.id,
    connectionId: row.connection_id,
    seller: row.seller,
    mediaBuyId: row.media_buy_id,
    sellerBuyId: row.seller_buy_id,
    packageRef: row.package_ref,
    periodStart: row.period_start.getTime(),
    periodEnd: row.period_end.getTime(),
    granularity: row.granularity as Granularity,
    measurementWindow: row.measurement_window,
    version: row.version,
    isCurrent: row.is_current,
    notificationType: row.notification_type,
    isFinal: row.is_final,
    sequenceNumber: row.sequence_number,
    stream: row.stream,
    reportedAt: row.reported_at.getTime(),
    receivedAt: row.received_at.getTime(),
    source: row.source as ObservationSource,
    eventId: row.event_id,
    operationId: row.operation_id,
    currency: row.currency,
    spendMicros: BigInt(row.spend_micros),
    spendText: row.spend_text,
    impressions: row.impressions === null ? null : BigInt(row.impressions),
    clicks: row.clicks === null ? null : BigInt(row.clicks),
    entryId: row.entry_id ?? '',
    zone: row.zone,
    zoneBasis: row.zone_basis as StoredVersion['zoneBasis'],
    firstDay: row.first_day,
    lastDay: row.last_day,
  };
}
