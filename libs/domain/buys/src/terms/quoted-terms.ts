import type { JsonObject } from '@switchyard/values';
import type { Offer } from '../model/offer.js';
import type { BuyPackage, PackageTerms } from '../model/operation.js';
import { roundToMicros, type Micros, checkBudget } from '@switchyard/money';

/**
 * Adds the terms that a seller quoted beside the price: cancellation, measurement and performance. They are
 * fixed at the purchase (docs/protocol/products.md#cancellation-terms): a later quote of the product changes
 * none of them.
 */
export function withQuoted(terms: PackageTerms, offer: Offer): PackageTerms {
  const { cancellationPolicy, defaultTerms } = offer;
  return {
    ...terms,
    quoted: {
      ...defaultTerms,
      ...(cancellationPolicy === undefined ? {} : { cancellation_policy: cancellationPolicy }),
    },
  };
}

/** What of a quote is fixed beside the terms: the time zone of its reports. */
export function quotedZone({ reportingZone }: Offer): Pick<BuyPackage, 'reportingZone'> {
  return reportingZone === undefined ? {} : { reportingZone };
}

/** The quoted terms that apply to a package unless the buyer or the seller changed them. */
export function defaultsOf({ quoted }: Pick<PackageTerms, 'quoted'>): JsonObject {
  const { cancellation_policy: _ofTheProduct, ...defaults } = quoted ?? {};
  return defaults;
}

/** Converts a seller's amount to micros; undefined where it is no valid amount. Never throws. */
export function quotedAmount(text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  const micros = roundToMicros(text);
  return micros.ok ? micros.value : undefined;
}

/** A checked budget in micros of its currency. */
export function budgetMicros(text: string, currency: string): bigint {
  const micros = checkBudget(text, currency);
  if (!micros.ok) throw new Error('A budget that was not checked.');
  return micros.value;
}
