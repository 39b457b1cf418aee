import { prefixId, type CreatedPackage, type GetMediaBuysAnswer } from '@switchyard/protocol';
import { isJsonObject, isoOf, type JsonObject, type JsonValue } from '@switchyard/values';
import type { MediaBuyRecord } from '../model/operation.js';
import type { BuysRefreshed, ReportedPackages } from './buys-refreshed.js';

/**
 * Momentary members, with the type that 3.x requires (docs/protocol/media-buys.md#packages). They are shown
 * as received, and not stored.
 */
const members: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  format_ids_pending: (value) => Array.isArray(value) && value.every(isJsonObject),
  snapshot: isSnapshot,
  snapshot_unavailable_reason: (value) => reasons.some((reason) => reason === value),
};

const reasons = [
  'SNAPSHOT_UNSUPPORTED',
  'SNAPSHOT_TEMPORARILY_UNAVAILABLE',
  'SNAPSHOT_PERMISSION_DENIED',
] as const;

/** The reported members of the packages of one seller. */
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
 * Returns the members that 3.x shows beside a package's terms: the seller's current report, and local facts.
 * Where a requested snapshot is missing, its reason is returned: a snapshot is near real time, so no stored
 * value can replace it, and it is not a billing figure.
 */
export function receivedOf(
  { reported, rows }: Pick<BuysRefreshed, 'reported' | 'rows'>,
  { packages }: Pick<MediaBuyRecord, 'packages'>,
  { packageId, reportedTerms: stored = {} }: Pick<CreatedPackage, 'packageId' | 'reportedTerms'>,
  wantsSnapshot: boolean,
): JsonObject {
  const item = packages.find(
    ({ seller, sellerPackageId }) =>
      sellerPackageId !== undefined && prefixId(seller, sellerPackageId) === packageId,
  );
  const { snapshot, snapshot_unavailable_reason: reason, ...rest } = reported.get(packageId) ?? {};
  const row = rows.find(({ seller }) => seller === item?.seller);
  const isSilent = row !== undefined && row.status !== 'answered' && row.code !== 'NOT_OFFERED';
  const own: (typeof reasons)[number] = isSilent
    ? 'SNAPSHOT_TEMPORARILY_UNAVAILABLE'
    : 'SNAPSHOT_UNSUPPORTED';
  const shot = snapshot === undefined ? { snapshot_unavailable_reason: reason ?? own } : { snapshot };
  return {
    ...stored,
    ...rest,
    ...(item === undefined ? {} : { currency: item.currency }),
    // A seller that canceled the package itself has reported its own cancellation.
    ...(item?.canceledAt === undefined || stored['cancellation'] !== undefined
      ? {}
      : { cancellation: { canceled_at: isoOf(item.canceledAt), canceled_by: 'buyer' } }),
    ...(wantsSnapshot ? shot : {}),
  };
}

/** A snapshot needs its time and its figures. */
function isSnapshot(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { as_of: asOf, staleness_seconds: age, impressions, spend } = value;
  return (
    typeof asOf === 'string' &&
    [age, impressions, spend].every((figure) => typeof figure === 'number' && figure >= 0)
  );
}
