import { prefixId, type CreatedPackage, type GetMediaBuysAnswer } from '@switchyard/protocol';
import { isJsonObject, isoOf, type JsonObject, type JsonValue } from '@switchyard/values';
import type { MediaBuyRecord } from '../model/operation.js';
import type { BuysRefreshed } from '../read/refresh-buys.js';

/** What sellers that speak 3.x tell of packages now, by the id that the buyer knows. */
export type ReportedPackages = ReadonlyMap<string, JsonObject>;

/**
 * What only holds for the moment, each of the type that 3.x wants (docs/protocol/media-buys.md#packages): it is shown
 * as it comes, and not kept.
 */
const members: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  format_ids_pending: (value) => Array.isArray(value) && value.every(isJsonObject),
  snapshot: isSnapshot,
  snapshot_unavailable_reason: (value) => reasons.some((one) => one === value),
};

const reasons = [
  'SNAPSHOT_UNSUPPORTED',
  'SNAPSHOT_TEMPORARILY_UNAVAILABLE',
  'SNAPSHOT_PERMISSION_DENIED',
] as const;

/** What one seller says of the packages of its buys. */
export function readReportedPackages(seller: string, { mediaBuys }: GetMediaBuysAnswer): ReportedPackages {
  return new Map(
    mediaBuys.flatMap(({ packages }) =>
      packages.map(({ packageId, original }) => {
        const reported = Object.entries(original.value).filter(
          ([name, value]) => Object.hasOwn(members, name) && members[name]?.(value) === true,
        );
        return [prefixId(seller, packageId), Object.fromEntries(reported)] as const;
      }),
    ),
  );
}

/**
 * A package as 3.x shows it beside what was bought: what its seller tells now, and what we know of it ourselves. Where a
 * snapshot was asked for and there is none, the reason stands in its place: it is near real time, so nothing that we keep
 * could stand in for it, and it is no figure to bill by.
 */
export function receivedOf(
  { reported, rows }: Pick<BuysRefreshed, 'reported' | 'rows'>,
  { packages }: Pick<MediaBuyRecord, 'packages'>,
  { packageId, told: kept = {} }: Pick<CreatedPackage, 'packageId' | 'told'>,
  wantsSnapshot: boolean,
): JsonObject {
  const item = packages.find(
    ({ seller, sellerPackageId }) =>
      sellerPackageId !== undefined && prefixId(seller, sellerPackageId) === packageId,
  );
  const { snapshot, snapshot_unavailable_reason: reason, ...said } = reported.get(packageId) ?? {};
  const row = rows.find(({ seller }) => seller === item?.seller);
  const isSilent = row !== undefined && row.status !== 'answered' && row.code !== 'NOT_OFFERED';
  const own: (typeof reasons)[number] = isSilent
    ? 'SNAPSHOT_TEMPORARILY_UNAVAILABLE'
    : 'SNAPSHOT_UNSUPPORTED';
  const shot = snapshot === undefined ? { snapshot_unavailable_reason: reason ?? own } : { snapshot };
  return {
    ...kept,
    ...said,
    ...(item === undefined ? {} : { currency: item.currency }),
    // A seller that called it off itself has said so, and when.
    ...(item?.canceledAt === undefined || kept['cancellation'] !== undefined
      ? {}
      : { cancellation: { canceled_at: isoOf(item.canceledAt), canceled_by: 'buyer' } }),
    ...(wantsSnapshot ? shot : {}),
  };
}

/** A reading without its time or its figures is none. */
function isSnapshot(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { as_of: asOf, staleness_seconds: age, impressions, spend } = value;
  return (
    typeof asOf === 'string' && [age, impressions, spend].every((one) => typeof one === 'number' && one >= 0)
  );
}
