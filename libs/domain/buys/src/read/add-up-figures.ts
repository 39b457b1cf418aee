import { microsToDecimal, roundToMicros } from '@switchyard/money';
import type { DeliverySlice, DeliveryTotals, MediaBuyDelivery } from '@switchyard/protocol';

/** Adds up slices with equal start and end. A slice that one seller lacks is left out: its sum is unknown. */
export function slicesOf(deliveries: readonly MediaBuyDelivery[]): readonly DeliverySlice[] {
  const byEnds = new Map<string, DeliverySlice[]>();
  for (const slice of deliveries.flatMap((delivery) => delivery.slices ?? [])) {
    const ends = `${slice.start} ${slice.end}`;
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), slice]);
  }
  return [...byEnds.keys()].sort().flatMap((ends) => {
    const slices = byEnds.get(ends) ?? [];
    const [first] = slices;
    if (first === undefined || slices.length < deliveries.length) return [];
    const { original: _none, ...sums } = addUp(slices.map((slice) => ({ ...slice, original: {} })));
    return [{ start: first.start, end: first.end, ...sums }];
  });
}

/** Adds up spend, impressions and clicks. A count that one part lacks is left out, not taken as zero. */
export function addUp(parts: readonly DeliveryTotals[]): DeliveryTotals {
  const spend = parts.reduce((sum, part) => sum + spendOf(part), 0n);
  const counted = (read: (part: DeliveryTotals) => number | undefined): number | undefined => {
    const numbers = parts.map(read);
    const known = numbers.filter((number) => number !== undefined);
    return known.length === numbers.length && known.length > 0
      ? known.reduce((sum, number) => sum + number, 0)
      : undefined;
  };
  // Reach and frequency of a single seller are shown unchanged; over several sellers they have no sum.
  const [only] = parts;
  const impressions = counted((part) => part.impressions);
  const clicks = counted((part) => part.clicks);
  return {
    spend: microsToDecimal(spend),
    original: parts.length === 1 && only !== undefined ? only.original : {},
    ...(impressions === undefined ? {} : { impressions }),
    ...(clicks === undefined ? {} : { clicks }),
  };
}

/**
 * Reported spend, rounded half-even to micros (docs/protocol/media-buys.md#money). The reader has already
 * checked that it is a number.
 */
function spendOf(part: DeliveryTotals): bigint {
  const micros = roundToMicros(part.spend);
  if (!micros.ok) throw new Error('A spend that was read is not a number.');
  return micros.value;
}
