import type { UpdateMediaBuyRequest } from '@switchyard/protocol';
import { isoOf, type Instant } from '@switchyard/values';
import { flightAtSeller, type Flight } from '../model/flight.js';
import type { MediaBuy, SellerBuy } from '../model/operation.js';
import { withFlight } from '../observe/apply-reported-flight.js';

interface AgreedFlight {
  /** The agreed flight of the buy. */
  readonly flight: Flight;
  /** The part of the seller that accepted. */
  readonly sellerBuy: SellerBuy;
  readonly sellerBuys: readonly SellerBuy[];
}

/**
 * Applies new dates of a buy that one seller accepted. The parts of other sellers keep their dates until those sellers
 * accept too. A start `asap` counts as `at` until the seller reports the real start.
 */
export function agreeFlight(
  buy: Pick<MediaBuy, 'startTime' | 'endTime'>,
  sellerBuys: readonly SellerBuy[],
  { accepted, at }: { readonly accepted: SellerBuy; readonly at: Instant },
  { startTime, endTime }: Pick<UpdateMediaBuyRequest, 'startTime' | 'endTime'>,
): AgreedFlight {
  const isAsap = startTime === 'asap';
  const flight = {
    startTime: isAsap ? isoOf(at) : (startTime ?? buy.startTime),
    endTime: endTime ?? buy.endTime,
  };
  if (startTime === undefined && endTime === undefined) return { flight, sellerBuy: accepted, sellerBuys };
  const pinned = (part: SellerBuy, now: Flight, startsAsap: boolean | undefined): SellerBuy =>
    withFlight(part, {
      ...(isSame(now.startTime, flight.startTime) ? {} : { startTime: now.startTime }),
      ...(isSame(now.endTime, flight.endTime) ? {} : { endTime: now.endTime }),
      ...(startsAsap === undefined ? {} : { startsAsap }),
    });
  const held = flightAtSeller(buy, accepted);
  const taken = {
    startTime: startTime === undefined ? held.startTime : flight.startTime,
    endTime: endTime ?? held.endTime,
  };
  const sellerBuy = pinned(accepted, taken, startTime === undefined ? accepted.reported?.startsAsap : isAsap);
  return {
    flight,
    sellerBuy,
    sellerBuys: sellerBuys.map((part) =>
      part.id === accepted.id
        ? sellerBuy
        : pinned(part, flightAtSeller(buy, part), part.reported?.startsAsap),
    ),
  };
}

function isSame(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
