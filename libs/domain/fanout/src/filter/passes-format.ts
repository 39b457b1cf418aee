import type { CreativeFormat, ListCreativeFormatsRequest } from '@switchyard/protocol';
import { anyType, formatTypeOf } from './format-types-of.js';
import { hasFormat } from './has-format.js';
import { meetsFormatFilters } from './meets-format-filters.js';
import { overlaps } from '../overlaps.js';

/** What of a request says which formats are wanted. */
export type FormatOptions = Pick<ListCreativeFormatsRequest, 'formatTypes' | 'formatIds' | 'original'>;

/** Whether a format is one that was asked for. What it does not state of itself is not held against it. */
export function passesFormat(format: CreativeFormat, options: FormatOptions): boolean {
  const type = format.type ?? formatTypeOf(format.original.value);
  if (!overlaps(type === undefined || type === anyType ? [] : [type], options.formatTypes)) return false;
  if (!hasFormat([format.formatId], options.formatIds)) return false;
  return meetsFormatFilters(format, options.original?.value ?? {});
}
