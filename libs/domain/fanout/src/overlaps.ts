/** Whether any of what is stated is wanted. Who states nothing has not said no, and who wants nothing takes all. */
export function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.includes(one));
}
