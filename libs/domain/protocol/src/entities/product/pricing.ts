import { defined, err, isJsonObject, ok, type JsonObject, type Result } from '@switchyard/values';
import type { Finding } from '../../losses/finding.js';
import type { ExactNumbers } from '../../task-spec.js';
import type { Form } from '../../versions/wire-profile.js';
import { numberOf, priceAt } from '../../message/amount.js';
import { is3x } from '../../message/form.js';
import { booleanAt, member, objectAt, patched, textAt, without } from '../../message/pick.js';
import type { Original } from '../../message/original.js';

const currencyCode = /^[A-Z]{3}$/;
/** The `service` form's names of pricing models that the schemas name otherwise. */
const modelReadings: Readonly<Record<string, string>> = { 'cpm-auction': 'cpm', 'flat-fee': 'flat_rate' };
/** Members with prices, in any form. */
const figures = ['price', 'floor', 'rate', 'fixed_price', 'floor_price', 'price_guidance', 'price_breakdown'];
/** Prices of winning bids, the same in 2.5 and 3.x. */
const percentiles = ['p25', 'p50', 'p75', 'p90'];
const costs = [...figures, 'min_spend_per_package', 'eligible_adjustments', 'commission_rate'];

/**
 * Reads a pricing option, whichever form's members the seller uses. In the `service` form the default currency is US
 * dollars (docs/protocol/media-buys.md#money); in a schema form an option without a currency is set aside.
 */
export function readPricingOption(
  value: JsonObject,
  form: Form,
  pointer: string,
  exact: ExactNumbers,
): Result<PricingOption, Finding> {
  const pricingOptionId = textAt(value, 'pricing_option_id');
  const named = textAt(value, 'pricing_model');
  if (pricingOptionId === undefined) return err(odd('a pricing option has no id'));
  if (named === undefined) return err(odd('a pricing option has no model'));
  const currency = textAt(value, 'currency') ?? (form === 'service' ? 'USD' : undefined);
  if (currency === undefined || !currencyCode.test(currency))
    return err(odd('a pricing option has no currency'));
  const fault = faultyFigure(value);
  if (fault !== undefined) return err(odd(`${fault} of a pricing option is no price`));
  const guidance = objectAt(value, 'price_guidance');
  const isFixed = booleanAt(value, 'is_fixed');
  const fixedPrice =
    priceAt(value, 'fixed_price', pointer, exact) ??
    (isFixed === false ? undefined : priceAt(value, 'rate', pointer, exact)) ??
    (named === 'cpm-auction' ? undefined : priceAt(value, 'price', pointer, exact));
  const floorPrice =
    priceAt(value, 'floor_price', pointer, exact) ??
    priceAt(value, 'floor', pointer, exact) ??
    priceAt(guidance, 'floor', `${pointer}/price_guidance`, exact);
  const auctionByForm = is3x(form) || form === '2.5' ? isFixed !== true : false;
  return ok({
    pricingOptionId,
    model: (Object.hasOwn(modelReadings, named) ? modelReadings[named] : undefined) ?? named,
    currency,
    auction:
      fixedPrice === undefined &&
      // A share of what is sold is neither a fixed price nor a bid.
      named !== 'revenue_share' &&
      (named === 'cpm-auction' || floorPrice !== undefined || auctionByForm),
    ...defined({
      fixedPrice,
      floorPrice: fixedPrice === undefined ? floorPrice : undefined,
      minSpendPerPackage: priceAt(value, 'min_spend_per_package', pointer, exact),
    }),
    original: { form, value },
  });
}

