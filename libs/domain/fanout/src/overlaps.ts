/** True if one of the stated values is requested, or if none is stated or none is requested. */
export function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.includes(one));
}
