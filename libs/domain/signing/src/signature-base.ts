/** One line of a signature base: the component's name and its value. */
export type CoveredValue = readonly [name: string, value: string];

/**
 * The text that is signed: one line per covered component in the order of the list, and the list itself, as it was
 * sent, last. No line end after it.
 */
export function signatureBase(covered: readonly CoveredValue[], paramsText: string): string {
  const lines = covered.map(([name, value]) => `"${name}": ${value}\n`);
  return `${lines.join('')}"@signature-params": ${paramsText}`;
}
