import { roundToMicros } from '@switchyard/money';
import type { GetSignalsRequest, Product, ProductFilters, Signal } from '@switchyard/protocol';

/**
 * Whether a product honours what the buyer filtered for. Only what the product states is judged: a seller that
 * leaves channels out has not said that it lacks them.
 */
export function passesProduct(product: Product, filters: ProductFilters | undefined): boolean {
  if (filters === undefined) return true;
  if (filters.deliveryType !== undefined && product.deliveryType !== filters.deliveryType) return false;
  if (!overlaps(product.channels, filters.channels)) return false;
  return overlaps(product.formatIds.map(keyOf), filters.formatIds?.map(keyOf));
}

export function passesSignal(signal: Signal, filters: GetSignalsRequest['filters']): boolean {
  if (filters === undefined) return true;
  if (!overlaps([signal.catalogType], filters.catalogTypes)) return false;
  if (!overlaps([signal.dataProvider], filters.dataProviders)) return false;
  if (filters.minCoveragePercentage !== undefined && signal.coveragePercentage !== undefined) {
    if (signal.coveragePercentage < filters.minCoveragePercentage) return false;
  }
  return (
    filters.maxCpm === undefined ||
    signal.pricing === undefined ||
    !exceeds(signal.pricing.cpm, filters.maxCpm)
  );
}

function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.includes(one));
}

function keyOf(format: { readonly agentUrl: string; readonly id: string }): string {
  return `${format.agentUrl} ${format.id}`;
}

/** False where either text is no amount: what cannot be compared is not held against the signal. */
function exceeds(amount: string, most: string): boolean {
  const left = roundToMicros(amount);
  const right = roundToMicros(most);
  return left.ok && right.ok && left.value > right.value;
}
