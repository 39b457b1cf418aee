import { prefixId, taskError, type Finding, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { budgetMicros } from '../model/terms/budget-micros.js';
import { bidFault, bidOnFixedPrice, leastFault } from '../create/check-money.js';
import type { Flight } from '../model/held-flight.js';
import { heldBudget, termsShown } from '../model/terms/kept-terms.js';
import type { NamedUpdate } from '../model/name-package.js';
import { flightFaults, timeOf } from '../model/terms/package-terms.js';
import type { MarketKnowledge } from '../create/plan-buy.js';
import { quotedAmount } from '../model/terms/quoted-amount.js';

/** What a change of a package has against it, and what of it is only worth a word. */
export interface CheckedChange {
  readonly errors: readonly TaskError[];
  readonly findings: readonly Finding[];
}

/**
 * Holds what is asked of a package that was bought to what a package of a new buy is held to
 * (docs/protocol/media-buys.md#checks-before-any-seller-is-asked and docs/protocol/media-buys.md#money): its dates to
 * the flight of its seller's part, as the same request may move it, its bid and a lower budget to the last quote. A
 * budget that is raised is never too little: what is there now was agreed.
 *
 * @param flight - when its seller's part runs, or will where the request moves it
 */
export function checkChange(
  named: NamedUpdate & { readonly at: number },
  flight: Flight,
  { offers }: Pick<MarketKnowledge, 'offers'>,
): CheckedChange {
  const { item, update, at } = named;
  if (update.canceled === true) return { errors: [], findings: [] };
  const path = `packages[${at}]`;
  const price = offers
    .get(prefixId(item.seller, item.productId))
    ?.pricingOptions.find(({ pricingOptionId }) => pricingOptionId === item.pricingOptionId);
  const dates = dateFaults(named, flight, path);
  if (price === undefined) return { errors: dates, findings: [] };
  const lowered =
    update.budget !== undefined && budgetMicros(update.budget, item.currency) < heldBudget(item)
      ? leastFault(budgetMicros(update.budget, item.currency), price, `${path}.budget`)
      : [];
  const bid = update.bidPrice === undefined ? undefined : quotedAmount(update.bidPrice);
  return {
    errors: [...dates, ...lowered, ...(bid === undefined ? [] : bidFault(bid, price, `${path}.bid_price`))],
    findings: bid === undefined || price.auction ? [] : [bidOnFixedPrice(`${path}.bid_price`)],
  };
}

/** Dates that the request names; where it names one of two, the other is the one that the package has. */
function dateFaults({ item, update }: NamedUpdate, flight: Flight, path: string): readonly TaskError[] {
  const { startTime, endTime } = update;
  if (startTime === undefined && endTime === undefined) return [];
  const outside = flightFaults(startTime, endTime, flight, path);
  if (outside.length > 0 || (startTime !== undefined && endTime !== undefined)) return outside;
  const { start_time: heldStart, end_time: heldEnd } = termsShown(item).holding;
  const [from, to]: readonly (Instant | undefined)[] = [
    timeOf(startTime ?? heldStart),
    timeOf(endTime ?? heldEnd),
  ];
  if (from === undefined || to === undefined || from < to) return [];
  const field = `${path}.${endTime === undefined ? 'start_time' : 'end_time'}`;
  return [taskError('INVALID_REQUEST', 'The package would end before it starts.', { field })];
}
