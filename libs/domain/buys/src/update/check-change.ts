import { prefixId, taskError, type Finding, type TaskError } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import { budgetMicros, quotedAmount } from '../terms/quoted-terms.js';
import { bidFault, bidOnFixedPrice, leastFault } from '../plan/check-package.js';
import type { Flight } from '../model/flight.js';
import { budgetAtSeller, termsShown } from '../terms/stored-terms.js';
import type { NamedUpdate } from '../plan/name-package.js';
import { flightFaults, timeOf } from '../plan/package-terms.js';
import type { MarketKnowledge } from '../plan/planned-package.js';

interface CheckedChange {
  readonly errors: readonly TaskError[];
  readonly findings: readonly Finding[];
}

/**
 * Checks a change of a bought package like a package of a new buy
 * (docs/protocol/media-buys.md#checks-before-any-seller-is-asked and docs/protocol/media-buys.md#money): its
 * dates against the flight of its seller's part, its bid and a lower budget against the last quote. A raised
 * budget is never too low, because the current one was agreed.
 *
 * @param flight - the flight of its seller's part after the request
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
    update.budget !== undefined && budgetMicros(update.budget, item.currency) < budgetAtSeller(item)
      ? leastFault(budgetMicros(update.budget, item.currency), price, `${path}.budget`)
      : [];
  const bid = update.bidPrice === undefined ? undefined : quotedAmount(update.bidPrice);
  return {
    errors: [...dates, ...lowered, ...(bid === undefined ? [] : bidFault(bid, price, `${path}.bid_price`))],
    findings: bid === undefined || price.auction ? [] : [bidOnFixedPrice(`${path}.bid_price`)],
  };
}

/** The errors of the requested dates; if only one is given, the other is the package's current one. */
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
