import type { CreativeFormat, ListCreativeFormatsRequest } from '@switchyard/protocol';
import { anyType, formatTypeOf } from './format-types-of.js';
import { hasFormat } from './has-format.js';
import { meetsFormatFilters } from './meets-format-filters.js';
import { overlaps } from '../overlaps.js';

/** The members of a request that select formats. */
export type FormatOptions = Pick<ListCreativeFormatsRequest, 'formatTypes' | 'formatIds' | 'original'>;

/** True if a format is one that the request selects. Members that the format does not state match. */
export function passesFormat(format: CreativeFormat, options: FormatOptions): boolean {
  const type = format.type ?? formatTypeOf(format.original.value);
  if (!overlaps(type === undefined || type === anyType ? [] : [type], options.formatTypes)) return false;
  if (!hasFormat([format.formatId], options.formatIds)) return false;
  return meetsFormatFilters(format, options.original?.value ?? {});
}