export function projectPricingOption(option: PricingOption, to: Form): JsonObject {
  const { form, value } = option.original;
  // A price whose model has another name in its original is not copied but written from its members.
  const isOwn = to === 'service' || textAt(value, 'pricing_model') === option.model;
  if (isOwn && (form === to || (is3x(form) && is3x(to))))
    return patched(value, { pricing_option_id: option.pricingOptionId });
  const fixed = option.fixedPrice === undefined ? undefined : numberOf(option.fixedPrice);
  const floor = option.floorPrice === undefined ? undefined : numberOf(option.floorPrice);
  const minimum = option.minSpendPerPackage === undefined ? undefined : numberOf(option.minSpendPerPackage);
  const id = { pricing_option_id: option.pricingOptionId };
  if (to === 'service') {
    const currency = option.currency === 'USD' ? undefined : option.currency;
    return defined({
      ...id,
      pricing_model: serviceModel(option),
      price: fixed,
      // Only one model has its own name for auctions: for the others, a floor marks them.
      floor: floor ?? (option.auction && option.model !== 'cpm' ? 0 : undefined),
      currency,
      min_spend_per_package: minimum,
      price_guidance: bidsOf(value),
      ...besideOf(value),
    });
  }
  const common = {
    ...id,
    pricing_model: option.model,
    currency: option.currency,
    min_spend_per_package: minimum,
  };
  const bids = bidsOf(value);
  if (is3x(to)) {
    const beside = besideOf(value);
    const { parameters } = beside;
    // In 2.5 a flat rate pays for a screen, and its parameters name the type.
    const typed =
      option.model === 'flat_rate' && isJsonObject(parameters)
        ? { parameters: { type: 'dooh', ...parameters } }
        : {};
    return copied({
      ...common,
      fixed_price: fixed,
      floor_price: floor,
      price_guidance: bids,
      ...beside,
      ...typed,
    });
  }
  // An auction without a floor starts at zero, and 2.5 requires the number.
  const least = floor ?? (option.auction ? 0 : undefined);
  const price =
    fixed === undefined
      ? { is_fixed: false, price_guidance: least === undefined ? undefined : { floor: least, ...bids } }
      : { is_fixed: true, rate: fixed };
  return copied({ ...common, ...price, parameters: member(value, 'parameters') });
}

/**
 * The same option for callers without credentials: id, model and currency, no figures
 * (docs/protocol/requests-and-versions.md#callers-without-credentials).
 */
export function withoutFigures(option: PricingOption): PricingOption {
  const { pricingOptionId, model, currency, auction, original } = option;
  return {
    pricingOptionId,
    model,
    currency,
    auction,
    original: { form: original.form, value: without(original.value, costs) },
  };
}

/** Members for the unit of an option and the origin of its price: the same in every form that has them. */
const besideNames = [
  ...['parameters', 'event_type', 'custom_event_name', 'event_source_id', 'max_bid'],
  ...['price_breakdown', 'eligible_adjustments', 'commission_rate', 'commission_basis_description'],
];

function besideOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    besideNames.flatMap((name) => {
      const price = member(value, name);
      return price === undefined ? [] : [[name, price]];
    }),
  );
}

function bidsOf(value: JsonObject): JsonObject | undefined {
  const guidance = Object.entries(objectAt(value, 'price_guidance') ?? {});
  const known = guidance.filter(([name, bid]) => percentiles.includes(name) && typeof bid === 'number');
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function serviceModel(option: PricingOption): string {
  if (option.model === 'cpm' && option.auction) return 'cpm-auction';
  return option.model === 'flat_rate' ? 'flat-fee' : option.model;
}

/** The name of a price that is not a number of zero or more: an error of the seller, not a missing figure. */
function faultyFigure(value: JsonObject): string | undefined {
  return [...figures, 'min_spend_per_package'].find((name) => {
    const figure = member(value, name);
    if (figure === undefined || figure === null || name.startsWith('price_')) return false;
    return typeof figure !== 'number' || !Number.isFinite(figure) || figure < 0;
  });
}

function copied(members: Readonly<Record<string, unknown>>): JsonObject {
  return structuredClone(defined(members)) as JsonObject;
}

function odd(message: string): Finding {
  return { code: 'PRICING_OPTION_SET_ASIDE', message };
}

export interface PricingOption {
  readonly pricingOptionId: string;
  /** `cpm`, `vcpm`, `cpc`, `cpcv`, `cpv`, `cpp`, `cpa`, `flat_rate`, `time` or an unknown one. */
  readonly model: string;
  /** ISO 4217; `USD` where the form has none (docs/protocol/media-buys.md#money). */
  readonly currency: string;
  /** Decimal text. Present only for fixed pricing. */
  readonly fixedPrice?: string;
  /** Decimal text: the minimum bid of an auction. */
  readonly floorPrice?: string;
  /** True when a package with this option must have a bid. */
  readonly auction: boolean;
  readonly minSpendPerPackage?: string;
  readonly original: Original;
}
