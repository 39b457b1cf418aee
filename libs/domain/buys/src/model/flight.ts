import type { MediaBuy, MediaBuyRecord, SellerBuy } from './operation.js';
import { isMadeOrMayBe } from './leg-state.js';

/** When something runs, in RFC 3339. */
export type Flight = Pick<MediaBuy, 'startTime' | 'endTime'>;

/** The flight of one part: that of the whole buy, unless its seller reported or kept another one. */
export function flightAtSeller(buy: Flight, { reported }: Pick<SellerBuy, 'reported'>): Flight {
  return { startTime: reported?.startTime ?? buy.startTime, endTime: reported?.endTime ?? buy.endTime };
}

/**
 * The flight of the whole buy: from the first start of its parts to their last end. Canceled and rejected
 * parts count only where no other part is left.
 */
export function flightOf({ buy, sellerBuys }: Pick<MediaBuyRecord, 'buy' | 'sellerBuys'>): Flight {
  const made = sellerBuys.filter(isMadeOrMayBe);
  const running = made.filter(({ status }) => status !== 'canceled' && status !== 'rejected');
  const flights = (running.length > 0 ? running : made).map((part) => flightAtSeller(buy, part));
  if (flights.length === 0) return { startTime: buy.startTime, endTime: buy.endTime };
  const first = flights.reduce((one, other) =>
    Date.parse(other.startTime) < Date.parse(one.startTime) ? other : one,
  );
  const last = flights.reduce((one, other) =>
    Date.parse(other.endTime) > Date.parse(one.endTime) ? other : one,
  );
  return { startTime: first.startTime, endTime: last.endTime };
}
