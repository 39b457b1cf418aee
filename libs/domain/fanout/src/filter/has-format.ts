import { isSameFormat, type FormatId } from '@switchyard/protocol';

/** True if one of the stated formats is requested, or if none is stated or none is requested. */
export function hasFormat(has: readonly FormatId[], wanted: readonly FormatId[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.some((other) => isSameFormat(one, other)));
}
