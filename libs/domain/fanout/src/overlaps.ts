/** Whether any of the stated values is wanted. True where none are stated or none are wanted. */
export function overlaps(has: readonly string[], wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0 || has.length === 0) return true;
  return has.some((one) => wanted.includes(one));
}
