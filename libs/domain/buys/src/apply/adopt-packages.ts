import { createHash } from 'node:crypto';
import { parseDecimal } from '@switchyard/money';
import type { CreatedPackage, Finding } from '@switchyard/protocol';
import { isJsonObject, type Instant } from '@switchyard/values';
import type { PackageMatch } from '../terms/map-packages.js';
import type { BuyPackage, Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';

/** Whether the seller was sent its own proposal, and so creates the packages itself. */
export function boughtByProposal(leg: Pick<Leg, 'id' | 'outbound'>): boolean {
  return typeof outboundOf(leg)['proposal_id'] === 'string';
}

export interface Adopted {
  readonly packages: readonly BuyPackage[];
  readonly findings: readonly Finding[];
}

/**
 * Returns the packages of a proposal as its seller created them. The seller splits the total, so its budgets and
 * prices count. Packages beyond the known allocations are added, and allocations without a package are canceled.
 */
export function adoptPackages(
  own: readonly BuyPackage[],
  matches: readonly PackageMatch[],
  created: readonly CreatedPackage[],
  of: { readonly leg: Leg; readonly mediaBuyId: string; readonly currency: string; readonly at: Instant },
): Adopted {
  const { leg, at } = of;
  const made = own.map((item): BuyPackage => {
    const received = matches.find(({ ordered }) => ordered.id === item.id)?.created;
    if (received === undefined) return { ...item, canceledAt: at };
    return {
      ...item,
      sellerPackageId: received.packageId,
      pricingOptionId: received.pricingOptionId ?? item.pricingOptionId,
      budgetMicros: microsOf(received.budget) ?? item.budgetMicros,
    };
  });
  const known = new Set(matches.map(({ created: match }) => match.packageId));
  const last = Math.max(-1, ...own.map(({ position }) => position));
  const more = created
    .filter(({ packageId }) => !known.has(packageId))
    .map((reported, index) => added(reported, last + 1 + index, of));
  const left = made.filter(({ canceledAt }) => canceledAt !== undefined).length;
  // For a sealed request no packages were stored before, so new ones are expected.
  const isOdd = leg.sealed !== true && (left > 0 || more.length > 0);
  const [before, now] = [own.length, created.length];
  const message = `The proposal allots money to ${before} packages, and the seller has made ${now}.`;
  return {
    packages: [...made, ...more],
    findings: isOdd ? [{ code: 'PACKAGES_DIFFER_FROM_PROPOSAL', message }] : [],
  };
}

function added(
  received: CreatedPackage,
  position: number,
  { leg, mediaBuyId, currency }: Parameters<typeof adoptPackages>[3],
): BuyPackage {
  return {
    id: idOf(leg.id, received.packageId),
    mediaBuyId,
    legId: leg.id,
    position,
    seller: leg.seller,
    productId: received.productId ?? '',
    pricingOptionId: received.pricingOptionId ?? '',
    currency,
    budgetMicros: microsOf(received.budget) ?? 0n,
    sellerPackageId: received.packageId,
    ...(isJsonObject(received.context) ? { context: received.context } : {}),
  };
}

function microsOf(text: string | undefined): bigint | undefined {
  const read = text === undefined ? undefined : parseDecimal(text);
  return read?.ok === true && read.value >= 0n ? read.value : undefined;
}

/** A UUID derived from the answer, so that applying it twice gives the same id. */
function idOf(legId: string, packageId: string): string {
  const hash = createHash('sha256').update(`${legId} ${packageId}`, 'utf8').digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}
