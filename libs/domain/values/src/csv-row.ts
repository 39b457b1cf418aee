/** Cells as one record of RFC 4180, without its line break. Text that begins like a formula is escaped. */
export function csvRow(cells: readonly string[]): string {
  return cells
    .map(escapeFormula)
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}

/** Plain decimal amounts. They may begin with `-` and are no formulas. */
const plainNumber = /^-?\d+(\.\d+)?$/;

/**
 * Puts an apostrophe before text that a spreadsheet would read as a formula (OWASP, CSV injection). Amounts stay
 * unchanged, also negative ones.
 */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !plainNumber.test(text) ? `'${text}` : text;
}
