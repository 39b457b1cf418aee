import { canonicalJson } from '@switchyard/values';
import type { UsedTolerance } from './tolerance.js';

/** The kinds of differences, by their likely cause. */
export const breakKinds = [
  'late_report',
  'window_mismatch',
  'time_zone_cut',
  'missing_package',
  'currency',
  'price',
  'over_delivery',
  'duplicate_invoice',
  'wrong_po',
  'missing_invoice',
  'gross_net',
  'tax_inside',
  'other_months',
  'billed_to_order',
  'third_party',
  'exchanged',
  'units',
  'unordered_fee',
  'unassigned_line',
  'unknown',
] as const;
export type BreakKind = (typeof breakKinds)[number];

/** A difference that needs an explanation. */
export interface FoundBreak {
  /** The same for the same difference in every run. */
  readonly fingerprint: string;
  readonly kind: BreakKind;
  readonly seller: string;
  readonly mediaBuyId?: string;
  readonly packageRef?: string;
  readonly currency: string;
  readonly orderedMicros?: bigint;
  readonly reportedMicros?: bigint;
  readonly polledMicros?: bigint;
  readonly invoicedMicros?: bigint;
  /** What third parties counted, and their names. */
  readonly thirdPartyMicros?: bigint;
  readonly thirdPartySource?: string;
  /** Invoiced minus delivered; for an over-delivery: delivered minus ordered. */
  readonly differenceMicros: bigint;
  readonly cause: string;
  /** Ids of invoices and report versions. */
  readonly evidence: readonly string[];
  /** The applied tolerance, where amounts may differ a little. */
  readonly tolerance?: UsedTolerance;
}

/** `about` distinguishes differences of the same seller, buy and package. */
export function createBreak(
  kind: BreakKind,
  found: Omit<FoundBreak, 'kind' | 'fingerprint'>,
  about = kind === 'over_delivery' || kind === 'late_report' || kind === 'wrong_po' ? kind : 'amount',
): FoundBreak {
  const invoices = kind === 'duplicate_invoice' || kind === 'currency' ? found.evidence : [];
  return { ...found, kind, fingerprint: subjectOf(found, about, invoices) };
}

/** The subject of a difference: the same in every run. */
export function subjectOf(
  {
    seller,
    mediaBuyId,
    packageRef,
    currency,
  }: Pick<FoundBreak, 'seller' | 'mediaBuyId' | 'packageRef' | 'currency'>,
  about = 'amount',
  invoices: readonly string[] = [],
): string {
  return canonicalJson([about, seller, mediaBuyId ?? '', packageRef ?? '', currency, [...invoices]]);
}
