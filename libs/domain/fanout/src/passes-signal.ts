import { signalCpms, type GetSignalsRequest, type Signal } from '@switchyard/protocol';
import { isBeyond } from './comparable-prices.js';
import { overlaps } from './overlaps.js';

export function passesSignal(signal: Signal, filters: GetSignalsRequest['filters']): boolean {
  if (filters === undefined) return true;
  if (!overlaps([signal.catalogType], filters.catalogTypes)) return false;
  if (!overlaps([signal.dataProvider], filters.dataProviders)) return false;
  if (filters.minCoveragePercentage !== undefined && signal.coveragePercentage !== undefined) {
    if (signal.coveragePercentage < filters.minCoveragePercentage) return false;
  }
  // One price within the limit is enough: the buyer chooses which to pay.
  const cpms = signalCpms(signal);
  return cpms.length === 0 || cpms.some((cpm) => !isBeyond(cpm, filters.maxCpm));
}
