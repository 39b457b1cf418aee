/**
 * Ends the process of a run whose suites are over, where something that a spec left open keeps it alive: Jest itself
 * would wait for it for ever. What it was is said, and the result of the run stays what it is.
 */
export default class EndOfRun {
  onRunComplete(_contexts, results) {
    const end = () => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(
        `The suites are over, and the process did not end by itself. Left open: ${open}\n`,
      );
      // Jest judges the run after this call.
      process.exit(results.success ? 0 : 1);
    };
    setTimeout(end, 20_000).unref();
  }
}
