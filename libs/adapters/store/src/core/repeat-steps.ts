/** Rows in one statement: far below what the application's `statement_timeout` allows. */
export const rowsPerStep = 1_000;

/** Repeats a statement that takes up to {@link rowsPerStep} rows until it finds fewer. Returns the total. */
export async function repeatSteps(step: () => Promise<{ readonly rowCount: number }>): Promise<number> {
  let all = 0;
  for (;;) {
    const { rowCount } = await step();
    all += rowCount;
    if (rowCount < rowsPerStep) return all;
  }
}
