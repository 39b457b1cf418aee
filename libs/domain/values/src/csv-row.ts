/** Cells as one record of RFC 4180, without its line break. Text that begins like a formula is escaped. */
export function csvRow(cells: readonly string[]): string {
  return cells
    .map(escapeFormula)
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}

/** Plain decimal amounts: what begins like a formula and is none. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/**
 * Text that a spreadsheet does not take for a formula: what begins like one has an apostrophe before it
 * (OWASP, CSV injection). Amounts stay amounts, also negative ones.
 */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}
