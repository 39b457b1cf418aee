import { signalCpms, type GetSignalsRequest, type Signal } from '@switchyard/protocol';
import { isBeyond } from './comparable-prices.js';
import { overlaps } from '../overlaps.js';
import { objectsOf } from '../query/list-members.js';

export function passesSignal(signal: Signal, filters: GetSignalsRequest['filters']): boolean {
  if (filters === undefined) return true;
  if (!overlaps([signal.catalogType], filters.catalogTypes)) return false;
  if (!overlaps([signal.dataProvider], filters.dataProviders)) return false;
  if (filters.minCoveragePercentage !== undefined && signal.coveragePercentage !== undefined) {
    if (signal.coveragePercentage < filters.minCoveragePercentage) return false;
  }
  if (isShareBeyond(signal, filters.maxPercent)) return false;
  // One price within the limit is enough: the buyer chooses the price.
  const cpms = signalCpms(signal);
  return cpms.length === 0 || cpms.some((cpm) => !isBeyond(cpm, filters.maxCpm));
}

/** True if all prices that are a percentage of the media cost exceed the maximum. */
function isShareBeyond({ original }: Signal, most: number | undefined): boolean {
  const shares = objectsOf(original.value['pricing_options'])
    .filter(({ model }) => model === 'percent_of_media')
    .flatMap(({ percent }) => (typeof percent === 'number' ? [percent] : []));
  return most !== undefined && shares.length > 0 && shares.every((share) => share > most);
}
