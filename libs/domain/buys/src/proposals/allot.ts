import { currencyExponent, microsToDecimal, parseDecimal, splitByWeights } from '@switchyard/money';
import {
  type CreateMediaBuyRequest,
  latestForm,
  type PackageRequest,
  prefixId,
  taskError,
  type TaskError,
} from '@switchyard/protocol';
import { defined, err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { Offer } from '../model/offer.js';
import type { Allocation, Proposal } from '../model/proposal.js';

/** A package from an allocation or an override of a proposal. */
export interface Allotted {
  /** The buyer's position for an override; the others follow in the seller's order. */
  readonly position: number;
  readonly request: PackageRequest;
  /** True for a package that the buyer did not write. */
  readonly isDerived: boolean;
}

/**
 * Splits a total into packages: each allocation gets its share in whole minor units, the last one the
 * remainder (docs/protocol/products.md#proposals). The buyer's own package replaces the allocation that it
 * overrides. An allocation with a share of zero gets no package.
 */
export function allot(
  proposal: Proposal,
  request: CreateMediaBuyRequest,
  total: { readonly micros: bigint; readonly currency: string },
  offers: ReadonlyMap<string, Offer>,
): Result<readonly Allotted[], readonly TaskError[]> {
  const shares = sharesOf(proposal.allocations, total);
  const open = proposal.allocations
    .map((allocation, at) => ({ allocation, share: shares[at] ?? 0n }))
    .filter(({ share }) => share > 0n);
  const errors: TaskError[] = [];
  const overrides = request.packages.map((wanted, position): Allotted => {
    const ofProduct = open.filter((share) => idIn(proposal, share.allocation) === wanted.productId);
    const meant =
      ofProduct.find(({ allocation }) => allocation.pricingOptionId === wanted.pricingOptionId) ??
      ofProduct[0];
    if (meant === undefined) errors.push(notAllotted(position));
    else open.splice(open.indexOf(meant), 1);
    return { position, request: wanted, isDerived: false };
  });
  if (errors.length > 0) return err(errors);
  const derived = open.map(({ allocation, share }, at): Allotted => ({
    position: overrides.length + at,
    request: packageOf(proposal, { allocation, share, currency: total.currency, offers }),
    isDerived: true,
  }));
  return ok([...overrides, ...derived]);
}

/** Shares in whole minor units of the currency; their sum is the total. */
function sharesOf(
  allocations: readonly Allocation[],
  { micros, currency }: { readonly micros: bigint; readonly currency: string },
): readonly bigint[] {
  const weights = allocations.map(({ percentage }) => {
    const read = parseDecimal(percentage);
    return read.ok ? read.value : 0n;
  });
  return splitByWeights(micros, weights, 10n ** BigInt(6 - currencyExponent(currency)));
}

function packageOf(
  proposal: Proposal,
  {
    allocation,
    share,
    currency,
    offers,
  }: {
    readonly allocation: Allocation;
    readonly share: bigint;
    readonly currency: string;
    readonly offers: ReadonlyMap<string, Offer>;
  },
): PackageRequest {
  const { startTime, endTime, daypartTargets } = allocation;
  const productId = idIn(proposal, allocation);
  const pricingOptionId = allocation.pricingOptionId ?? optionIn(offers.get(productId), currency);
  const budget = microsToDecimal(share);
  const value: JsonObject = {
    product_id: productId,
    pricing_option_id: pricingOptionId,
    budget: Number(budget),
    ...defined({ start_time: startTime, end_time: endTime }),
  };
  return {
    productId,
    pricingOptionId,
    budget,
    ...(daypartTargets === undefined
      ? {}
      : { targetingOverlay: { daypart_targets: structuredClone([...daypartTargets]) } }),
    original: { form: latestForm, value },
  };
}

/** Without a recommended option: the first one in the currency of the total. */
function optionIn(offer: Offer | undefined, currency: string): string {
  const options = offer?.pricingOptions ?? [];
  return (options.find((option) => option.currency === currency) ?? options[0])?.pricingOptionId ?? '';
}

function idIn({ seller }: Proposal, { productId }: Allocation): string {
  return prefixId(seller, productId);
}

function notAllotted(position: number): TaskError {
  const message = 'Packages beside a proposal override its allocations: this product has none left in it.';
  return taskError('INVALID_REQUEST', message, {
    field: `packages[${position}].product_id`,
    suggestion: 'Name a product of the proposal, each allocation at most once, or leave the package out.',
  });
}
