/** One line of a signature base: the component's name and its value. */
export type CoveredValue = readonly [name: string, value: string];

/**
 * Returns the text that is signed: one line for each covered component in the order of the list, then the list itself
 * as it was sent, without a line end.
 */
export function signatureBase(covered: readonly CoveredValue[], paramsText: string): string {
  const lines = covered.map(([name, value]) => `"${name}": ${value}\n`);
  return `${lines.join('')}"@signature-params": ${paramsText}`;
}
