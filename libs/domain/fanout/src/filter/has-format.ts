import { isSameFormat, type FormatId } from '@switchyard/protocol';

/** Whether any of the stated formats is wanted. True where none are stated. */
export function hasFormat(has: readonly FormatId[], wanted: readonly FormatId[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.some((other) => isSameFormat(one, other)));
}
